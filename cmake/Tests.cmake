# SPDX-License-Identifier: MIT
# Tests are found by folder: tests/unit/*_test.c is one program each, run by ctest.
file(GLOB unit_tests CONFIGURE_DEPENDS tests/unit/*_test.c)
foreach(source ${unit_tests})
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE tests/unit)
  target_link_libraries(${name} PRIVATE cloche_puppet cloche_flags)
  add_test(NAME unit/${name} COMMAND ${name})
endforeach()

# Files, with the real guest.
if(TARGET cloche_guest)
  file(GLOB file_tests CONFIGURE_DEPENDS tests/files/*_test.c)
  foreach(source ${file_tests})
    cmake_path(GET source STEM name)
    add_executable(guest_${name} ${source})
    target_include_directories(guest_${name} PRIVATE tests/unit)
    target_link_libraries(guest_${name} PRIVATE cloche_guest cloche_flags)
    add_test(NAME files/${name} COMMAND guest_${name})
  endforeach()
endif()

# The host side against a guest that an attacker owns: tests/evil/evil.c.
file(GLOB runtime CONFIGURE_DEPENDS src/sandbox/*.c src/sandbox/*.S src/json/*.c src/gate/*.c
     src/ledger/*.c src/accounts/*.c src/*.c)
list(FILTER runtime EXCLUDE REGEX "/image_data")
add_library(evil_host OBJECT ${runtime})
target_include_directories(evil_host PUBLIC tests/evil include src abi src/sandbox)
target_compile_definitions(evil_host PUBLIC CLOCHE_VERSION="${PROJECT_VERSION}")
target_link_libraries(evil_host PUBLIC cloche_flags PkgConfig::SODIUM PkgConfig::SQLITE PkgConfig::ZSTD Threads::Threads m)
add_executable(evil tests/evil/evil.c)
target_link_libraries(evil PRIVATE evil_host)
set(attacks 20000)
if(CLOCHE_SANITIZE)
  set(attacks 100000)
endif()
add_test(NAME escape/evil COMMAND evil ${attacks})
# The same as a fuzz target: what libFuzzer found worth keeping, replayed; with clang libFuzzer itself.
set(kept ${CMAKE_SOURCE_DIR}/fuzz/inputs/evil)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  set(fuzzing -fsanitize=fuzzer,address,undefined)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/evil-corpus) # what it adds stays in the build
  add_executable(fuzz_evil tests/evil/evil.c ${runtime})
  target_include_directories(fuzz_evil PRIVATE tests/evil include src abi src/sandbox)
  target_compile_definitions(fuzz_evil PRIVATE CLOCHE_VERSION="${PROJECT_VERSION}")
  target_compile_options(fuzz_evil PRIVATE ${fuzzing} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(fuzz_evil PRIVATE ${fuzzing})
  target_link_libraries(fuzz_evil PRIVATE cloche_flags PkgConfig::SODIUM PkgConfig::SQLITE PkgConfig::ZSTD Threads::Threads m)
  add_test(NAME fuzz/evil COMMAND fuzz_evil ${CMAKE_BINARY_DIR}/evil-corpus ${kept} -runs=20000 -max_len=400)
else()
  add_executable(fuzz_evil fuzz/replay.c tests/evil/evil.c)
  target_link_libraries(fuzz_evil PRIVATE evil_host)
  add_test(NAME fuzz/evil COMMAND fuzz_evil ${kept})
endif()
target_compile_definitions(fuzz_evil PRIVATE CLOCHE_FUZZ_TARGET)

# As distributions harden what they build; clang and other processors lack some of it.
if(NOT CLOCHE_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_executable(hardened tests/unit/embedding_test.c ${runtime}) # the library gives the guest alone
  target_include_directories(hardened PRIVATE tests/unit)
  target_compile_definitions(hardened PRIVATE CLOCHE_VERSION="${PROJECT_VERSION}")
  target_compile_options(hardened PRIVATE -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fcf-protection=full
                         -fstack-protector-strong -fstack-clash-protection)
  target_link_options(hardened PRIVATE -pie -Wl,-z,relro,-z,now)
  target_link_libraries(hardened PRIVATE cloche_puppet cloche_flags)
  add_test(NAME unit/hardened COMMAND hardened)
endif()

# The side that decides against workers that an attacker owns: tests/jail.
add_executable(evil_worker tests/jail/evil_worker.c)
target_link_libraries(evil_worker PRIVATE cloche_puppet cloche_flags)
add_test(NAME escape/evil_worker COMMAND evil_worker 300)
add_executable(lies_test tests/jail/lies_test.c)
target_include_directories(lies_test PRIVATE tests/unit)
target_link_libraries(lies_test PRIVATE cloche_puppet cloche_flags)
add_test(NAME escape/lies_test COMMAND lies_test)
if(TARGET cloche)
  add_executable(process_test tests/jail/process_test.c)
  target_include_directories(process_test PRIVATE tests/unit)
  target_link_libraries(process_test PRIVATE cloche_guest cloche_flags)
  add_test(NAME escape/process_test COMMAND process_test)
  set_tests_properties(escape/process_test PROPERTIES ENVIRONMENT CLOCHE_WORKER=$<TARGET_FILE:cloche>)
  # The other kind of processor, under qemu-user where there is one; with the product's guest by hand.
  add_executable(fuel tests/aarch64/fuel.c)
  target_link_libraries(fuel PRIVATE cloche_guest cloche_flags)
  set(translated ${CMAKE_BINARY_DIR})
  if(CLOCHE_GUEST_BUILD)
    set(translated ${CLOCHE_GUEST_BUILD})
  endif()
  add_test(NAME aarch64/puppet COMMAND sh ${CMAKE_SOURCE_DIR}/tests/aarch64/run.sh
           ${CMAKE_BINARY_DIR}/aarch64 ${translated} ${CMAKE_BINARY_DIR})
  set_tests_properties(aarch64/puppet PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  # JavaScript as Node runs it, in the sandbox; tests/native/js runs the same natively.
  add_executable(sandbox_batch tests/native/js/sandbox_batch.c)
  target_link_libraries(sandbox_batch PRIVATE cloche_guest cloche_flags)
  foreach(folder node programs)
    file(GLOB programs CONFIGURE_DEPENDS tests/native/js/${folder}/*.txt)
    add_test(NAME js/${folder} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/native/js/run.py
             --batch $<TARGET_FILE:sandbox_batch> --sandbox ${programs})
  endforeach()
  foreach(folder escape limits) # programs that try to get out, or to go on too long
    add_test(NAME escape/${folder} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/escape/run.py
             $<TARGET_FILE:cloche> ${CMAKE_SOURCE_DIR}/tests/${folder})
    set_tests_properties(escape/${folder} PROPERTIES TIMEOUT 600)
  endforeach()
  add_executable(hostile tests/limits/hostile.c)
  target_link_libraries(hostile PRIVATE cloche_guest cloche_flags)
  file(GLOB programs CONFIGURE_DEPENDS tests/limits/*.js tests/limits/*.sh)
  add_test(NAME escape/hostile COMMAND hostile --timeout 100 --late 200 --memory 4096 ${programs})
  add_test(NAME escape/sweep COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/limits/sweep.py
           $<TARGET_FILE:cloche>)
  add_test(NAME escape/chaos COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/jail/chaos.py
           $<TARGET_FILE:cloche> 20)
endif()

# Inside Node, whose own handler for faults has to go on working.
find_program(NODE node)
if(NODE AND NOT CLOCHE_SANITIZE)
  add_library(node_addon MODULE tests/node/addon.c)
  set_target_properties(node_addon PROPERTIES PREFIX "" SUFFIX ".node")
  target_link_libraries(node_addon PRIVATE cloche_puppet cloche_flags)
  add_test(NAME embed/node COMMAND ${NODE} --expose-gc ${CMAKE_SOURCE_DIR}/tests/node/signals.js
           $<TARGET_FILE:node_addon>)
endif()

# Invariant 1, of the guests as they were translated and of the tool that holds it.
find_program(WASM_OBJDUMP wasm-objdump)
if(WASM_OBJDUMP)
  set(translated ${CMAKE_BINARY_DIR})
  if(CLOCHE_GUEST_BUILD)
    set(translated ${CLOCHE_GUEST_BUILD})
  endif()
  add_test(NAME guest/imports
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/tools/imports.py
                   $<TARGET_FILE:meter> ${translated}/guest-guest/metered.wasm
                   ${translated}/guest-puppet/metered.wasm)
endif()

# The gate beside other people's programs, and the examples of docs/policy.md: tests/gate.
add_executable(gate_driver tests/gate/driver.c)
target_link_libraries(gate_driver PRIVATE cloche_puppet cloche_flags)
foreach(target json policy pattern url path) # what fuzzers found or started from, replayed
  add_executable(replay_${target} fuzz/replay.c fuzz/fuzz_${target}.c)
  target_link_libraries(replay_${target} PRIVATE cloche_puppet cloche_flags)
  add_test(NAME fuzz/${target} COMMAND replay_${target} ${CMAKE_SOURCE_DIR}/fuzz/inputs/${target})
endforeach()
add_executable(mutate_snapshot fuzz/mutate.c fuzz/fuzz_snapshot.c)
target_link_libraries(mutate_snapshot PRIVATE cloche_puppet cloche_flags)
add_test(NAME fuzz/snapshot COMMAND mutate_snapshot 5000)
if(NOT CLOCHE_SANITIZE) # eight threads on one account, under ThreadSanitizer
  file(GLOB gate_sources CONFIGURE_DEPENDS src/json/*.c src/gate/*.c)
  add_executable(gate_threads tests/unit/gate_property_test.c ${gate_sources})
  target_include_directories(gate_threads PRIVATE tests/unit include src)
  target_compile_options(gate_threads PRIVATE -fsanitize=thread)
  target_link_options(gate_threads PRIVATE -fsanitize=thread)
  target_link_libraries(gate_threads PRIVATE cloche_flags Threads::Threads)
  add_test(NAME gate/threads
           COMMAND gate_threads eight_threads_together_spend_no_more_than_there_is)
endif()
foreach(check oracles schema_oracle model)
  add_test(NAME gate/${check} COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_SOURCE_DIR}/tests/gate/${check}.py $<TARGET_FILE:gate_driver>)
endforeach()
add_test(NAME gate/docs COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/gate/docs.py
         $<TARGET_FILE:gate_driver> ${CMAKE_SOURCE_DIR}/docs/policy.md)
add_test(NAME gate/schema COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/gate/schema.py
         $<TARGET_FILE:gate_driver> ${CMAKE_SOURCE_DIR})
set_tests_properties(gate/schema gate/schema_oracle PROPERTIES SKIP_RETURN_CODE 77)

# The command line: its small parts, and sessions of a terminal that are written down.
add_executable(units_test tests/cli/units_test.c src/cli/units.c src/cli/locate.c src/cli/tail.c)
target_include_directories(units_test PRIVATE tests/unit)
target_link_libraries(units_test PRIVATE cloche_puppet cloche_flags)
add_test(NAME cli/units_test COMMAND units_test)
if(TARGET cloche)
  add_test(NAME files/node_names COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_SOURCE_DIR}/tests/files/node_names.py $<TARGET_FILE:cloche>)
  add_test(NAME files/mounts_random COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_SOURCE_DIR}/tests/files/mounts_random.py $<TARGET_FILE:cloche> 60)
  add_test(NAME cli/terminal COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/terminal.py
           $<TARGET_FILE:cloche>)
  add_test(NAME cli/resume_py COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/resume.py
           $<TARGET_FILE:cloche>)
  add_test(NAME cli/approval_example
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/transcript.py
           $<TARGET_FILE:cloche> ${CMAKE_SOURCE_DIR}/examples/approval/README.md)
  add_test(NAME cli/schema COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/schema.py
           $<TARGET_FILE:cloche>)
  file(GLOB sessions CONFIGURE_DEPENDS tests/cli/*.t README.md docs/files.md)
  if(CLOCHE_SANITIZE) # an installed sanitized library asks its users for the sanitizers too
    list(FILTER sessions EXCLUDE REGEX "/install.t$")
  endif()
  foreach(session ${sessions})
    cmake_path(GET session STEM name)
    add_test(NAME cli/${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/transcript.py
             $<TARGET_FILE:cloche> ${session})
    set_tests_properties(cli/${name} PROPERTIES TIMEOUT 600)
  endforeach()
endif()

# The Python package, installed by pip into an environment of its own: bindings/python/tests.
if(TARGET cloche AND NOT CLOCHE_SANITIZE)
  add_test(NAME python COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/python/run.py
           ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(python PROPERTIES TIMEOUT 900)
endif()

# Shell programs that are saved and restored wherever they wait.
if(TARGET cloche)
  add_executable(shell_suspend tests/suspend/suspend.c)
  target_link_libraries(shell_suspend PRIVATE cloche_guest cloche_flags)
  add_test(NAME shell/suspend COMMAND shell_suspend ${CMAKE_SOURCE_DIR}/tests/suspend/shell.txt)
  set_tests_properties(shell/suspend PROPERTIES TIMEOUT 600)
endif()

# Shell snippets and rows of commands, through the program, beside the machine's own.
if(TARGET cloche AND NOT CLOCHE_SANITIZE)
  add_test(NAME rows/shell COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/shell/run.py
           --guest $<TARGET_FILE:cloche>)
  add_test(NAME rows/generated COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_SOURCE_DIR}/tests/shell/generate.py --guest $<TARGET_FILE:cloche> --seed 1
           --count 300 --seconds 120)
  add_test(NAME rows/spliced COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_SOURCE_DIR}/tests/shell/generate.py --splice --guest $<TARGET_FILE:cloche> --seed 1
           --count 150 --seconds 120)
  add_test(NAME docs/shell COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/shell/document.py
           --guest $<TARGET_FILE:cloche> ${CMAKE_SOURCE_DIR}/docs/shell.md)
  file(GLOB rows CONFIGURE_DEPENDS tests/bin/*.txt)
  add_subdirectory(tests/native/jq) # the machine's own jq may be of another version
  set(names)
  foreach(row ${rows})
    cmake_path(GET row STEM name)
    list(APPEND names ${name})
  endforeach()
  add_test(NAME rows/bin COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/bin/run.py
           --guest "$<TARGET_FILE:cloche> sh" --oracles $<TARGET_FILE_DIR:jq_native> ${names})
  set_tests_properties(rows/shell rows/bin PROPERTIES TIMEOUT 900)
  add_test(NAME fuzz/commands COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/fuzz/commands.py
           $<TARGET_FILE:cloche> 30 --runs 15 --seed 1)
endif()

# The guest's kernel and files as an ordinary program, always under the sanitizers: tests/native.
file(GLOB guest_sources CONFIGURE_DEPENDS guest/kernel/*.c guest/fs/*.c)
add_library(guest_native OBJECT ${guest_sources} tests/native/host.c)
target_include_directories(guest_native PUBLIC abi)
target_compile_definitions(guest_native PUBLIC _GNU_SOURCE=)
target_compile_options(guest_native PUBLIC -O1 -g -fno-strict-aliasing
                       -fsanitize=address,undefined -fno-sanitize-recover=undefined)
target_link_options(guest_native INTERFACE -fsanitize=address,undefined)
target_link_libraries(guest_native PUBLIC cloche_flags m)
file(GLOB native_tests CONFIGURE_DEPENDS tests/native/*_test.c)
foreach(source ${native_tests})
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  if(name STREQUAL heap_test) # it includes what it tests, which a native guest does not have
    target_compile_options(${name} PRIVATE -O1 -g -fsanitize=address,undefined)
    target_link_options(${name} PRIVATE -fsanitize=address,undefined)
    target_link_libraries(${name} PRIVATE cloche_flags)
  else()
    target_link_libraries(${name} PRIVATE guest_native)
  endif()
  add_test(NAME native/${name} COMMAND ${name})
endforeach()

# The shell's parser, expansion and patterns on variations of saved inputs: a guest of shell and
# commands, natively and under the sanitizers. One compiler is enough.
if(NOT CLOCHE_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  file(GLOB shell_sources CONFIGURE_DEPENDS guest/shell/*.c guest/bin/*.c guest/text/*.c)
  add_library(shell_native OBJECT ${shell_sources} fuzz/absent.c)
  target_link_libraries(shell_native PUBLIC guest_native)
  set(fuzzed shell_parse shell_expand glob)
  set(variations 100000 20000 100000)
  foreach(name many IN ZIP_LISTS fuzzed variations)
    add_executable(vary_${name} fuzz/vary.c fuzz/fuzz_${name}.c)
    target_link_libraries(vary_${name} PRIVATE shell_native guest_native)
    add_test(NAME fuzz/${name}
             COMMAND vary_${name} ${many} 1 ${CMAKE_SOURCE_DIR}/fuzz/inputs/${name})
  endforeach()
  # A process that ends leaves its memory to its heap, which a native guest has not.
  set_tests_properties(fuzz/shell_expand PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()

# Programs that are moved while they wait: saved and restored, forked, parked, into fresh processes.
add_executable(pipeline_test tests/suspend/pipeline_test.c)
target_include_directories(pipeline_test PRIVATE tests/unit)
target_link_libraries(pipeline_test PRIVATE cloche_pipeline cloche_flags)
add_test(NAME suspend/pipeline COMMAND pipeline_test)
if(TARGET cloche)
  add_executable(suspend_test tests/suspend/suspend_test.c)
  target_include_directories(suspend_test PRIVATE tests/unit)
  target_link_libraries(suspend_test PRIVATE cloche_guest cloche_flags)
  add_test(NAME suspend/programs COMMAND suspend_test)
  set_tests_properties(suspend/programs PROPERTIES TIMEOUT 600)
endif()
