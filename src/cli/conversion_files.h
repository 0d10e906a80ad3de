// SPDX-License-Identifier: Apache-2.0

// The files that say what a conversion is: definitions and rules.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::cli {

/// Reads the definitions of a YAML or JSON file, or of standard input ("-"), and appends them. Errors name
/// the file and the line of the document.
Result<void> read_definitions(const std::string& file,
                              std::vector<k8s::CustomResourceDefinition>& definitions);

/// Adds the rules of files to the converters, which have to be prepared afterwards. Errors name the file.
Result<void> add_rule_files(const std::vector<std::string>& files, conversion::Converters& converters);

}  // namespace fairway::cli
