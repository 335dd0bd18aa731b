# OpenSSL (Apache-2.0), for TLS and hashes, from the system: 3.0 and newer.
find_package(OpenSSL 3.0 REQUIRED)
