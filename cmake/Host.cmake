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
# A run pays for each page it writes, and static variables lie in the order of linking: those with large
# tables first, those that every run writes together and last, before the nursery of guest/js/engine.c.
set(guest_tables kernel/heap_extents.c kernel/outbox.c fs/mount.c)
list(TRANSFORM guest_tables PREPEND ${CMAKE_SOURCE_DIR}/guest/)
set(guest_sources ${guest_tables})
foreach(part bin shell text fs kernel js)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/${part}/*.c)
  list(REMOVE_ITEM sources ${guest_tables} ${CMAKE_SOURCE_DIR}/guest/js/engine.c)
  list(APPEND guest_sources ${sources})
endforeach()
list(APPEND guest_sources ${CMAKE_SOURCE_DIR}/guest/js/engine.c)
file(GLOB guest_waits CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/*/asyncify.txt)
cloche_add_guest(guest
  SOURCES ${guest_sources} ${prelude_sources} ${QUICKJS_DIR}/libregexp.c
          ${QUICKJS_DIR}/libunicode.c ${QUICKJS_DIR}/dtoa.c
  OBJECTS ${JQ_OBJECTS} ${SQLITE_OBJECTS}
  OPTIONS -I${CMAKE_SOURCE_DIR}/guest/js -isystem ${QUICKJS_DIR}
  ASYNCIFY ${guest_waits}
  PARTS 6 LINK_STACK 65536 INTERPRETERS JS_CallInternal lre_exec
  HOT ${CMAKE_SOURCE_DIR}/guest/js/engine.c ${QUICKJS_DIR}/libregexp.c ${QUICKJS_DIR}/dtoa.c)

if(CLOCHE_TESTS)
  file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/kernel/*.c
       ${CMAKE_SOURCE_DIR}/guest/fs/*.c)
  file(GLOB kernel_waits CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/kernel/asyncify.txt
       ${CMAKE_SOURCE_DIR}/guest/fs/asyncify.txt)
  cloche_add_guest(pipeline SMALL SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/pipeline.c ${kernel_sources}
                   ASYNCIFY ${kernel_waits} PARTS 1 LINK_STACK 65536)
  cloche_add_guest(puppet SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/puppet.c PARTS 1 LINK_STACK 65536)
endif()
