// SPDX-License-Identifier: Apache-2.0

#include "cli/ca_file_option.h"

namespace fairway::cli {

void add_ca_file_option(CLI::App& command, const char* name, std::vector<std::string>& files,
                        const std::string& group) {
  command.add_option(name, files, "PEM file of additional certificate authorities to trust (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
}

}  // namespace fairway::cli
