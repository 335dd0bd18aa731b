# Howard Hinnant's date (MIT), reads the tz database of the system: g++ 12 has no std::chrono::locate_zone yet.
find_package(date REQUIRED)
