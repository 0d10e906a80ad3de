// SPDX-License-Identifier: Apache-2.0

// Test kit: real objects, for checks beside random ones.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"
#include "kube/client/client.h"

namespace fairway::testing {

/// Reads all objects of a folder, and of those in it: files that end in .yaml, .yml or .json, in the order of
/// their names; a List stands for its items. Errors: the folder, or a file, cannot be read.
Result<std::vector<k8s::Dynamic>> read_corpus(const std::filesystem::path& folder);

/// Lists all objects of a kind in a cluster, in the version that they are stored in. Errors: those of
/// listing.
Result<std::vector<k8s::Dynamic>> list_corpus(kube::Client& client,
                                              const k8s::CustomResourceDefinition& definition);

}  // namespace fairway::testing
