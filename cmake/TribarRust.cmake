# tribar_textkit: rust/textkit as a static library, built by cargo from crates that rust/textkit/Cargo.lock pins.
#
# Debian's packages rustc-web and cargo-web come first; another toolchain will do if it is new enough. The build folder of cargo
# is shared by all presets (build/rust), because no compiler setting of theirs reaches Rust code. TRIBAR_CARGO_TARGET_DIR in the
# environment names another one, so that several checkouts can share the compiled crates.

set(TRIBAR_MINIMUM_RUST 1.85)

function(_tribar_find_tool variable name)
  # The system's own, not what a version manager may have put in front of it.
  find_program(${variable} NAMES ${name} PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(${variable} NAMES ${name})
  set(version 0)
  if(${variable})
    execute_process(COMMAND ${${variable}} --version OUTPUT_VARIABLE output ERROR_QUIET)
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${output}")
  endif()
  if(NOT ${variable} OR version VERSION_LESS TRIBAR_MINIMUM_RUST)
    message(FATAL_ERROR
      "${name} ${TRIBAR_MINIMUM_RUST} or newer is needed for rust/textkit (found: ${${variable}} ${version}). "
      "Run scripts/setup, which installs Debian's rustc-web and cargo-web.")
  endif()
endfunction()

_tribar_find_tool(TRIBAR_RUSTC rustc)
_tribar_find_tool(TRIBAR_CARGO cargo)

if(DEFINED ENV{TRIBAR_CARGO_TARGET_DIR})
  set(_cargo_target_dir $ENV{TRIBAR_CARGO_TARGET_DIR})
elseif(CMAKE_BINARY_DIR MATCHES "^${PROJECT_SOURCE_DIR}/build/")
  set(_cargo_target_dir ${PROJECT_SOURCE_DIR}/build/rust)
else()
  set(_cargo_target_dir ${CMAKE_BINARY_DIR}/rust)
endif()

set(_textkit_dir ${PROJECT_SOURCE_DIR}/rust/textkit)
set(_textkit_library ${CMAKE_BINARY_DIR}/libtextkit.a)
file(GLOB_RECURSE _textkit_sources CONFIGURE_DEPENDS ${_textkit_dir}/src/*.rs)

add_custom_command(
  OUTPUT ${_textkit_library}
  COMMAND ${CMAKE_COMMAND} -E env RUSTC=${TRIBAR_RUSTC} CARGO_TARGET_DIR=${_cargo_target_dir}
          ${TRIBAR_CARGO} build --quiet --release --locked --lib --manifest-path ${_textkit_dir}/Cargo.toml
  COMMAND ${CMAKE_COMMAND} -E copy ${_cargo_target_dir}/release/libtextkit.a ${_textkit_library}
  DEPENDS ${_textkit_sources} ${_textkit_dir}/Cargo.toml ${_textkit_dir}/Cargo.lock
  COMMENT "Building rust/textkit (several minutes the first time)"
  VERBATIM)
add_custom_target(tribar_textkit_build DEPENDS ${_textkit_library})

add_library(tribar_textkit STATIC IMPORTED GLOBAL)
set_target_properties(tribar_textkit PROPERTIES IMPORTED_LOCATION ${_textkit_library})
target_link_libraries(tribar_textkit INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
add_dependencies(tribar_textkit tribar_textkit_build)
