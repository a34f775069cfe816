# Compiler settings shared by every target: warnings as errors, reproducible floating point, hardening, sanitizers, ccache.

find_program(TRIBAR_CCACHE ccache)
if(TRIBAR_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${TRIBAR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TRIBAR_CCACHE})
endif()

find_package(Threads REQUIRED)
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Release keeps TRIBAR_CHECK but not assert(); the other types keep both.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")

add_library(tribar_compile INTERFACE)
target_include_directories(tribar_compile INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(tribar_compile INTERFACE Threads::Threads)
target_compile_options(tribar_compile INTERFACE
  -Wall -Wextra -Werror
  # GCC 12 warns falsely about operator+(const char*, std::string&&) (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # What libstdc++ 12 calls inside its own templates (std::stable_sort) is not ours to change.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  # A sum has one order (row invariance): never let the compiler contract or reassociate on its own.
  -ffp-contract=off -fno-math-errno
  $<$<CONFIG:Release>:-g1>)

# Hardening that costs nothing measurable: the kernels hold no arrays on the stack and call no checked libc function.
if(NOT TRIBAR_SANITIZE)
  target_compile_options(tribar_compile INTERFACE
    -fstack-protector-strong
    $<$<CONFIG:Release>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
endif()
target_compile_definitions(tribar_compile INTERFACE $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)
target_link_options(tribar_compile INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

if(TRIBAR_SANITIZE)
  target_compile_options(tribar_compile INTERFACE
    -fsanitize=${TRIBAR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tribar_compile INTERFACE -fsanitize=${TRIBAR_SANITIZE})
endif()
# Tests that ask for impossible sizes want the null pointer that a real allocator gives them. Lists the environment of
# every test; empty without a sanitizer.
set(TRIBAR_TEST_ENVIRONMENT "")
if(TRIBAR_SANITIZE MATCHES "thread")
  set(TRIBAR_TEST_ENVIRONMENT ENVIRONMENT "TSAN_OPTIONS=allocator_may_return_null=1")
elseif(TRIBAR_SANITIZE)
  set(TRIBAR_TEST_ENVIRONMENT ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1")
endif()
if(TRIBAR_FUZZ)
  target_compile_options(tribar_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()
