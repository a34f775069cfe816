# tribar_module(NAME [DEPS lib...] [STRICT_CONVERSION])
#
# Builds one folder, by file name:
#   *_slow_test.cc  executable NAME_slow_test   ctest label "slow"
#   *_test.cc       executable NAME_test        ctest label "fast"
#   *_fuzz.cc       one executable each, only with TRIBAR_FUZZ (clang); test "fuzz.<file>", label "fuzz";
#                   the target `fuzzers` builds all of them
#   main.cc         left to the folder's own CMakeLists.txt
#   other *.cc      static library tribar_NAME
# STRICT_CONVERSION adds -Wconversion to the library (modules that read bytes from files or the network).
function(tribar_module name)
  cmake_parse_arguments(ARG "STRICT_CONVERSION" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(all ${sources})
  list(FILTER sources EXCLUDE REGEX "(_(test|bench|fuzz)|/main)\\.cc$")

  if(sources)
    add_library(tribar_${name} STATIC ${sources})
    target_link_libraries(tribar_${name} PUBLIC tribar_compile ${ARG_DEPS})
    if(ARG_STRICT_CONVERSION)
      target_compile_options(tribar_${name} PRIVATE -Wconversion)
    endif()
  else()
    add_library(tribar_${name} INTERFACE)
    target_link_libraries(tribar_${name} INTERFACE tribar_compile ${ARG_DEPS})
  endif()

  set(slow_tests ${all})
  list(FILTER slow_tests INCLUDE REGEX "_slow_test\\.cc$")
  set(fast_tests ${all})
  list(FILTER fast_tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER fast_tests EXCLUDE REGEX "_slow_test\\.cc$")
  _tribar_tests(${name} ${name}_test fast 60 "${fast_tests}")
  _tribar_tests(${name} ${name}_slow_test slow 1800 "${slow_tests}")

  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  _tribar_fuzzers(${name} "${fuzzers}")
endfunction()

function(_tribar_tests name target label timeout sources)
  if(NOT BUILD_TESTING OR NOT sources)
    return()
  endif()
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE tribar_${name} GTest::gtest_main GTest::gmock)
  target_compile_definitions(${target} PRIVATE TRIBAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${label} TIMEOUT ${timeout} ${TRIBAR_TEST_ENVIRONMENT})
endfunction()

if(TRIBAR_FUZZ)
  add_custom_target(fuzzers)
endif()

# How long each fuzz test runs is decided by whoever runs ctest: TRIBAR_FUZZ_SECONDS, 60 by default.
function(_tribar_fuzzers name sources)
  if(NOT TRIBAR_FUZZ)
    return()
  endif()
  foreach(source IN LISTS sources)
    get_filename_component(target ${source} NAME_WE)
    add_executable(${target} ${source})
    add_dependencies(fuzzers ${target})
    target_link_libraries(${target} PRIVATE tribar_${name})
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    target_compile_definitions(${target} PRIVATE TRIBAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    add_test(NAME fuzz.${target} COMMAND ${PROJECT_SOURCE_DIR}/scripts/run_fuzzer $<TARGET_FILE:${target}>)
    set_tests_properties(fuzz.${target} PROPERTIES LABELS fuzz TIMEOUT 7200)
  endforeach()
endfunction()
