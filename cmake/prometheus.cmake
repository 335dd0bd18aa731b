# prometheus-cpp (MIT), writes /metrics, from the system: its core alone, so neither civetweb nor curl come with it.
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core>=1.0)
