# SPDX-License-Identifier: Apache-2.0

# Precompiled headers: what almost every file reads, compiled once. Where g++ compiles each file alone, modules do without, so that a
# header that a file forgets to include is noticed; what ./dev lint reads does without anywhere.
# Only headers of other libraries: one of ours would be read under the path of the checkout whose compilation ccache has kept.
# With sanitizers g++ 12 now and then makes a precompiled header that it crashes on wherever it is used.
option(FAIRWAY_PRECOMPILE "Use precompiled headers" ON)
if(FAIRWAY_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(FAIRWAY_PRECOMPILE OFF)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # for ccache
endif()

# fairway_precompiled(NAME HEADER...): the target NAME, whose precompiled headers others share.
function(fairway_precompiled name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/precompiled/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// ${name}\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  target_include_directories(${name} PRIVATE ${fairway_SOURCE_DIR}/src)
  # The same libraries, and so the same definitions, as those that share it.
  get_property(links GLOBAL PROPERTY fairway_links_base)
  fairway_find(${links})
  target_link_libraries(${name} PRIVATE ${links})
  if(FAIRWAY_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${name} PRIVATE -fpch-preprocess)  # for ccache
    endif()
  endif()
endfunction()

# fairway_share_precompiled(TARGET NAME): TARGET reads the precompiled headers of NAME, if there are any.
function(fairway_share_precompiled target name)
  if(FAIRWAY_PRECOMPILE AND TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

set(fairway_read_by_all
  <algorithm> <array> <atomic> <chrono> <condition_variable> <expected> <filesystem> <functional> <map> <memory> <mutex> <optional>
  <set> <stop_token> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
  <boost/json/array.hpp> <boost/json/object.hpp> <boost/json/storage_ptr.hpp> <boost/json/value.hpp>)

# Modules that compute more than they wait: clang optimises these with sanitizers, too (-O1), so that tests that limit time hold.
set(fairway_hot_modules base promql graphdata k8s)
if(NOT FAIRWAY_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(fairway_hot_modules "")
endif()

# CLI11 takes five seconds to read, and every command reads it.
if(FAIRWAY_PROGRAMS)
  fairway_find(CLI11::CLI11)
  fairway_precompiled(fairway_commands_precompiled ${fairway_read_by_all} <CLI/CLI.hpp>)
  target_link_libraries(fairway_commands_precompiled PRIVATE CLI11::CLI11)
endif()
if(FAIRWAY_PRECOMPILE AND (FAIRWAY_SANITIZE OR FAIRWAY_UNITY))
  fairway_precompiled(fairway_modules_precompiled ${fairway_read_by_all})
  if(fairway_hot_modules)
    fairway_precompiled(fairway_hot_modules_precompiled ${fairway_read_by_all})
    target_compile_options(fairway_hot_modules_precompiled PRIVATE -O1)
  endif()
  foreach(name fairway_modules_precompiled fairway_hot_modules_precompiled)
    if(FAIRWAY_FUZZ AND TARGET ${name})
      target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endforeach()
endif()
