# SPDX-License-Identifier: Apache-2.0

# What `cmake --install` installs for those who build on Fairway: for each of fairway_components its headers, its static library and
# its targets, as the component MODULE-dev.

# fairway_install_module(NAME): the headers that NAME offers, with those of its own internal/ that they include; its library; its targets.
set(fairway_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Fairway)
function(fairway_install_module name)
  file(GLOB_RECURSE headers RELATIVE ${fairway_SOURCE_DIR}/src ${fairway_SOURCE_DIR}/src/${name}/*.h)
  list(FILTER headers EXCLUDE REGEX "/internal/")
  set(waiting ${headers})
  while(waiting)
    list(POP_FRONT waiting header)
    file(STRINGS ${fairway_SOURCE_DIR}/src/${header} includes REGEX "^#include \"${name}/internal/")
    foreach(include ${includes})
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" include "${include}")
      if(NOT include IN_LIST headers)
        list(APPEND headers ${include})
        list(APPEND waiting ${include})
      endif()
    endforeach()
  endwhile()
  set(installed ${PROJECT_BINARY_DIR}/install/include)
  install(CODE "
    include(\"${fairway_SOURCE_DIR}/cmake/prefix_includes.cmake\")
    foreach(header ${headers})
      fairway_prefix_includes(\"${fairway_SOURCE_DIR}/src/\${header}\" \"${installed}/\${header}\" \"${fairway_components}\")
    endforeach()
  " COMPONENT ${name}-dev)
  foreach(header ${headers})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${installed}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fairway/${folder} COMPONENT ${name}-dev)
  endforeach()
  install(TARGETS fairway_${name} EXPORT Fairway-${name}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name}-dev)
  # Debug symbols are nine tenths of a library.
  install(CODE "
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug --enable-deterministic-archives
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libfairway_${name}.a\" COMMAND_ERROR_IS_FATAL ANY)
  " COMPONENT ${name}-dev)
  if(name STREQUAL "k8s")
    install(TARGETS fairway-crd-paths EXPORT Fairway-k8s
      RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/fairway COMPONENT k8s-dev)
    install(CODE "
      execute_process(COMMAND \"${CMAKE_STRIP}\"
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBEXECDIR}/fairway/fairway-crd-paths\" COMMAND_ERROR_IS_FATAL ANY)
    " COMPONENT k8s-dev)
  endif()
  install(EXPORT Fairway-${name} FILE Fairway-${name}.cmake NAMESPACE Fairway:: DESTINATION ${fairway_cmake_dir} COMPONENT ${name}-dev)
  # What it links, for FairwayConfig.cmake.
  get_property(links GLOBAL PROPERTY fairway_links_${name})
  set(components ${links})
  list(FILTER components INCLUDE REGEX "^fairway_")
  list(TRANSFORM components REPLACE "^fairway_" "")
  list(FILTER links EXCLUDE REGEX "^fairway_")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/install/Fairway-${name}-links.cmake @ONLY
    CONTENT "set(Fairway_${name}_COMPONENTS \"@components@\")\nset(Fairway_${name}_LIBRARIES \"@links@\")\n")
  install(FILES ${PROJECT_BINARY_DIR}/install/Fairway-${name}-links.cmake DESTINATION ${fairway_cmake_dir} COMPONENT ${name}-dev)
endfunction()

foreach(component ${fairway_components})
  if(TARGET fairway_${component})
    fairway_install_module(${component})
  endif()
endforeach()
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/FairwayConfig.cmake.in ${PROJECT_BINARY_DIR}/install/FairwayConfig.cmake
  INSTALL_DESTINATION ${fairway_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/FairwayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/FairwayConfig.cmake ${PROJECT_BINARY_DIR}/install/FairwayConfigVersion.cmake
  cmake/dependencies.cmake cmake/embed.cmake DESTINATION ${fairway_cmake_dir} COMPONENT base-dev)
