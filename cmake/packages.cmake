# SPDX-License-Identifier: Apache-2.0

# CPack's Debian packages, which `./dev package` makes: fairway, fairway-gateway, libfairway-MODULE-dev for each of fairway_components,
# libfairway-dev for all of these, and a package of debug symbols beside each program.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fairway)
set(CPACK_PACKAGE_VENDOR Fairway)
set(CPACK_PACKAGE_CONTACT "The authors of Fairway <maintainers@fairway.dev>")
set(CPACK_PACKAGE_HOMEPAGE_URL https://fairway.dev)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# One after the other: the same order, and so the same bytes.
set(CPACK_THREADS 1)
set(CPACK_COMPONENTS_ALL "")

# A package lacks the console only for who has said so.
get_property(left_out GLOBAL PROPERTY fairway_console_left_out)
if(left_out AND NOT FAIRWAY_CONSOLE STREQUAL "OFF")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/install/no_console.cmake @ONLY CONTENT "message(FATAL_ERROR
  \"no packages without the console: @left_out@; -DFAIRWAY_CONSOLE=OFF leaves it out on purpose\")\n")
  set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/install/no_console.cmake)
endif()

# fairway_package(COMPONENT NAME SECTION SUMMARY TEXT DEPENDS): a package of what the component installs.
function(fairway_package component name section summary text depends)
  string(TOUPPER ${component} variable)
  foreach(setting "PACKAGE_NAME;${name}" "PACKAGE_SECTION;${section}" "DESCRIPTION;${summary}\n${text}" "PACKAGE_DEPENDS;${depends}")
    list(POP_FRONT setting key)
    set(CPACK_DEBIAN_${variable}_${key} "${setting}" PARENT_SCOPE)
  endforeach()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/install/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endfunction()

# Compressed without a name and a time.
find_program(FAIRWAY_GZIP gzip)
foreach(file packaging/debian/changelog CHANGELOG.md)
  get_filename_component(name ${file} NAME)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  if(FAIRWAY_GZIP)
    execute_process(COMMAND ${FAIRWAY_GZIP} -9nc ${PROJECT_SOURCE_DIR}/${file}
      OUTPUT_FILE ${PROJECT_BINARY_DIR}/install/${name}.gz COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()

# fairway_package_units(COMPONENT UNIT...): the scripts of a package that has units of systemd.
function(fairway_package_units component)
  list(JOIN ARGN " " units)
  set(scripts "")
  foreach(script postinst prerm postrm)
    set(file ${PROJECT_BINARY_DIR}/install/${component}/${script})
    configure_file(packaging/debian/scripts/${script}.in ${file} @ONLY FILE_PERMISSIONS
      OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND scripts ${file})
  endforeach()
  string(TOUPPER ${component} variable)
  set(CPACK_DEBIAN_${variable}_PACKAGE_CONTROL_EXTRA "${scripts}" PARENT_SCOPE)
endfunction()

if(FAIRWAY_PROGRAMS)
  fairway_package_units(fairway fairway-serve.service fairway-apiserver.service fairway-operator.service)
  fairway_package_units(gateway fairway-gateway.service)
  fairway_package(fairway fairway admin "update service, operator and client for fleets of Kubernetes clusters"
"Fairway tells each cluster which release of its platform it may safely move
to, moves it there, and says how it is doing on the way. This package has the
update service, the operator, the client (also as a plugin of kubectl), an
embedded Kubernetes-compatible API server, and tools for graph data, risks and
conversions of custom resources." "")
  install(FILES ${PROJECT_BINARY_DIR}/install/CHANGELOG.md.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/fairway COMPONENT fairway)
  set(CPACK_DEBIAN_FAIRWAY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_FAIRWAY_DEBUGINFO_PACKAGE ON)
  set(CPACK_DEBIAN_FAIRWAY_PACKAGE_RECOMMENDS "ca-certificates")
  set(CPACK_DEBIAN_FAIRWAY_PACKAGE_SUGGESTS
    "fairway-gateway, bash-completion, curl, docker-registry, gnupg, iproute2, prometheus, python3")
  fairway_package(gateway fairway-gateway admin "controller of Gateway API that configures Envoy"
"The part of Fairway that serves Gateways and routes with Envoy 1.40, which is
not part of Debian: `fairway gateway` runs it. A status says Programmed only
once Envoy has accepted the configuration." "fairway (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_GATEWAY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_GATEWAY_DEBUGINFO_PACKAGE ON)
  set(CPACK_DEBIAN_GATEWAY_PACKAGE_SUGGESTS "envoy")
endif()

# The Debian packages of the libraries that modules link.
set(debian_Boost::json libboost-json1.81-dev)
set(debian_Boost::url libboost-url1.81-dev)
set(debian_OpenSSL::Crypto libssl-dev)
set(debian_OpenSSL::SSL libssl-dev)
set(debian_Threads::Threads libc6-dev)
set(debian_spdlog::spdlog libspdlog-dev)
set(debian_fmt::fmt libfmt-dev)
set(debian_prometheus-cpp::core prometheus-cpp-dev zlib1g-dev)
set(debian_CLI11::CLI11 libcli11-dev)
set(debian_SQLite::SQLite3 libsqlite3-dev)
set(debian_PkgConfig::fairway_re2 libre2-dev pkg-config)
set(debian_PkgConfig::fairway_yaml-0.1 libyaml-dev pkg-config)
set(debian_PkgConfig::fairway_libdeflate libdeflate-dev pkg-config)
set(debian_PkgConfig::fairway_libnghttp2 libnghttp2-dev pkg-config)
set(every_dev "")
foreach(component ${fairway_components})
  if(NOT TARGET fairway_${component})
    continue()
  endif()
  string(REPLACE "_" "-" name libfairway-${component}-dev)
  get_property(links GLOBAL PROPERTY fairway_links_${component})
  set(depends "")
  foreach(link ${links})
    if(link MATCHES "^fairway_(.+)$")
      string(REPLACE "_" "-" package "libfairway-${CMAKE_MATCH_1}-dev (= ${PROJECT_VERSION})")
    elseif(DEFINED debian_${link})
      set(package ${debian_${link}})
    else()
      message(FATAL_ERROR "cmake/packages.cmake does not know the Debian package of ${link}")
    endif()
    list(APPEND depends ${package})
  endforeach()
  list(REMOVE_DUPLICATES depends)
  list(JOIN depends ", " depends)
  fairway_package(${component}-dev ${name} libdevel "Fairway's C++ library ${component}, headers and static library"
"What find_package(Fairway COMPONENTS ${component}) finds.
The static library has no promise of a stable ABI: compile what uses it anew
for each version." "${depends}")
  list(APPEND every_dev "${name} (= ${PROJECT_VERSION})")
endforeach()
# It has fairway-crd-paths, a program.
set(CPACK_DEBIAN_K8S-DEV_PACKAGE_SHLIBDEPS ON)
list(JOIN every_dev ", " every_dev)
fairway_package(all-dev libfairway-dev libdevel "all of Fairway's C++ libraries, to build operators"
"A package without files of its own that depends on each component of Fairway's
C++ libraries: a Kubernetes client, informers and controllers, webhooks,
conversions, an API server for tests, PromQL, CEL and more." "${every_dev}")
include(CPack)
