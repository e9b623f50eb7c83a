# SPDX-License-Identifier: MIT
# cloche_add_guest(NAME SOURCES file... OBJECTS file.o... OPTIONS flag... ASYNCIFY list.txt...
#                  PARTS count LINK_STACK bytes INTERPRETERS function...
#                  HOT file... FAST_PARTS count COLD file-or-object... SMALL_PARTS count)
#
# Makes the static library cloche_NAME: the runtime of src/sandbox around one translated guest and its
# booted image. The product's guest is one; tests add smaller ones. SMALL: it is always built here, also when
# CLOCHE_GUEST_BUILD brings the others.

set(WASM_CLANG clang-14 CACHE STRING "Compiles the guest")
set(WASM_LD wasm-ld-14 CACHE STRING "Links the guest; not through clang, which would run wasm-opt")
set(WASM_NM llvm-nm-14 CACHE STRING "Lists the functions of the guest's objects")
set(WASM_SYSROOT /usr/lib/wasm32-wasi CACHE PATH "wasi-libc's libraries")
set(WASM_BUILTINS /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a
    CACHE FILEPATH "Compiler support routines")
set(CLOCHE_GUEST_BUILD "" CACHE PATH
    "A build folder whose translated and compiled guests are taken over; saves minutes")
set(WASM_FLAGS --target=wasm32-wasi -O2 -g0 -mbulk-memory -msign-ext -mnontrapping-fptoint
    -mmutable-globals -ftls-model=local-exec -fno-strict-aliasing -fvisibility=hidden
    -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -D_GNU_SOURCE=)
set(GUEST_EXPORTS boot control inbox step meter_fuel meter_stack_limit meter_stack meter_set_stack)

if(NOT CLOCHE_TRANSLATED)
  add_executable(meter tools/meter.c)
  target_compile_options(meter PRIVATE -Wall -Wextra $<$<BOOL:${CLOCHE_WERROR}>:-Werror>)
endif()

# One wasm object. Warnings are errors in our sources only.
function(wasm_object source object)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${source} NORMALIZE generated)
  set(warnings -Wall -Wextra)
  if(CLOCHE_WERROR)
    list(APPEND warnings -Werror)
  endif()
  if(generated)
    set(warnings -w)
  endif()
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${WASM_CLANG} ${WASM_FLAGS} ${warnings} ${ARG_OPTIONS} -I${CMAKE_SOURCE_DIR}/abi
            -MMD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Guest ${source}"
    VERBATIM)
endfunction()

# How translated code is compiled, by the kinds of its parts. The guest keeps one optimisation whatever the host's
# build type; its arithmetic is exact.
function(guest_options target)
  cmake_parse_arguments(OF "" "INTERPRETERS" "PLAIN;SMALL" ${ARGN})
  # Commands that read their input once, and what is looked at once a run.
  set_source_files_properties(${OF_SMALL} PROPERTIES COMPILE_OPTIONS -Os)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    # Room between functions and before loops: 4 % of the code, which only the engine is worth.
    set_source_files_properties(${OF_PLAIN} PROPERTIES COMPILE_OPTIONS
      "-fno-align-functions;-fno-align-jumps;-fno-align-loops;-fno-align-labels")
    # A jump at the end of every case is what one wants here; these would make one of them all again.
    set_source_files_properties(${OF_INTERPRETERS} PROPERTIES COMPILE_OPTIONS
      "-fno-gcse;-fno-crossjumping;-fno-tree-tail-merge;--param=max-goto-duplication-insns=40")
  endif()
  # The call of the import is not known as one to the compiler: no red zone, which it would overwrite.
  # cselim breaks on stores through a segment register (gcc 12 stops with an internal error).
  target_compile_options(${target} PRIVATE -O2 -g0 -w -ffp-contract=off -fno-strict-aliasing -fno-asynchronous-unwind-tables
                         -fno-sanitize=all $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-mno-red-zone> $<$<C_COMPILER_ID:GNU>:-fno-tree-cselim>)
endfunction()

# The C files that split.py makes: PREFIX_0.c, PREFIX_1.c, ...
function(guest_parts variable prefix count)
  set(files)
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(number RANGE ${last})
      list(APPEND files ${prefix}_${number}.c)
    endforeach()
  endif()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# The translated guest's parts, all in one folder -> the object library guest_NAME. split.py's names tell
# how each is compiled.
function(guest_compile name folder)
  add_library(guest_${name} OBJECT ${ARGN})
  target_include_directories(guest_${name} PRIVATE ${folder} ${CMAKE_SOURCE_DIR}/src/sandbox)
  set(plain ${ARGN})
  list(FILTER plain INCLUDE REGEX "/guest_[0-9]+\\.c$")
  set(small ${ARGN})
  list(FILTER small INCLUDE REGEX "/guest_small_[0-9]+\\.c$")
  guest_options(guest_${name} PLAIN ${plain} SMALL ${small} INTERPRETERS ${folder}/guest_interpreters.c)
