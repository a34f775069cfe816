# Compiler settings shared by every target: warnings as errors, reproducible floating point, sanitizers, ccache.

find_program(TRIBAR_CCACHE ccache)
if(TRIBAR_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${TRIBAR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TRIBAR_CCACHE})
endif()

find_package(Threads REQUIRED)

add_library(tribar_compile INTERFACE)
target_include_directories(tribar_compile INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(tribar_compile INTERFACE
  -Wall -Wextra -Werror
  # A sum has one order (row invariance): never let the compiler contract or reassociate on its own.
  -ffp-contract=off -fno-math-errno
  $<$<CONFIG:Release>:-g1>)
target_link_libraries(tribar_compile INTERFACE Threads::Threads)

# Release keeps TRIBAR_CHECK but not assert().
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

if(TRIBAR_SANITIZE)
  target_compile_options(tribar_compile INTERFACE
    -fsanitize=${TRIBAR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tribar_compile INTERFACE -fsanitize=${TRIBAR_SANITIZE})
endif()
if(TRIBAR_FUZZ)
  target_compile_options(tribar_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()
