// Status and Result<T>: how a failure that is not our own bug travels (bad file, bad request, missing memory).
//
//   Result<Model> open(path);                 // returns a value or a Status
//   TRIBAR_ASSIGN_OR_RETURN(Model m, open(p));  // unwrap, or hand the Status to the caller
//   if (Status s = check(m); !s.ok()) return s;
//
// A message is one line, says what is wrong and, where possible, what to do; it never ends in a newline.
// TRIBAR_CHECK is for our own bugs only: input from disk, network or a user must never reach it.
// Threads: values, no shared state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tribar {

enum class StatusCode : uint8_t {
  kOk,
  kInvalidArgument,    // the caller asked for something that makes no sense
  kNotFound,           // a file, tensor, key or model that is not there
  kDataLoss,           // a file that is damaged or not what it says it is
  kUnimplemented,      // well-formed, but not supported; the message names it
  kResourceExhausted,  // a stated limit or the memory budget
  kCancelled,          // stopped on request
  kInternal,           // should not happen
};

// "invalid_argument" and so on, for logs and JSON.
std::string_view status_code_name(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same failure with "context: " in front of the message.
  Status with_context(std::string_view context) const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

Status invalid_argument(std::string message);
Status not_found(std::string message);
Status data_loss(std::string message);
Status unimplemented(std::string message);
Status resource_exhausted(std::string message);
Status internal_error(std::string message);

[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view message);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (status_.ok()) check_failed(__FILE__, __LINE__, "!status.ok()", "Result built from an OK status");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

 private:
  T& checked() {
    if (!value_) check_failed(__FILE__, __LINE__, "result.ok()", status_.message());
    return *value_;
  }
  std::optional<T> value_;
  Status status_;
};

}  // namespace tribar

#define TRIBAR_CHECK(condition)                                   \
  do {                                                            \
    if (!(condition)) [[unlikely]]                                \
      ::tribar::check_failed(__FILE__, __LINE__, #condition, {}); \
  } while (false)

#define TRIBAR_CHECK_MSG(condition, message)                             \
  do {                                                                   \
    if (!(condition)) [[unlikely]]                                       \
      ::tribar::check_failed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)

#define TRIBAR_RETURN_IF_ERROR(expression)                                                           \
  do {                                                                                               \
    if (::tribar::Status tribar_status_ = (expression); !tribar_status_.ok()) return tribar_status_; \
  } while (false)

#define TRIBAR_CONCAT_INNER(a, b) a##b
#define TRIBAR_CONCAT(a, b) TRIBAR_CONCAT_INNER(a, b)
#define TRIBAR_ASSIGN_OR_RETURN(declaration, expression) \
  TRIBAR_ASSIGN_OR_RETURN_INNER(TRIBAR_CONCAT(tribar_result_, __LINE__), declaration, expression)
#define TRIBAR_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result.ok()) return result.status();                            \
  declaration = std::move(result).value()
