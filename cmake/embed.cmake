# fairway_embed(TARGET FILE NAME): the text of FILE as the constant NAME of the header "FILE's name.h", for TARGET. Installed, too.
function(fairway_embed target file name)
  file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${file} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  get_filename_component(base ${file} NAME)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}/${base}.h @ONLY
    CONTENT "// The text of ${file}.\n#pragma once\n\ninline constexpr const char* ${name} = R\"__text__(@text@)__text__\";\n")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target})
endfunction()

# fairway_crd_paths(TARGET FILE): the header "FILE's base name.paths.h", for TARGET: for each version of each kind that FILE, a YAML text of
# CustomResourceDefinitions, defines, a table of its members, crd::widget_v1 for Widget in v1. A view that derives from
# k8s::Checked<k8s::Dynamic, crd::widget_v1> compiles only with paths that the kind has (docs/sdk.md). Installed, too.
function(fairway_crd_paths target file)
  cmake_path(GET file STEM base)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target})
  set(header ${folder}/${base}.paths.h)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${header} COMMAND Fairway::crd-paths ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${header}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} Fairway::crd-paths VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
