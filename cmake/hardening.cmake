# SPDX-License-Identifier: Apache-2.0

# What makes a fault in memory an end rather than a way in, for all that is built, so that tests run what is installed.
# docs/decisions.md says what each costs; ./dev lint looks for them in the built programs.

# Bounds of the standard library's containers: with sanitizers, too.
add_compile_definitions(_GLIBCXX_ASSERTIONS)
if(NOT FAIRWAY_SANITIZE)
  add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    # For CET, which guards nothing before the distribution's start-up code is compiled for it, too.
    add_compile_options(-fcf-protection=full)
  endif()
  add_link_options(-pie LINKER:-z,relro LINKER:-z,now)
  # It needs a compiler that optimises; distributions may ask for less of it.
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
endif()
