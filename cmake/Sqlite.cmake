# SPDX-License-Identifier: MIT
# SQLite and its command as wasm objects, listed in SQLITE_OBJECTS; guest/bin/sqlite/config.h says how.
# For size: its speed beside the machine's own leaves room for that (bench/commands.py).
set(sqlite_dir ${CMAKE_SOURCE_DIR}/guest/bin/sqlite)
set(sqlite_gen ${CMAKE_BINARY_DIR}/sqlite)
file(MAKE_DIRECTORY ${sqlite_gen})
set(SQLITE_OBJECTS)
file(GLOB sqlite_sources CONFIGURE_DEPENDS ${sqlite_dir}/*.c)
foreach(source ${SQLITE_DIR}/sqlite3.c ${sqlite_sources})
  cmake_path(GET source FILENAME name)
  set(object ${sqlite_gen}/${name}.o)
  wasm_object(${source} ${object} OPTIONS -Oz -include ${sqlite_dir}/config.h -I${SQLITE_DIR})
  list(APPEND SQLITE_OBJECTS ${object})
endforeach()
