# SPDX-License-Identifier: Apache-2.0

# Several source files compiled as one, which reads the headers that they share once: a third of the time of a whole build.
# scripts/unity/groups.py says which. `./dev lint` reads each file by itself, so that an include that is missing is noticed.
if(FAIRWAY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ takes a .cc that another includes for a header.
  add_compile_options(-Wno-subobject-linkage)
endif()
# How many files at most: a change of one compiles its neighbours, too. `./dev up` and the sanitizers compile them all.
set(fairway_unity_files 12)
if(CMAKE_BUILD_TYPE MATCHES "^(Trial|Sanitize)$")
  set(fairway_unity_files 30)
endif()

# fairway_unify(): for the targets of this folder, once they have all their sources.
function(fairway_unify)
  if(NOT FAIRWAY_UNITY)
    return()
  endif()
  find_program(FAIRWAY_PYTHON python3 REQUIRED)
  set(lists "")
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
      continue()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cc$")
    set(paths "")
    foreach(source ${sources})
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND paths ${source})
    endforeach()
    string(APPEND lists "${target};${paths}\n")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/unity/targets CONTENT "@lists@" @ONLY)
  execute_process(COMMAND ${FAIRWAY_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/unity/groups.py ${PROJECT_BINARY_DIR}/unity/targets
    ${fairway_unity_files} OUTPUT_FILE ${PROJECT_BINARY_DIR}/unity/groups.cmake COMMAND_ERROR_IS_FATAL ANY)
  include(${PROJECT_BINARY_DIR}/unity/groups.cmake)
endfunction()
