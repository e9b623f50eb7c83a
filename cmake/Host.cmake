# SPDX-License-Identifier: MIT
# Smaller guests for tests; the library and the program come with the product's guest.
if(CLOCHE_TESTS)
  cloche_add_guest(puppet SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/puppet.c PARTS 1 LINK_STACK 65536)
endif()
