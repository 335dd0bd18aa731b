# Compiler settings of our own code, as one interface target, and the tools that make builds fast where they are present.
add_library(braid_options INTERFACE)
target_compile_options(braid_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                               -Wnon-virtual-dtor -Werror=return-type)
if(BRAID_SANITIZE)
  add_compile_options(-fsanitize=${BRAID_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BRAID_SANITIZE})
endif()

# Objects are shared between clones: paths count relative to this one. Asking for another launcher wins.
find_program(BRAID_CCACHE ccache)
if(BRAID_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(cache_home $ENV{XDG_CACHE_HOME})
  if(NOT cache_home)
    set(cache_home $ENV{HOME}/.cache)
  endif()
  set(launcher env CCACHE_DIR=${cache_home}/braid/ccache CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${BRAID_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(BRAID_MOLD mold)
if(BRAID_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
