# The libraries that Fairway's modules link: Debian 12's packages, named in scripts/packages. A library is looked for only where a module
# that is built, or a component that a project asks for, links it. This file is installed, too: static libraries link what they need in
# the project that links them.

# fairway_find(TARGET...): finds the libraries of these imported targets. An error names what is missing.
macro(fairway_find)
  foreach(fairway_target ${ARGN})
    if(TARGET ${fairway_target})
      continue()
    elseif(fairway_target MATCHES "^Boost::(.+)$")
      find_package(Boost 1.81 REQUIRED COMPONENTS ${CMAKE_MATCH_1})
    elseif(fairway_target MATCHES "^OpenSSL::")
      find_package(OpenSSL 3 REQUIRED)
    elseif(fairway_target STREQUAL "SQLite::SQLite3")
      find_package(SQLite3 3.40 REQUIRED)
    elseif(fairway_target MATCHES "^PkgConfig::fairway_(.+)$")
      # A library that has data for pkg-config alone.
      find_package(PkgConfig REQUIRED)
      set(fairway_pkg_module ${CMAKE_MATCH_1})
      pkg_check_modules(fairway_${fairway_pkg_module} REQUIRED IMPORTED_TARGET GLOBAL ${fairway_pkg_module})
    elseif(fairway_target MATCHES "^(.+)::")
      find_package(${CMAKE_MATCH_1} REQUIRED)
    endif()
  endforeach()
endmacro()
