# llama.cpp 0.5.0 (MIT): libllama, libmtmd, ggml and, for engine/llama alone, llama-common. As target braid_llama_cpp.
#
# BRAID_LLAMA_ROOT names a prefix laid out as tools/setup/llama.sh lays it out; else the pinned copy is prepared in the
# cache. A system's libllama is not looked for: distributions ship neither libmtmd nor llama-common with it.
# The kernels use the CPU features that set-up could execute; the engine asks ggml which, and refuses a CPU without them.
option(BRAID_CUDA "build llama.cpp with its CUDA backend" OFF)
set(BRAID_LLAMA_ROOT "" CACHE PATH "prefix of a llama.cpp prepared elsewhere; empty: the pinned copy")
if(BRAID_CUDA AND NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()

set(llama_root ${BRAID_LLAMA_ROOT})
if(NOT llama_root)
  braid_pinned(llama llama_root)
endif()
if(NOT EXISTS ${llama_root}/include/mtmd.h OR NOT EXISTS ${llama_root}/include/llama-common/chat.h)
  message(FATAL_ERROR "${llama_root} has no include/mtmd.h and include/llama-common/chat.h: give BRAID_LLAMA_ROOT the "
                      "prefix that tools/setup/llama.sh prints, or leave it empty")
endif()

# Static libraries in link order: each before what it uses.
set(llama_libraries mtmd llama-common llama-common-base cpp-httplib vendor-hash llama ggml ggml-cuda ggml-cpu ggml-base)
if(NOT BRAID_CUDA)
  list(REMOVE_ITEM llama_libraries ggml-cuda)
endif()
list(TRANSFORM llama_libraries PREPEND ${llama_root}/lib/lib)
list(TRANSFORM llama_libraries APPEND .a)
set(llama_cpu_features "")
if(EXISTS ${llama_root}/share/cpu_features)
  file(READ ${llama_root}/share/cpu_features llama_cpu_features)
endif()

# Imported, so that an installed Braid names it and finds its own copy (cmake/BraidConfig.cmake.in).
add_library(braid_llama_cpp INTERFACE IMPORTED GLOBAL)
target_include_directories(braid_llama_cpp SYSTEM INTERFACE ${llama_root}/include ${llama_root}/include/llama-common)
target_link_libraries(braid_llama_cpp INTERFACE ${llama_libraries} Threads::Threads ${CMAKE_DL_LIBS})
if(BRAID_CUDA)
  find_package(CUDAToolkit REQUIRED)
  target_link_libraries(braid_llama_cpp INTERFACE CUDA::cudart CUDA::cublas CUDA::cublasLt CUDA::cuda_driver)
endif()
message(STATUS "llama.cpp: ${llama_root} (${llama_cpu_features})")
