# `cmake --install`: the binary, the library for find_package(Braid), and what both need at run time.
#
#   bin/braid                    finds the rest beside itself, so the prefix can be moved
#   lib/, include/braid/         static module libraries and public headers
#   lib/cmake/Braid/             package config; target Braid::Braid
#   lib/braid/                   the program that decodes, llama.cpp's static libraries and OpenVINO's shared ones
#   share/doc/braid/             README, LICENSE, NOTICE, docs/
#   share/braid/models/          the default model, if it has been prepared, and its encoders
include(CMakePackageConfigHelpers)

# Every library that is installed is built with the binary, also one that the binary doesn't link.
get_property(braid_libraries GLOBAL PROPERTY braid_libraries)
add_dependencies(braid ${braid_libraries})

set_target_properties(braid PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/braid")
install(TARGETS braid RUNTIME DESTINATION bin)
install(TARGETS braid-ingest-worker RUNTIME DESTINATION lib/braid)
install(TARGETS braid_options EXPORT BraidTargets)
install(EXPORT BraidTargets NAMESPACE Braid:: DESTINATION lib/cmake/Braid)

set(braid_llama_archives "")
foreach(library IN LISTS llama_libraries)
  get_filename_component(file ${library} NAME)
  list(APPEND braid_llama_archives ${file})
endforeach()
if(BRAID_LLAMA)
  install(FILES ${llama_libraries} DESTINATION lib/braid)
  if(openvino_dir)
    # What the speech detector loads: runtime, CPU plugin, ONNX reader and their threading library.
    install(DIRECTORY ${openvino_dir}/../libs/ DESTINATION lib/braid FILES_MATCHING
            PATTERN "libopenvino.so.*" PATTERN "libopenvino_intel_cpu_plugin.so" PATTERN "libopenvino_onnx_frontend.so.*"
            PATTERN "libtbb.so.*" PATTERN "libtbbmalloc.so.*" PATTERN "libtbbbind*.so.*" PATTERN "libhwloc.so.*")
    get_target_property(openvino_library openvino::runtime IMPORTED_LOCATION_RELEASE)
    get_filename_component(openvino_library ${openvino_library} NAME)
  endif()
endif()

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/BraidConfig.cmake.in ${CMAKE_BINARY_DIR}/BraidConfig.cmake
                              INSTALL_DESTINATION lib/cmake/Braid)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/BraidConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/BraidConfig.cmake ${CMAKE_BINARY_DIR}/BraidConfigVersion.cmake
        DESTINATION lib/cmake/Braid)

install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE ${CMAKE_SOURCE_DIR}/README.md
        DESTINATION share/doc/braid)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION share/doc/braid)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/models/nano DESTINATION share/braid/models PATTERN samples EXCLUDE PATTERN "ears-*" EXCLUDE)
install(CODE [[
  set(cache_home $ENV{XDG_CACHE_HOME})
  if(NOT cache_home)
    set(cache_home $ENV{HOME}/.cache)
  endif()
  foreach(name nano-q8_0.gguf silero_vad_openvino_16k.onnx smart-turn-v3.2-cpu.onnx)
    if(EXISTS ${cache_home}/braid/models/${name})
      file(REAL_PATH ${cache_home}/braid/models/${name} file)
      file(INSTALL ${file} DESTINATION ${CMAKE_INSTALL_PREFIX}/share/braid/models RENAME ${name})
    else()
      message(STATUS "${name} has not been prepared ('make model'): installed without it")
    endif()
  endforeach()
]])
