// SPDX-License-Identifier: Apache-2.0

// Validation of metadata, with the messages of an API server.
#pragma once

#include <vector>

#include "apiserver/internal/resources/served_resource.h"
#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::objects {

/// Returns the problems of the metadata of a new object.
/// Rules: ValidateObjectMeta of k8s.io/apimachinery/pkg/api/validation.
std::vector<k8s::FieldError> check_metadata(const k8s::Dynamic& object,
                                            const resources::ServedResource& resource);

/// Returns the problems of the metadata of an update, including changes of immutable fields.
/// Rules: ValidateObjectMetaUpdate.
std::vector<k8s::FieldError> check_metadata_update(const k8s::Dynamic& object, const k8s::Dynamic& old,
                                                   const resources::ServedResource& resource);

/// Returns whether a finalizer is one of Kubernetes's own, which have no domain.
bool is_standard_finalizer(std::string_view finalizer);

}  // namespace fairway::apiserver::objects
