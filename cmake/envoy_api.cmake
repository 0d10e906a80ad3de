# SPDX-License-Identifier: Apache-2.0

# fairway_embed_envoy_api(TARGET): the descriptors of Envoy's API as the header envoy_api_file.h, which names the file
# that TARGET includes. Made once, from PyPI (scripts/envoy_api.py), and kept in .cache; without them the program is built all the
# same, and says at its start what it lacks.
set(FAIRWAY_ENVOY_API "${PROJECT_SOURCE_DIR}/.cache/envoy-api-1.85.0.pb" CACHE FILEPATH "Descriptors of Envoy's API")
function(fairway_embed_envoy_api target)
  if(NOT EXISTS ${FAIRWAY_ENVOY_API})
    find_program(FAIRWAY_PYTHON python3)
    if(FAIRWAY_PYTHON)
      execute_process(COMMAND ${FAIRWAY_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/envoy_api.py ${FAIRWAY_ENVOY_API}
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE output)
    endif()
  endif()
  set(file ${FAIRWAY_ENVOY_API})
  if(NOT EXISTS ${file})
    message(WARNING "no descriptors of Envoy's API: fairway-gateway will not run a controller. They are made by "
      "scripts/envoy_api.py, which needs python3-venv and PyPI. ${output}")
    set(file ${PROJECT_BINARY_DIR}/no-envoy-api.pb)
    file(WRITE ${file} "")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/${target}/envoy_api_file.h @ONLY
    CONTENT "// Where the descriptors of Envoy's API are.\n#pragma once\n\n#define FAIRWAY_ENVOY_API_FILE \"@file@\"\n")
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded/${target})
endfunction()