endfunction()

# Sources -> wasm -> C -> the object library guest_NAME, everything in the folder guest-NAME.
function(guest_translate name)
  cmake_parse_arguments(ARG "" "PARTS;LINK_STACK;FAST_PARTS;SMALL_PARTS"
                        "SOURCES;OBJECTS;OPTIONS;ASYNCIFY;INTERPRETERS;HOT;COLD" ${ARGN})
  set(dir ${CMAKE_BINARY_DIR}/guest-${name})
  file(MAKE_DIRECTORY ${dir})
  set(objects ${ARG_OBJECTS})
  set(fast)
  set(small)
  foreach(object ${ARG_OBJECTS})
    if(object IN_LIST ARG_COLD)
      list(APPEND small ${object})
    endif()
  endforeach()
  foreach(source ${ARG_SOURCES})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE label)
    string(REGEX REPLACE "[^A-Za-z0-9_.-]" "_" label ${label})
    set(options ${ARG_OPTIONS})
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${source} NORMALIZE fetched)
    if(fetched) # guest/js/engine.c says why
      list(APPEND options -DNDEBUG)
    endif()
    if(source IN_LIST ARG_HOT)
      list(APPEND options -O3)
    endif()
    wasm_object(${source} ${dir}/${label}.o OPTIONS ${options})
    list(APPEND objects ${dir}/${label}.o)
    if(source IN_LIST ARG_HOT)
      list(APPEND fast ${dir}/${label}.o)
    elseif(source IN_LIST ARG_COLD)
      list(APPEND small ${dir}/${label}.o)
    endif()
  endforeach()

  list(TRANSFORM GUEST_EXPORTS PREPEND --export-if-defined= OUTPUT_VARIABLE exports)
  add_custom_command(
    OUTPUT ${dir}/linked.wasm
    COMMAND ${WASM_LD} --fatal-warnings --no-entry --stack-first -z stack-size=${ARG_LINK_STACK} ${exports}
            --export=__stack_pointer -L${WASM_SYSROOT} ${objects} -lc-printscan-long-double -lc -lwasi-emulated-process-clocks
            -lwasi-emulated-signal -lwasi-emulated-getpid -lm ${WASM_BUILTINS} -o ${dir}/linked.wasm
    DEPENDS ${objects}
    COMMENT "Linking the ${name} guest"
    VERBATIM)

  # Functions that wait through a pointer, one per line, "#" for comments.
  set(lists ${ARG_ASYNCIFY})
  add_custom_command(
    OUTPUT ${dir}/guest.c ${dir}/guest.h ${dir}/metered.wasm
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/translate.py --meter $<TARGET_FILE:meter>
            --out ${dir} ${dir}/linked.wasm ${lists}
    DEPENDS ${dir}/linked.wasm meter ${CMAKE_SOURCE_DIR}/tools/translate.py ${lists}
    COMMENT "Asyncify, meter and wasm2c on the ${name} guest"
    VERBATIM)

  list(TRANSFORM fast PREPEND "fast " OUTPUT_VARIABLE kinds)
  list(TRANSFORM small PREPEND "small " OUTPUT_VARIABLE small_kinds)
  list(JOIN kinds "\n" kinds)
  list(JOIN small_kinds "\n" small_kinds)
  file(WRITE ${dir}/kinds.txt.new "${kinds}\n${small_kinds}\n")
  file(COPY_FILE ${dir}/kinds.txt.new ${dir}/kinds.txt ONLY_IF_DIFFERENT)
  guest_parts(plain ${dir}/parts/guest "${ARG_PARTS}")
  guest_parts(fast_parts ${dir}/parts/guest_fast "${ARG_FAST_PARTS}")
  guest_parts(small_parts ${dir}/parts/guest_small "${ARG_SMALL_PARTS}")
  set(kinds)
  if(fast OR small)
    set(kinds --kinds ${dir}/kinds.txt --nm ${WASM_NM} --fast ${ARG_FAST_PARTS} --small ${ARG_SMALL_PARTS})
  endif()
  set(parts ${plain} ${fast_parts} ${small_parts} ${dir}/parts/guest_interpreters.c ${dir}/parts/guest_start.c)
  file(MAKE_DIRECTORY ${dir}/parts)
  add_custom_command(
    OUTPUT ${parts} ${dir}/parts/guest_code.h ${dir}/parts/guest.translated.h
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/split.py ${kinds} ${dir}/guest.c guest
            ${ARG_PARTS} ${dir}/parts ${ARG_INTERPRETERS}
    COMMAND ${CMAKE_COMMAND} -E copy ${dir}/guest.h ${dir}/parts/guest.h
    COMMAND ${CMAKE_COMMAND} -E copy ${dir}/guest.h ${dir}/parts/guest.translated.h
    DEPENDS ${dir}/guest.c ${dir}/kinds.txt ${CMAKE_SOURCE_DIR}/tools/split.py
    VERBATIM)
  guest_compile(${name} ${dir}/parts ${parts})
