# SPDX-License-Identifier: MIT
# What a build for the wheel decides before the library is set up: take over the guest of the
# checkout's own build folder if there is one, and link what would have to be installed statically.
if(NOT CLOCHE_GUEST_BUILD AND
   EXISTS ${CMAKE_SOURCE_DIR}/build/CMakeFiles/guest_guest.dir/guest-guest/parts/guest_5.c.o)
  message(STATUS "Taking over the compiled guest of ${CMAKE_SOURCE_DIR}/build")
  set(CLOCHE_GUEST_BUILD ${CMAKE_SOURCE_DIR}/build)
endif()
