# SQLite (public domain) with FTS5, rows and full text of memories, from the system: 3.35 or newer.
find_package(SQLite3 3.35 REQUIRED)
