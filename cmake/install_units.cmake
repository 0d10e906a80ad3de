# SPDX-License-Identifier: Apache-2.0

# fairway_install_unit(COMPONENT FILE): installs a unit of systemd below lib/systemd/system. Its paths of programs are those of Debian's
# packages, below /usr: in what is installed, the prefix that cmake --install has.
function(fairway_install_unit component file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
  cmake_path(GET path FILENAME name)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/install/units/${name})
  install(CODE "
    set(prefix \"\${CMAKE_INSTALL_PREFIX}\")
    # CPack installs into a folder of its own what its packages have below /usr.
    if(prefix MATCHES \"/_CPack_Packages/\")
      set(prefix /usr)
    endif()
    file(READ \"${path}\" text)
    string(REPLACE /usr/bin/fairway \"\${prefix}/${CMAKE_INSTALL_BINDIR}/fairway\" text \"\${text}\")
    string(REPLACE /usr/libexec/fairway/ \"\${prefix}/${CMAKE_INSTALL_LIBEXECDIR}/fairway/\" text \"\${text}\")
    file(WRITE \"${made}\" \"\${text}\")
  " COMPONENT ${component})
  install(FILES ${made} DESTINATION lib/systemd/system COMPONENT ${component})
endfunction()
