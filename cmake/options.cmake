# Compiler settings of our own code, as one interface target.
add_library(braid_options INTERFACE)
target_compile_options(braid_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                               -Wnon-virtual-dtor -Werror=return-type)
if(BRAID_SANITIZE)
  add_compile_options(-fsanitize=${BRAID_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BRAID_SANITIZE})
endif()
