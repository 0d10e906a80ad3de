# SPDX-License-Identifier: Apache-2.0

# fairway_prefix_includes(FROM TO MODULES): writes the header FROM of this tree as others include it, TO: what it includes of the modules
# begins with fairway/. A file that is the same already keeps its time, so that those who include it are not compiled again.
function(fairway_prefix_includes from to modules)
  file(READ ${from} text)
  foreach(module ${modules})
    string(REPLACE "\n#include \"${module}/" "\n#include \"fairway/${module}/" text "${text}")
  endforeach()
  set(before "")
  if(EXISTS ${to})
    file(READ ${to} before)
  endif()
  if(NOT text STREQUAL before)
    file(WRITE ${to} "${text}")
  endif()
endfunction()
