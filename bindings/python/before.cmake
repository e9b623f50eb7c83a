# SPDX-License-Identifier: MIT
# Before the library of a wheel is set up: take over the guest of the checkout's own build folder, which
# saves minutes, if there is one and nothing that it is made of has changed since.
file(GLOB objects ${CMAKE_SOURCE_DIR}/build/CMakeFiles/guest_guest.dir/guest-guest/parts/*.o)
if(objects AND NOT CLOCHE_GUEST_BUILD)
  file(GLOB_RECURSE sources ${CMAKE_SOURCE_DIR}/guest/* ${CMAKE_SOURCE_DIR}/abi/*
       ${CMAKE_SOURCE_DIR}/tools/* ${CMAKE_SOURCE_DIR}/cmake/Guest.cmake
       ${CMAKE_SOURCE_DIR}/third_party/lock.json)
  list(GET objects 0 object)
  set(changed)
  foreach(source ${sources})
    if(${source} IS_NEWER_THAN ${object})
      set(changed ${source})
    endif()
  endforeach()
  if(changed)
    message(STATUS "Not taking over the guest of ${CMAKE_SOURCE_DIR}/build: ${changed} is newer")
  else()
    message(STATUS "Taking over the compiled guest of ${CMAKE_SOURCE_DIR}/build")
    set(CLOCHE_GUEST_BUILD ${CMAKE_SOURCE_DIR}/build)
  endif()
endif()
