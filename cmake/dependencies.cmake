# SPDX-License-Identifier: Apache-2.0

# The libraries that Fairway's modules link: Debian 12's packages, named in scripts/packages. A library is looked for only where a module
# that is built, or a component that a project asks for, links it. This file is installed, too: static libraries link what they need in
# the project that links them.

# fairway_find(TARGET...): finds the libraries of these imported targets. fairway_find_options: what find_package is told with each,
# REQUIRED if nothing is set: then an error names what is missing.
macro(fairway_find)
  if(NOT DEFINED fairway_find_options)
    set(fairway_find_options REQUIRED)
  endif()
  foreach(fairway_target ${ARGN})
    if(TARGET ${fairway_target})
      continue()
    elseif(fairway_target MATCHES "^Boost::(.+)$")
      find_package(Boost 1.81 ${fairway_find_options} COMPONENTS ${CMAKE_MATCH_1})
    elseif(fairway_target MATCHES "^OpenSSL::")
      find_package(OpenSSL 3 ${fairway_find_options})
    elseif(fairway_target STREQUAL "SQLite::SQLite3")
      find_package(SQLite3 3.40 ${fairway_find_options})
    elseif(fairway_target MATCHES "^PkgConfig::fairway_(.+)$")
      # A library that has data for pkg-config alone.
      set(fairway_pkg_module ${CMAKE_MATCH_1})
      find_package(PkgConfig ${fairway_find_options})
      if(PkgConfig_FOUND)
        pkg_check_modules(fairway_${fairway_pkg_module} ${fairway_find_options} IMPORTED_TARGET GLOBAL ${fairway_pkg_module})
      endif()
    elseif(fairway_target MATCHES "^(.+)::")
      find_package(${CMAKE_MATCH_1} ${fairway_find_options})
    endif()
  endforeach()
endmacro()
