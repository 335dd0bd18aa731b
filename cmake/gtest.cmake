# GoogleTest (BSD-3-Clause), from the system; test-only.
find_package(GTest REQUIRED)
include(GoogleTest)
add_library(braid_test_main INTERFACE)
target_link_libraries(braid_test_main INTERFACE GTest::gmock GTest::gtest_main)
