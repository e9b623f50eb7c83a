# SPDX-License-Identifier: MIT
# The product's guest, and smaller ones for tests.

if(CLOCHE_TRANSLATED)
  cloche_add_guest(guest)
  return()
endif()
add_executable(embed tools/embed.c)
target_compile_options(embed PRIVATE -Wall -Wextra $<$<BOOL:${CLOCHE_WERROR}>:-Werror>)
file(GLOB prelude CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/js/prelude/*.js)
set(prelude_sources ${CMAKE_BINARY_DIR}/prelude_sources.c)
add_custom_command(OUTPUT ${prelude_sources} COMMAND embed ${prelude_sources} ${prelude}
                   DEPENDS embed ${prelude} VERBATIM)

include(cmake/Jq.cmake)
include(cmake/Sqlite.cmake)
# A run pays for each page it writes, and static variables lie in the order of linking: those that every run
# writes together, then the engine with its nursery, whose beginning every run writes, then large tables.
set(guest_tables kernel/heap_extents.c kernel/outbox_room.c fs/mount.c)
list(TRANSFORM guest_tables PREPEND ${CMAKE_SOURCE_DIR}/guest/)
set(guest_sources)
foreach(part bin shell text fs kernel js)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/${part}/*.c)
  list(REMOVE_ITEM sources ${guest_tables} ${CMAKE_SOURCE_DIR}/guest/js/engine.c)
  list(APPEND guest_sources ${sources})
endforeach()
list(APPEND guest_sources ${CMAKE_SOURCE_DIR}/guest/js/engine.c ${guest_tables})

# Compiled for size: what does not take a user's time. Data go through the other commands; here they are parsed,
# looked at once, or few. Of jq and SQLite it is what a query is made of, not what it is done with.
set(guest_cold ask basename bc bc_math bc_number bc_parse bc_run chmod column comm cmp cp date dd diff diff_lines dirname du echo
    env expr filemode find find_parse find_printf fmt gzip install ln ls mkdir mktemp mv network nl numfmt od options patch
    patch_read pathchk readlink rg_rules rm sed_parse seq shuf stat tar tar_read tar_write timeout times times_parse tool touch
    true tsort uname version which xargs xxd)
list(TRANSFORM guest_cold REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/guest/bin/\\1.c")
foreach(source ${guest_cold})
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "${source} is to be compiled for size, and is not there")
  endif()
endforeach()
set(shell_cold builtin_compgen builtin_declare builtin_dirs builtin_jobs builtin_options jobs print prompt trace transform)
list(TRANSFORM shell_cold REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/guest/shell/\\1.c")
set(objects_cold ${JQ_OBJECTS})
list(FILTER objects_cold INCLUDE REGEX "/(regparse|regcomp|regerror|regenc|parser|linker|lexer|decNumber|unicode[a-z0-9_]*|jq|input|locfile)[.]c[.]o$")
list(APPEND objects_cold ${SQLITE_OBJECTS})

file(GLOB guest_waits CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/*/asyncify.txt)
set(GUEST_PARTS 3) # C files of each kind, which compile side by side
set(GUEST_FAST_PARTS 2)
set(GUEST_SMALL_PARTS 3)
cloche_add_guest(guest
  SOURCES ${guest_sources} ${prelude_sources} ${QUICKJS_DIR}/libregexp.c
          ${QUICKJS_DIR}/libunicode.c ${QUICKJS_DIR}/dtoa.c
  OBJECTS ${JQ_OBJECTS} ${SQLITE_OBJECTS}
  OPTIONS -I${CMAKE_SOURCE_DIR}/guest/js -isystem ${QUICKJS_DIR}
  ASYNCIFY ${guest_waits}
  PARTS ${GUEST_PARTS} LINK_STACK 65536 INTERPRETERS JS_CallInternal lre_exec
  HOT ${CMAKE_SOURCE_DIR}/guest/js/engine.c ${QUICKJS_DIR}/libregexp.c ${QUICKJS_DIR}/dtoa.c FAST_PARTS ${GUEST_FAST_PARTS}
  COLD ${guest_cold} ${shell_cold} ${objects_cold} SMALL_PARTS ${GUEST_SMALL_PARTS})

if(CLOCHE_TESTS)
  file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/kernel/*.c
       ${CMAKE_SOURCE_DIR}/guest/fs/*.c)
  file(GLOB kernel_waits CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/kernel/asyncify.txt
       ${CMAKE_SOURCE_DIR}/guest/fs/asyncify.txt)
  cloche_add_guest(pipeline SMALL SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/pipeline.c ${kernel_sources}
                   ASYNCIFY ${kernel_waits} PARTS 1 LINK_STACK 65536)
  cloche_add_guest(puppet SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/puppet.c PARTS 1 LINK_STACK 65536)
endif()
