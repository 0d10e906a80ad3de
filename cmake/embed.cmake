# SPDX-License-Identifier: Apache-2.0

# fairway_embed(TARGET FILE NAME): the text of FILE as the constant NAME of the header "FILE's name.h", for TARGET. Installed, too.
function(fairway_embed target file name)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
  file(READ ${path} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  get_filename_component(base ${file} NAME)
  # A system header: strict compilers find a text too long.
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}/${base}.h @ONLY
    CONTENT "// The text of ${base}.\n#pragma once\n#pragma GCC system_header\n
inline constexpr const char* ${name} = R\"__text__(@text@)__text__\";\n")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target})
endfunction()

# fairway_crd_paths(TARGET FILE): the header "FILE without its last ending.paths.h", for TARGET: for each version of each kind that FILE,
# a YAML text of CustomResourceDefinitions, defines, a table of its members, crd::widget_v1 for Widget in v1. A view that derives from
# k8s::Checked<k8s::Dynamic, crd::widget_v1> compiles only with paths that the kind has (docs/sdk.md). Installed, too.
function(fairway_crd_paths target file)
  if(NOT TARGET Fairway::crd-paths)
    message(FATAL_ERROR "fairway_crd_paths needs the component k8s of Fairway, or one that links it")
  endif()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
  cmake_path(GET file STEM LAST_ONLY base)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target})
  set(header ${folder}/${base}.paths.h)
  file(MAKE_DIRECTORY ${folder})
  # CMake has no emulator for programs that it imports: who compiles for another machine takes that of this one.
  set(tool Fairway::crd-paths)
  get_target_property(imported ${tool} IMPORTED)
  if(CMAKE_CROSSCOMPILING AND imported)
    find_program(FAIRWAY_CRD_PATHS fairway-crd-paths PATHS /usr/libexec/fairway NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    set(tool ${FAIRWAY_CRD_PATHS})
  endif()
  add_custom_command(OUTPUT ${header} COMMAND ${tool} ${path} ${header} DEPENDS ${path} ${tool} VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
