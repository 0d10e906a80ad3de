// SPDX-License-Identifier: Apache-2.0

// The namespace of objects whose kind is known only at run time, and checks of calls against it.
#pragma once

#include <string>
#include <string_view>

#include "k8s/api_resource.h"

namespace fairway::kube {

/// Checks a namespace. Errors (`invalid`): a namespace for a cluster-scoped kind.
Result<void> check_namespace(const k8s::ApiResource& resource, std::string_view namespace_name);
/// Checks the key of one object: also, a namespaced kind needs a namespace.
Result<void> check_key(const k8s::ApiResource& resource, const k8s::Key& key);
/// Sets the missing apiVersion, kind and namespace of an object of the kind. Errors (`invalid`): it is of
/// another kind or version, and those of `check_key`.
Result<void> place(const k8s::ApiResource& resource, const std::string& namespace_name, k8s::Dynamic& object);

}  // namespace fairway::kube
