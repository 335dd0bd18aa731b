# `cpack`: a Debian package and a tarball of what `make install` installs, less what only builds on it need; the Debian
# package adds the service. Both are for CPUs that have what the one that built them has (tools/setup/cpu_features.sh).
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME braid)
set(CPACK_PACKAGE_VENDOR "The Braid authors")
set(CPACK_PACKAGE_CONTACT "The Braid authors <braid@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_PACKAGE_FILE_NAME braid-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/packaging/arrange.cmake)
set(CPACK_BRAID_DEPLOY ${CMAKE_SOURCE_DIR}/deploy)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # most of it are weights, which nothing makes smaller
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
string(REGEX MATCH "^[0-9]+" avdevice_major "${AVDEVICE_VERSION}")
# Loaded when a camera or a sound card is opened; started when a PDF is remembered.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libavdevice${avdevice_major}, poppler-utils")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/package/private)
if(openvino_dir)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${openvino_dir}/../libs)
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/packaging/conffiles
                                       ${CMAKE_SOURCE_DIR}/cmake/packaging/postinst
                                       ${CMAKE_SOURCE_DIR}/cmake/packaging/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
