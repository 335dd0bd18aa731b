# Tiny models of random weights, one pair a family (tools/models), made at build time for tests. A third of a second.
#
# braid_tiny_models(TARGET): TARGET is built after them, and finds them in BRAID_TINY_MODELS.
set(tiny_models ${CMAKE_BINARY_DIR}/tiny-models)
file(GLOB tiny_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/models/*.py)
find_program(BRAID_PYTHON python3 REQUIRED)
add_custom_command(
  OUTPUT ${tiny_models}/.made
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_SOURCE_DIR}/tools ${BRAID_PYTHON} -B -m models ${tiny_models}
  COMMAND ${CMAKE_COMMAND} -E touch ${tiny_models}/.made
  DEPENDS ${tiny_sources} COMMENT "Making tiny models of each family" VERBATIM)
add_custom_target(braid_tiny_model_files DEPENDS ${tiny_models}/.made)

function(braid_tiny_models target)
  add_dependencies(${target} braid_tiny_model_files)
  target_compile_definitions(${target} PRIVATE BRAID_TINY_MODELS="${tiny_models}")
endfunction()
