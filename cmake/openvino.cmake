# OpenVINO 2026.4 (Apache-2.0): runs the speech detector's ONNX model. As target openvino::runtime.
#
# The system's, or the one that OpenVINO_DIR names, where it reads ONNX; else the pinned copy is prepared in the cache.
find_package(OpenVINO QUIET COMPONENTS Runtime ONNX)
if(NOT TARGET openvino::runtime)
  braid_pinned(openvino openvino_dir)
  find_package(OpenVINO REQUIRED COMPONENTS Runtime ONNX PATHS ${openvino_dir} NO_DEFAULT_PATH)
  unset(OpenVINO_DIR CACHE)  # else the next configure takes it for the user's choice
endif()
set_target_properties(openvino::runtime PROPERTIES IMPORTED_GLOBAL TRUE)
message(STATUS "OpenVINO: ${OpenVINO_DIR}")
