// SPDX-License-Identifier: Apache-2.0

// The objects that `convert check` checks.
#pragma once

#include <vector>

#include "base/result.h"
#include "cli/convert_check_inputs.h"
#include "conversion/check/check_stored.h"
#include "conversion/check/conversion_check.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"

namespace fairway::cli {

/// Reads the objects in the files of `--filename`.
Result<std::vector<k8s::Dynamic>> read_objects_of(const CheckOptions& options);
/// Checks objects that were read. Errors: those of the check; `not_found` if none is of the kind.
Result<void> check_objects(std::vector<k8s::Dynamic> objects, const CheckOptions& options,
                           conversion::ConversionCheck& check, const conversion::CheckProgress& progress);

/// Returns the definition of the kind that is in the backup of `--backup`. Errors: those of reading it;
/// `not_found`.
Result<k8s::CustomResourceDefinition> read_definition_in_backup(const CheckOptions& options);
/// Checks the objects in the backup of `--backup`. Errors: those of reading it, and of the check.
Result<void> check_backup(const k8s::CustomResourceDefinition& definition, const CheckOptions& options,
                          conversion::ConversionCheck& check, const conversion::CheckProgress& progress);

}  // namespace fairway::cli
