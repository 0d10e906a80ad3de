// SPDX-License-Identifier: Apache-2.0

// The fields by which objects can be selected.
#pragma once

#include <string_view>

#include "apiserver/internal/resources/served_resource.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::objects {

/// Checks that objects of a resource can be selected by a field. Errors (400): they cannot, in the words of
/// the kind's conversion in kube-apiserver.
k8s::StatusResult<void> check_selectable(const resources::ServedResource& resource, std::string_view field);

/// Copies the selectable fields of an object, except those of its metadata, to `parts`, each by its name in
/// selectors. Fields that a typed object has and its JSON omits have the text of their zero value.
void copy_selectable(const resources::ServedResource& resource, const k8s::Dynamic& object,
                     k8s::Dynamic& parts);

}  // namespace fairway::apiserver::objects
