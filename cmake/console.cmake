# SPDX-License-Identifier: Apache-2.0

# The console (console/): bundled by esbuild while Fairway is built, compressed, and embedded as C++. That takes Node.js and npm, and the
# registry of npm the first time.
set(FAIRWAY_CONSOLE AUTO CACHE STRING
  "The page for people at /console: ON (an error where it cannot be built), OFF, or AUTO (left out, with a message, where it cannot)")
set_property(CACHE FAIRWAY_CONSOLE PROPERTY STRINGS AUTO ON OFF)

# fairway_write_no_console(HEADER): the table of files, without any.
function(fairway_write_no_console header)
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT [[
// Without Node.js there are no files of the console.
#pragma once
#include <array>
#include "console/internal/assets.h"
namespace fairway::console {
inline constexpr std::array<Asset, 0> embedded_files{};
}
]])
endfunction()

# fairway_leave_out_console(HEADER WHY): a build without the console, said where somebody reads it.
function(fairway_leave_out_console header why)
  if(FAIRWAY_CONSOLE STREQUAL "ON")
    message(FATAL_ERROR "FAIRWAY_CONSOLE is ON, and the console cannot be built: ${why}")
  endif()
  message(STATUS "The console is left out of the build (/console will say so): ${why}")
  fairway_write_no_console(${header})
  # What the bill of materials reads of an earlier build.
  file(REMOVE ${PROJECT_BINARY_DIR}/console/site/bundled.json)
  set_property(GLOBAL PROPERTY fairway_console_left_out "${why}")
endfunction()

# fairway_install_console_modules(RESULT FOLDER): has npm install what the bundler needs into FOLDER/node_modules, by the lock and without
# scripts of packages, once for each lock. RESULT: empty, or why it failed.
function(fairway_install_console_modules result folder)
  set(${result} "" PARENT_SCOPE)
  file(SHA256 ${PROJECT_SOURCE_DIR}/console/package-lock.json lock)
  if(EXISTS ${folder}/installed)
    file(READ ${folder}/installed installed)
    if(installed STREQUAL lock)
      return()
    endif()
  endif()
  # Where the registry is not reached, that is asked once in ten minutes, unless the console has to be there.
  if(EXISTS ${folder}/failed AND NOT FAIRWAY_CONSOLE STREQUAL "ON")
    file(TIMESTAMP ${folder}/failed failed_at "%s" UTC)
    string(TIMESTAMP now "%s" UTC)
    math(EXPR seconds "${now} - ${failed_at}")
    if(seconds LESS 600)
      set(${result} "npm could not install its packages a short time ago; to ask again now, remove ${folder}/failed" PARENT_SCOPE)
      return()
    endif()
  endif()
  file(REMOVE ${folder}/installed ${folder}/failed)
  file(MAKE_DIRECTORY ${folder})
  file(COPY ${PROJECT_SOURCE_DIR}/console/package.json ${PROJECT_SOURCE_DIR}/console/package-lock.json DESTINATION ${folder})
  message(STATUS "Installing the packages of the console by npm")
  execute_process(COMMAND ${FAIRWAY_NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline
      --fetch-retries=0 --fetch-timeout=10000
    WORKING_DIRECTORY ${folder}
    RESULT_VARIABLE status OUTPUT_VARIABLE told ERROR_VARIABLE told)
  if(NOT status EQUAL 0)
    # Warnings stand before it.
    string(REGEX MATCH "npm (error|ERR!)[^\n]+" first "${told}")
    if(NOT first)
      string(REGEX MATCH "[^\n]+" first "${told}")
    endif()
    file(WRITE ${folder}/failed "${told}")
    set(${result} "npm could not install its packages: ${first}" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${folder}/installed ${lock})
endfunction()

# fairway_embed_console(TARGET): the header embedded_assets.h for TARGET, with the console's files, or with none and a message that says
# why.
function(fairway_embed_console target)
  set(embedded ${PROJECT_BINARY_DIR}/embedded/${target})
  set(header ${embedded}/embedded_assets.h)
  target_include_directories(${target} PRIVATE ${embedded})
  set_property(GLOBAL PROPERTY fairway_console_left_out "")
  if(FAIRWAY_CONSOLE STREQUAL "OFF")
    fairway_leave_out_console(${header} "FAIRWAY_CONSOLE is OFF")
    return()
  endif()
  find_program(FAIRWAY_NODE NAMES node nodejs)
  find_program(FAIRWAY_NPM npm)
  mark_as_advanced(FAIRWAY_NODE FAIRWAY_NPM)
  if(NOT FAIRWAY_NODE OR NOT FAIRWAY_NPM)
    fairway_leave_out_console(${header} "Node.js (node) or npm is missing; ./dev build installs them")
    return()
  endif()
  execute_process(COMMAND ${FAIRWAY_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
    fairway_leave_out_console(${header} "${FAIRWAY_NODE} is Node.js ${version}, and 18 is the oldest that will do")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/console/package-lock.json)
  set(folder ${PROJECT_BINARY_DIR}/console)
  fairway_install_console_modules(failure ${folder})
  if(failure)
    fairway_leave_out_console(${header} "${failure}")
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/console/src/*)
  # For who reads sources without building them: Ninja makes what its log does not know.
  if(NOT EXISTS ${header})
    fairway_write_no_console(${header})
  endif()
  # bundled.json, too: without it there was a build without the console since.
  add_custom_command(OUTPUT ${header} ${folder}/site/bundled.json
    COMMAND ${FAIRWAY_NODE} ${PROJECT_SOURCE_DIR}/console/build.mjs --modules ${folder}/node_modules --out ${folder}/site --header ${header}
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/console/build.mjs ${PROJECT_SOURCE_DIR}/console/index.html
      ${PROJECT_SOURCE_DIR}/console/icon.svg ${folder}/installed
    COMMENT "Bundling the console" VERBATIM)
  target_sources(${target} PRIVATE ${header})
  message(STATUS "The console is built by Node.js ${version}")
endfunction()
