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
    elseif(fairway_target STREQUAL "gRPC::grpc++")
      # pkg-config reads the two hundred files of Abseil a score of times for it, ten seconds in all, and gRPC's own files for CMake want
      # its code generators, too.
      find_library(FAIRWAY_GRPC_LIBRARY grpc++ ${fairway_find_options})
      find_library(FAIRWAY_GPR_LIBRARY gpr ${fairway_find_options})
      find_library(FAIRWAY_ABSL_SYNCHRONIZATION_LIBRARY absl_synchronization ${fairway_find_options})
      find_path(FAIRWAY_GRPC_INCLUDE_DIR grpcpp/grpcpp.h ${fairway_find_options})
      mark_as_advanced(FAIRWAY_GRPC_LIBRARY FAIRWAY_GPR_LIBRARY FAIRWAY_ABSL_SYNCHRONIZATION_LIBRARY FAIRWAY_GRPC_INCLUDE_DIR)
      if(FAIRWAY_GRPC_LIBRARY AND FAIRWAY_GPR_LIBRARY AND FAIRWAY_ABSL_SYNCHRONIZATION_LIBRARY AND FAIRWAY_GRPC_INCLUDE_DIR)
        add_library(gRPC::grpc++ INTERFACE IMPORTED GLOBAL)
        target_include_directories(gRPC::grpc++ INTERFACE ${FAIRWAY_GRPC_INCLUDE_DIR})
        target_link_libraries(gRPC::grpc++ INTERFACE
          ${FAIRWAY_GRPC_LIBRARY} ${FAIRWAY_GPR_LIBRARY} ${FAIRWAY_ABSL_SYNCHRONIZATION_LIBRARY})
      endif()
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
