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
