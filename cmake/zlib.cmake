# zlib (Zlib), compresses static files, from the system.
find_package(ZLIB REQUIRED)
