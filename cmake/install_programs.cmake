# SPDX-License-Identifier: Apache-2.0

# What `cmake --install` installs of the programs. Component fairway: the program and all that helps to use it; component gateway:
# the program that `fairway gateway` hands over to, and its unit.

# Whatever the umask is.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(TARGETS fairway RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT fairway)
install(TARGETS fairway-gateway RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/fairway COMPONENT gateway)

# Manuals and completions are made by the program itself. FAIRWAY_RUNS: one that runs on this machine, where that which is installed does
# not (a cross compiler).
set(FAIRWAY_RUNS "" CACHE FILEPATH "A fairway of this version that runs here, to make manuals and completions")
if(FAIRWAY_RUNS)
  set(fairway_that_runs ${FAIRWAY_RUNS})
else()
  set(fairway_that_runs $<TARGET_FILE:fairway>)
endif()
# fairway_install_output(FILE COMMAND...): installs what the program prints as FILE, a path below share/.
function(fairway_install_output file)
  cmake_path(GET file PARENT_PATH folder)
  set(made ${PROJECT_BINARY_DIR}/install/share/${file})
  install(CODE "
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/install/share/${folder}\")
    execute_process(COMMAND \"${fairway_that_runs}\" ${ARGN} OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)
  " COMPONENT fairway)
  install(FILES ${made} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT fairway)
endfunction()
fairway_install_output(bash-completion/completions/fairway completion bash)
fairway_install_output(zsh/vendor-completions/_fairway completion zsh)
fairway_install_output(fish/vendor_completions.d/fairway.fish completion fish)
# bash-completion and fish load a file by the command's name; zsh's is for both names.
install(CODE "
  file(CREATE_LINK fairway \"${PROJECT_BINARY_DIR}/install/share/bash-completion/completions/kubectl-fairway\" SYMBOLIC)
  file(CREATE_LINK fairway.fish \"${PROJECT_BINARY_DIR}/install/share/fish/vendor_completions.d/kubectl-fairway.fish\" SYMBOLIC)
" COMPONENT fairway)
install(FILES ${PROJECT_BINARY_DIR}/install/share/bash-completion/completions/kubectl-fairway
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT fairway)
install(FILES ${PROJECT_BINARY_DIR}/install/share/fish/vendor_completions.d/kubectl-fairway.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT fairway)
install(CODE "
  file(REMOVE_RECURSE \"${PROJECT_BINARY_DIR}/install/man\")
  execute_process(COMMAND \"${fairway_that_runs}\" man --all --dir \"${PROJECT_BINARY_DIR}/install/man\" COMMAND_ERROR_IS_FATAL ANY)
  # Compressed without a name and a time.
  file(GLOB pages \"${PROJECT_BINARY_DIR}/install/man/*.1\")
  execute_process(COMMAND gzip -9n \${pages} COMMAND_ERROR_IS_FATAL ANY)
" COMPONENT fairway)
install(DIRECTORY ${PROJECT_BINARY_DIR}/install/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT fairway
  PATTERN fairway-gateway.1.gz EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/install/man/fairway-gateway.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gateway)

# `kubectl fairway`, and kubectl's own completion of it.
install(CODE "
  file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/install/bin\")
  file(CREATE_LINK fairway \"${PROJECT_BINARY_DIR}/install/bin/kubectl-fairway\" SYMBOLIC)
  execute_process(COMMAND \"${fairway_that_runs}\" completion kubectl
    OUTPUT_FILE \"${PROJECT_BINARY_DIR}/install/bin/kubectl_complete-fairway\" COMMAND_ERROR_IS_FATAL ANY)
" COMPONENT fairway)
install(FILES ${PROJECT_BINARY_DIR}/install/bin/kubectl-fairway DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT fairway)
install(PROGRAMS ${PROJECT_BINARY_DIR}/install/bin/kubectl_complete-fairway DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT fairway)

include(cmake/install_units.cmake)
foreach(part serve apiserver operator)
  fairway_install_unit(fairway deploy/systemd/fairway-${part}.service)
endforeach()
fairway_install_unit(gateway deploy/systemd/fairway-gateway.service)
install(DIRECTORY deploy DESTINATION ${CMAKE_INSTALL_DATADIR}/fairway COMPONENT fairway PATTERN systemd EXCLUDE)
# Without what running them leaves.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/fairway COMPONENT fairway
  PATTERN __pycache__ EXCLUDE PATTERN .pytest_cache EXCLUDE)
# Those that are run by their names.
file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.sh)
foreach(script ${scripts})
  file(STRINGS ${script} interpreter LIMIT_COUNT 1 REGEX "^#!")
  file(STRINGS ${script} first LIMIT_COUNT 1)
  if(interpreter STREQUAL first)
    cmake_path(GET script PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    install(PROGRAMS ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/fairway/${folder} COMPONENT fairway)
  endif()
endforeach()
