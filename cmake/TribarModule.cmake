# tribar_module(NAME [DEPS lib...] [STRICT_CONVERSION])
#
# One static library `tribar_NAME` from every .cc file below the current folder, and one test executable
# `NAME_test` from the *_test.cc files among them. *_bench.cc and *_fuzz.cc are not part of the library.
# STRICT_CONVERSION adds -Wconversion (modules that read bytes from files or the network).
function(tribar_module name)
  cmake_parse_arguments(ARG "STRICT_CONVERSION" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(sources)
    add_library(tribar_${name} STATIC ${sources})
    target_link_libraries(tribar_${name} PUBLIC tribar_compile ${ARG_DEPS})
    set(visibility PRIVATE)
  else()
    add_library(tribar_${name} INTERFACE)
    target_link_libraries(tribar_${name} INTERFACE tribar_compile ${ARG_DEPS})
  endif()
  if(ARG_STRICT_CONVERSION AND sources)
    target_compile_options(tribar_${name} PRIVATE -Wconversion)
  endif()

  if(BUILD_TESTING AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE tribar_${name} GTest::gtest_main GTest::gmock)
    target_compile_definitions(${name}_test PRIVATE TRIBAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    gtest_discover_tests(${name}_test PROPERTIES LABELS fast DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
