# braid_pinned(SCRIPT OUT): the cached, pinned copy of a dependency, prepared by a set-up script that prints its place.
function(braid_pinned script out)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/setup/${script}.sh)
  file(GLOB patches ${CMAKE_SOURCE_DIR}/cmake/patches/${script}-*.patch)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patches})
  set(log ${CMAKE_BINARY_DIR}/setup-${script}.log)
  message(STATUS "${script}: from the cache, prepared there first if need be (minutes; log: ${log})")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} CXX=${CMAKE_CXX_COMPILER} BRAID_CUDA=${BRAID_CUDA}
            BRAID_CUDA_ARCH=${CMAKE_CUDA_ARCHITECTURES} BRAID_SETUP_LOG=${log}
            ${CMAKE_SOURCE_DIR}/tools/setup/${script}.sh
    OUTPUT_VARIABLE place OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "tools/setup/${script}.sh failed: see the end of ${log}; 'make demo' installs what it needs.")
  endif()
  set(${out} ${place} PARENT_SCOPE)
endfunction()
