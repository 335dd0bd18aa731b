# CLI11 (BSD-3-Clause), from the system.
find_package(CLI11 REQUIRED)