endfunction()

# The same from a build that has been through all that. Its objects fit any host compiler and flags.
function(guest_import name)
  set(parts guest-${name}/parts)
  file(GLOB sources ${CLOCHE_GUEST_BUILD}/${parts}/*.c) # objects may be left of an older number of parts
  set(objects)
  foreach(source ${sources})
    cmake_path(GET source FILENAME part)
    list(APPEND objects ${CLOCHE_GUEST_BUILD}/CMakeFiles/guest_${name}.dir/${parts}/${part}.o)
    list(GET objects -1 object)
    if(NOT EXISTS ${object})
      set(objects)
      break()
    endif()
  endforeach()
  if(NOT objects)
    message(FATAL_ERROR "${CLOCHE_GUEST_BUILD} holds no compiled guest \"${name}\"")
  endif()
  add_library(guest_${name} OBJECT IMPORTED)
  set_property(TARGET guest_${name} PROPERTY IMPORTED_OBJECTS ${objects})
endfunction()

function(cloche_add_guest name)
  cmake_parse_arguments(OWN "SMALL" "" "" ${ARGN})
  if(CLOCHE_GUEST_BUILD AND NOT OWN_SMALL)
    guest_import(${name} ${ARGN})
    set(dir ${CLOCHE_GUEST_BUILD}/guest-${name})
  elseif(CLOCHE_TRANSLATED)
    set(dir ${CLOCHE_TRANSLATED}/guest-${name})
    file(GLOB parts ${dir}/parts/*.c)
    guest_compile(${name} ${dir}/parts ${parts})
  else()
    guest_translate(${name} ${ARGN})
    set(dir ${CMAKE_BINARY_DIR}/guest-${name})
  endif()

  # The runtime: everything in src/sandbox but the embedded image, which the boot program makes.
  file(GLOB runtime CONFIGURE_DEPENDS src/sandbox/*.c src/sandbox/*.S src/json/*.c src/gate/*.c
       src/ledger/*.c src/accounts/*.c src/*.c)
  add_library(runtime_${name} OBJECT ${runtime})
  target_include_directories(runtime_${name} PUBLIC include src abi ${dir}/parts src/sandbox)
  target_compile_definitions(runtime_${name} PRIVATE CLOCHE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(runtime_${name} PUBLIC cloche_flags PkgConfig::SODIUM PkgConfig::SQLITE PkgConfig::ZSTD Threads::Threads m)
  add_dependencies(runtime_${name} guest_${name})

  add_executable(boot_${name} tools/image.c)
  target_link_libraries(boot_${name} PRIVATE runtime_${name} guest_${name} cloche_flags)
  target_include_directories(boot_${name} PRIVATE ${dir}/parts)
  set(own ${CMAKE_BINARY_DIR}/guest-${name})
  file(MAKE_DIRECTORY ${own})
  add_custom_command(
    OUTPUT ${own}/guest.image
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:boot_${name}>
            ${own}/guest.image
    DEPENDS boot_${name}
    COMMENT "Booting the ${name} guest"
    VERBATIM)
  set(data ${own}/image_data.S)
  file(WRITE ${data}.new
    "  .section .rodata\n  .balign 4096\n  .globl cloche__image_data\n  .hidden cloche__image_data\n"
    "cloche__image_data:\n  .incbin \"${own}/guest.image\"\n"
    "  .globl cloche__image_data_end\n  .hidden cloche__image_data_end\ncloche__image_data_end:\n"
    "  .section .note.GNU-stack, \"\", %progbits\n")
  file(COPY_FILE ${data}.new ${data} ONLY_IF_DIFFERENT)
  set_source_files_properties(${data} PROPERTIES OBJECT_DEPENDS ${own}/guest.image)

  add_library(image_${name} OBJECT ${data})
  add_library(cloche_${name} STATIC $<TARGET_OBJECTS:image_${name}>
              $<TARGET_OBJECTS:runtime_${name}> $<TARGET_OBJECTS:guest_${name}>)
  target_include_directories(cloche_${name} PUBLIC include src abi ${dir}/parts src/sandbox)
  target_link_libraries(cloche_${name} PUBLIC PkgConfig::SODIUM PkgConfig::SQLITE PkgConfig::ZSTD Threads::Threads m)
  if(CLOCHE_SANITIZE)
    target_link_options(cloche_${name} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()
