// The C ABI of rust/textkit. Only text/*.cc include it; everything else uses tokenizer.h and chat_template.h.
//
// Functions that can fail return 0 or a TkCode, and then put a message of one line into `error`. Buffers that come
// back are textkit's memory: give them to tk_*_free once. Handles are immutable: any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct TkTokenizer;
struct TkTemplate;

enum TkCode : int32_t {
  kTkOk = 0,
  kTkInvalidArgument = 1,
  kTkDataLoss = 2,
  kTkUnimplemented = 3,
  kTkLimit = 4,
  kTkInternal = 5,
  kTkRaiseException = 10,
  kTkSyntax = 11,
  kTkSecurity = 12,
  kTkTemplateLimit = 13,
  kTkRuntime = 14,
};

struct TkBytes {
  const char* data;
  size_t size;
};
// Strings one behind the other; string i ends at ends[i].
struct TkStrings {
  TkBytes bytes;
  const size_t* ends;
  size_t count;
};
struct TkBuffer {
  char* data;
  size_t size;
  size_t capacity;
};
struct TkIds {
  uint32_t* data;
  size_t size;
  size_t capacity;
};
struct TkSpan {
  size_t begin;
  size_t end;
};
struct TkSpans {
  TkSpan* data;
  size_t size;
  size_t capacity;
};

// Flags: 0 false, 1 true, negative absent.
struct TkGguf {
  TkBytes model;
  TkBytes pre;
  TkBytes architecture;
  TkStrings tokens;
  TkStrings merges;
  const float* scores;
  size_t scores_count;
  const int32_t* token_types;
  size_t token_types_count;
  TkBytes precompiled_charsmap;
  int64_t unknown_id;
  int32_t add_space_prefix;
  int32_t remove_extra_whitespaces;
  int32_t escape_whitespaces;
};

// `kind` is GGUF's token type; 0: no such token.
struct TkToken {
  TkBytes text;
  TkBytes bytes;
  uint8_t kind;
};

struct TkTraits {
  size_t size;
  const uint32_t* prefix;
  size_t prefix_count;
  const uint32_t* suffix;
  size_t suffix_count;
  uint8_t strips_leading_space;
};

int32_t tk_tokenizer_from_gguf(const TkGguf* vocab, TkTokenizer** out, TkBuffer* error);
int32_t tk_tokenizer_from_json(TkBytes json, TkTokenizer** out, TkBuffer* error);
void tk_tokenizer_free(TkTokenizer* tokenizer);
void tk_tokenizer_traits(const TkTokenizer* tokenizer, TkTraits* out);
void tk_tokenizer_token(const TkTokenizer* tokenizer, uint32_t id, TkToken* out);
int64_t tk_tokenizer_find(const TkTokenizer* tokenizer, TkBytes text);
int32_t tk_tokenizer_encode(const TkTokenizer* tokenizer, TkBytes text, int32_t parse_special, const TkSpan* user_text,
                            size_t user_text_count, TkIds* out, TkBuffer* error);

int32_t tk_template_compile(TkBytes source, TkTemplate** out, TkBuffer* error);
void tk_template_free(TkTemplate* tmpl);
int32_t tk_template_render(const TkTemplate* tmpl, TkBytes variables_json, TkBytes now, TkBuffer* out, TkBuffer* error);
int32_t tk_template_render_tracked(const TkTemplate* tmpl, const TkTokenizer* tokenizer, TkBytes variables_json,
                                   TkBytes now, TkBuffer* out, TkSpans* user_text, TkBuffer* error);

void tk_buffer_free(TkBuffer buffer);
void tk_ids_free(TkIds ids);
void tk_spans_free(TkSpans spans);

}  // extern "C"
