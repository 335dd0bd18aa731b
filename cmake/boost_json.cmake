# Boost.JSON (BSL-1.0), from the system: 1.75 and newer.
find_package(Boost 1.75 REQUIRED COMPONENTS json)
