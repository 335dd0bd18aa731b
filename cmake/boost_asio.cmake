# Boost.Asio and Boost.Beast (BSL-1.0), headers alone, from the system: 1.81 and newer.
find_package(Boost 1.81 REQUIRED)
