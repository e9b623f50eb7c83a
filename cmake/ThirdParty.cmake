# SPDX-License-Identifier: MIT
# Fetches what third_party/lock.json names, once, at configure time; see third_party/fetch.py. An sdist has
# what is needed of it.
if(CLOCHE_TRANSLATED)
  set(THIRD_PARTY ${CMAKE_SOURCE_DIR}/third_party)
  return()
endif()
set(THIRD_PARTY ${CMAKE_BINARY_DIR}/third_party)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${CMAKE_SOURCE_DIR}/third_party/lock.json)
set(third_party quickjs-ng jq sqlite)
if(CLOCHE_BUNDLED)
  list(APPEND third_party libsodium libuv zstd)
endif()
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/third_party/fetch.py ${THIRD_PARTY} ${third_party}
                RESULT_VARIABLE fetched)
if(NOT fetched EQUAL 0)
  message(FATAL_ERROR "The third-party sources could not be brought here; see above.")
endif()
set(QUICKJS_DIR ${THIRD_PARTY}/quickjs-ng)
set(JQ_DIR ${THIRD_PARTY}/jq)
set(SQLITE_DIR ${THIRD_PARTY}/sqlite)
