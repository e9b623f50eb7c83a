# SPDX-License-Identifier: MIT
# libjq and oniguruma as wasm objects, listed in JQ_OBJECTS, as guest/bin/jq/sources.txt says.
set(jq_dir ${CMAKE_SOURCE_DIR}/guest/bin/jq)
set(jq_gen ${CMAKE_BINARY_DIR}/jq)
file(MAKE_DIRECTORY ${jq_gen}/src)

# jq's own library, as the numbers of its bytes.
file(READ ${JQ_DIR}/src/builtin.jq builtins HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," builtins "${builtins}")
file(WRITE ${jq_gen}/src/builtin.inc.new "${builtins}")
file(COPY_FILE ${jq_gen}/src/builtin.inc.new ${jq_gen}/src/builtin.inc ONLY_IF_DIFFERENT)

set(jq_flags -std=gnu11 -I${jq_dir} -I${JQ_DIR}/src -I${JQ_DIR} -I${jq_gen} -I${JQ_DIR}/vendor
    -I${JQ_DIR}/vendor/oniguruma/src -w)
set(JQ_OBJECTS)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${jq_dir}/sources.txt)

function(jq_object source)
  cmake_path(GET source FILENAME name)
  set(object ${jq_gen}/${name}.o)
  if(source MATCHES "oniguruma")
    set(config -DHAVE_CONFIG_H -I${jq_dir}/onig)
  else()
    set(config -include ${jq_dir}/config.h)
  endif()
  wasm_object(${source} ${object} OPTIONS ${config} ${jq_flags} ${ARGN})
  list(APPEND JQ_OBJECTS ${object})
  set(JQ_OBJECTS ${JQ_OBJECTS} PARENT_SCOPE)
endfunction()

file(STRINGS ${jq_dir}/sources.txt lines REGEX "^[^#]")
foreach(line ${lines})
  string(REPLACE "guest/bin/jq/" "${jq_dir}/" line "${line}")
  separate_arguments(words UNIX_COMMAND "${line}")
  list(POP_FRONT words source)
  jq_object(${JQ_DIR}/${source} ${words})
endforeach()
file(GLOB jq_own CONFIGURE_DEPENDS ${jq_dir}/*.c)
foreach(source ${jq_own})
  jq_object(${source})
endforeach()
