# tribar_boost_json: Boost.JSON (1.81, headers of libboost-dev) compiled once, for every module that reads or writes JSON.
find_package(Boost 1.81 REQUIRED)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/boost_json.cc CONTENT "#include <boost/json/src.hpp>\n")
add_library(tribar_boost_json STATIC ${CMAKE_BINARY_DIR}/boost_json.cc)
target_link_libraries(tribar_boost_json PUBLIC Boost::headers)
target_compile_definitions(tribar_boost_json PUBLIC BOOST_JSON_NO_LIB)
if(TRIBAR_SANITIZE)
  target_compile_options(tribar_boost_json PRIVATE -fsanitize=${TRIBAR_SANITIZE})
endif()
