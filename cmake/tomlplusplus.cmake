# toml++ (MIT), reads the configuration file, from the system: 3.0 or newer.
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus>=3.0)
