# SPDX-License-Identifier: MIT
# The program, the shared library, and what `cmake --install` puts where.
include(CMakePackageConfigHelpers)

# The program starts twice for a run, once as its worker, and the dynamic linker would take 0.8 ms for these
# libraries each time. So it carries them, where their archives are installed beside the shared ones.
option(CLOCHE_CARRY_LIBRARIES "Link libuv, libsodium, SQLite and libzstd into the program" ON)
function(program_library module archive)
  find_library(${module}_ARCHIVE lib${archive}.a HINTS ${${module}_LIBDIR} ${${module}_LIBRARY_DIRS})
  if(CLOCHE_CARRY_LIBRARIES AND NOT CLOCHE_BUNDLED AND NOT CLOCHE_SANITIZE AND ${module}_ARCHIVE)
    target_link_libraries(cloche PRIVATE ${${module}_ARCHIVE})
    target_include_directories(cloche SYSTEM PRIVATE ${${module}_INCLUDE_DIRS})
  else()
    target_link_libraries(cloche PRIVATE PkgConfig::${module})
  endif()
endfunction()

file(GLOB cli CONFIGURE_DEPENDS src/cli/*.c)
add_executable(cloche ${cli} $<TARGET_OBJECTS:image_guest> $<TARGET_OBJECTS:runtime_guest>
               $<FILTER:$<TARGET_OBJECTS:guest_guest>,EXCLUDE,guest_start>)
target_include_directories(cloche PRIVATE $<TARGET_PROPERTY:cloche_guest,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(cloche PRIVATE cloche_flags)
program_library(UV uv_a)
program_library(SODIUM sodium)
program_library(SQLITE sqlite3)
program_library(ZSTD zstd)
target_link_libraries(cloche PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})

set_target_properties(cloche_guest PROPERTIES OUTPUT_NAME cloche)
add_library(cloche_shared SHARED $<TARGET_OBJECTS:image_guest> $<TARGET_OBJECTS:runtime_guest>
            $<FILTER:$<TARGET_OBJECTS:guest_guest>,EXCLUDE,guest_start>)
target_link_libraries(cloche_shared PRIVATE cloche_flags PkgConfig::SODIUM PkgConfig::SQLITE PkgConfig::ZSTD Threads::Threads m)
set_target_properties(cloche_shared PROPERTIES OUTPUT_NAME cloche VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})

set(packages ${CMAKE_INSTALL_LIBDIR}/cmake/cloche)
file(RELATIVE_PATH TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/cloche.pc.in cloche.pc @ONLY)
configure_package_config_file(cmake/cloche-config.cmake.in cloche-config.cmake
                              INSTALL_DESTINATION ${packages}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(cloche-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS cloche cloche_guest cloche_shared)
install(FILES include/cloche.h TYPE INCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/cloche.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/cloche-config.cmake ${CMAKE_BINARY_DIR}/cloche-config-version.cmake
        DESTINATION ${packages})

if(CLOCHE_TRANSLATED) # an sdist has no benchmarks
  return()
endif()
# For `make bench`: the engine built natively, and a small embedder.
add_executable(bench_native EXCLUDE_FROM_ALL bench/native.c ${QUICKJS_DIR}/quickjs.c
               ${QUICKJS_DIR}/libregexp.c ${QUICKJS_DIR}/libunicode.c ${QUICKJS_DIR}/dtoa.c)
target_include_directories(bench_native PRIVATE ${QUICKJS_DIR})
target_compile_definitions(bench_native PRIVATE _GNU_SOURCE)
target_compile_options(bench_native PRIVATE -O2 -w)
target_link_libraries(bench_native PRIVATE Threads::Threads m)
add_executable(bench_snapshot EXCLUDE_FROM_ALL bench/snapshot.c)
target_link_libraries(bench_snapshot PRIVATE cloche_guest cloche_flags)
add_executable(bench_ours EXCLUDE_FROM_ALL bench/ours.c)
target_link_libraries(bench_ours PRIVATE cloche_guest cloche_flags)
add_executable(bench_limits EXCLUDE_FROM_ALL bench/limits.c)
target_link_libraries(bench_limits PRIVATE cloche_guest cloche_flags)
add_executable(bench_shell EXCLUDE_FROM_ALL bench/shell.c)
target_link_libraries(bench_shell PRIVATE cloche_guest cloche_flags)
add_executable(bench_files EXCLUDE_FROM_ALL bench/files.c)
target_link_libraries(bench_files PRIVATE cloche_guest cloche_flags)
add_executable(bench_gate EXCLUDE_FROM_ALL bench/gate.c)
target_link_libraries(bench_gate PRIVATE cloche_guest cloche_flags)

# What fuel costs: the same guest, image and embedder without it. Takes the minutes of a guest's build.
if(CLOCHE_GUEST_BUILD)
  set(metered ${CLOCHE_GUEST_BUILD}/guest-guest/parts)
else()
  set(metered ${CMAKE_BINARY_DIR}/guest-guest/parts)
endif()
set(unmetered ${CMAKE_BINARY_DIR}/guest-unmetered)
guest_parts(unmetered_plain ${unmetered}/guest ${GUEST_PARTS})
guest_parts(unmetered_fast ${unmetered}/guest_fast ${GUEST_FAST_PARTS})
guest_parts(unmetered_small ${unmetered}/guest_small ${GUEST_SMALL_PARTS})
set(unmetered_parts ${unmetered_plain} ${unmetered_fast} ${unmetered_small} ${unmetered}/guest_interpreters.c)
add_custom_command(
  OUTPUT ${unmetered_parts}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/bench/unmeter.py ${metered} ${unmetered}
  DEPENDS ${CMAKE_SOURCE_DIR}/bench/unmeter.py cloche_guest
  VERBATIM)
add_executable(bench_unmetered EXCLUDE_FROM_ALL bench/ours.c ${unmetered_parts})
guest_options(bench_unmetered PLAIN ${unmetered_plain} SMALL ${unmetered_small}
              INTERPRETERS ${unmetered}/guest_interpreters.c)
target_include_directories(bench_unmetered BEFORE PRIVATE ${unmetered} src/sandbox)
target_link_libraries(bench_unmetered PRIVATE cloche_guest)
