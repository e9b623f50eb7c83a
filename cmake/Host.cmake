# SPDX-License-Identifier: MIT
# The product's guest, and smaller ones for tests.

add_executable(embed tools/embed.c)
target_compile_options(embed PRIVATE -Wall -Wextra $<$<BOOL:${CLOCHE_WERROR}>:-Werror>)
file(GLOB prelude CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/js/prelude/*.js)
set(prelude_sources ${CMAKE_BINARY_DIR}/prelude_sources.c)
add_custom_command(OUTPUT ${prelude_sources} COMMAND embed ${prelude_sources} ${prelude}
                   DEPENDS embed ${prelude} VERBATIM)

include(cmake/Jq.cmake)
file(GLOB guest_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/kernel/*.c
     ${CMAKE_SOURCE_DIR}/guest/fs/*.c ${CMAKE_SOURCE_DIR}/guest/js/*.c
     ${CMAKE_SOURCE_DIR}/guest/shell/*.c ${CMAKE_SOURCE_DIR}/guest/bin/*.c)
file(GLOB guest_waits CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/guest/*/asyncify.txt)
cloche_add_guest(guest
  SOURCES ${guest_sources} ${prelude_sources} ${QUICKJS_DIR}/libregexp.c
          ${QUICKJS_DIR}/libunicode.c ${QUICKJS_DIR}/dtoa.c
  OBJECTS ${JQ_OBJECTS}
  OPTIONS -I${CMAKE_SOURCE_DIR}/guest/js -isystem ${QUICKJS_DIR}
  ASYNCIFY ${guest_waits}
  PARTS 6 LINK_STACK 65536 INTERPRETERS JS_CallInternal lre_exec)

if(CLOCHE_TESTS)
  cloche_add_guest(puppet SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/puppet.c PARTS 1 LINK_STACK 65536)
endif()
