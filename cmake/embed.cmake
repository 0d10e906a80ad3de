# SPDX-License-Identifier: Apache-2.0

# fairway_embed(TARGET FILE NAME): the text of FILE as the constant NAME of the header "FILE's name.h", for TARGET. Installed, too. Two
# files of one name would be one header: that is an error.
function(fairway_embed target file name)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
  file(READ ${path} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  get_filename_component(base ${file} NAME)
  fairway_claim_header(${target} ${base}.h ${path} "fairway_embed")
  set(literal "R\"__text__(${text})__text__\"")
  # CMake and compilers read the line ends of Windows as \n. Where there may be some, or the end of a raw string, each byte is escaped.
  file(READ ${path} bytes HEX)
  string(FIND "${text}" ")__text__\"" end)
  if(bytes MATCHES 0d OR NOT end EQUAL -1)
    string(REGEX REPLACE "(..)" "\\\\x\\1" literal "${bytes}")
    set(literal "\"${literal}\"")
  endif()
  # A system header: strict compilers find a text too long.
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}/${base}.h @ONLY
    CONTENT "// The text of ${base}.\n#pragma once\n#pragma GCC system_header\n
inline constexpr const char* ${name} = @literal@;\n")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target})
endfunction()

# fairway_claim_header(TARGET HEADER FILE FUNCTION): that HEADER of TARGET is made of FILE alone.
function(fairway_claim_header target header file function)
  get_property(of TARGET ${target} PROPERTY fairway_header_${header})
  if(of AND NOT of STREQUAL file)
    message(FATAL_ERROR "${function} makes the header ${header} of ${file} for ${target}, which has one of ${of} by that name; "
      "rename one of the files, or link another target that has it")
  endif()
  set_property(TARGET ${target} PROPERTY fairway_header_${header} ${file})
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
  fairway_claim_header(${target} ${base}.paths.h ${path} "fairway_crd_paths")
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
