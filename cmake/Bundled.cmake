# SPDX-License-Identifier: MIT
# The host side's libraries from the sources that third_party/lock.json names, for wheels and the sdist:
# static, under the names that pkg-config would give them. Only what the host side uses of them is kept
# by the linker.

# bundled(NAME LIBRARY SOURCES file... INCLUDES folder... DEFINES word...)
function(bundled name library)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDES;PRIVATE_INCLUDES;DEFINES" ${ARGN})
  add_library(${library} STATIC ${ARG_SOURCES})
  target_include_directories(${library} SYSTEM PUBLIC ${ARG_INCLUDES})
  target_include_directories(${library} SYSTEM PRIVATE ${ARG_PRIVATE_INCLUDES})
  target_compile_definitions(${library} PRIVATE ${ARG_DEFINES})
  target_compile_options(${library} PRIVATE -O2 -g0 -w -fno-strict-aliasing)
  add_library(PkgConfig::${name} ALIAS ${library})
endfunction()

# The archive's own last function is for extensions that are not here: as a static one it is dropped.
bundled(SQLITE bundled_sqlite SOURCES ${THIRD_PARTY}/sqlite/sqlite3.c INCLUDES ${THIRD_PARTY}/sqlite
        DEFINES SQLITE_THREADSAFE=1 SQLITE_OMIT_LOAD_EXTENSION SQLITE_DQS=0 "core_init=static core_init")
bundled(ZSTD bundled_zstd SOURCES ${THIRD_PARTY}/zstd/zstd.c INCLUDES ${THIRD_PARTY}/zstd)

# libsodium without its configure: the portable code, which is what the few calls here need.
set(sodium ${THIRD_PARTY}/libsodium/src/libsodium)
file(GLOB_RECURSE sodium_sources ${sodium}/*.c)
bundled(SODIUM bundled_sodium SOURCES ${sodium_sources}
        INCLUDES ${sodium}/include ${CMAKE_BINARY_DIR}/sodium
        PRIVATE_INCLUDES ${sodium}/include/sodium ${CMAKE_BINARY_DIR}/sodium/sodium
        DEFINES CONFIGURED=1 NATIVE_LITTLE_ENDIAN=1 HAVE_WEAK_SYMBOLS=1 HAVE_C_VARARRAYS=1 HAVE_EXPLICIT_BZERO=1
                HAVE_GETRANDOM=1 HAVE_LINUX_COMPATIBLE_GETRANDOM=1 HAVE_SYS_RANDOM_H=1 HAVE_SYS_AUXV_H=1
                HAVE_MMAP=1 HAVE_MLOCK=1 HAVE_MADVISE=1 HAVE_MPROTECT=1 HAVE_POSIX_MEMALIGN=1
                HAVE_PTHREAD=1 HAVE_GETPID=1 HAVE_SYSCONF=1)
target_compile_definitions(bundled_sodium PUBLIC SODIUM_STATIC=1)
# configure writes version.h; Windows' ready-made one differs in nothing. It includes export.h beside it.
foreach(header builds/msvc/version.h src/libsodium/include/sodium/export.h)
  cmake_path(GET header FILENAME name)
  configure_file(${THIRD_PARTY}/libsodium/${header} ${CMAKE_BINARY_DIR}/sodium/sodium/${name} COPYONLY)
endforeach()

set(uv ${THIRD_PARTY}/libuv)
set(uv_sources)
foreach(part fs-poll idna inet random strscpy strtok thread-common threadpool timer uv-common
        uv-data-getter-setters version unix/async unix/core unix/dl unix/fs unix/getaddrinfo unix/getnameinfo
        unix/linux unix/loop unix/loop-watcher unix/pipe unix/poll unix/process unix/procfs-exepath
        unix/proctitle unix/random-devurandom unix/random-getrandom unix/random-sysctl-linux unix/signal
        unix/stream unix/tcp unix/thread unix/tty unix/udp)
  list(APPEND uv_sources ${uv}/src/${part}.c)
endforeach()
bundled(UV bundled_uv SOURCES ${uv_sources} INCLUDES ${uv}/include PRIVATE_INCLUDES ${uv}/src
        DEFINES _FILE_OFFSET_BITS=64 _LARGEFILE_SOURCE _GNU_SOURCE)
target_link_libraries(bundled_uv PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
