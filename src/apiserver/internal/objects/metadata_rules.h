// What metadata must be, with the messages of an API server.
#pragma once

#include <vector>

#include "apiserver/internal/resources/served_resource.h"
#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver {

/// The metadata of an object that is to be created. Rules: ValidateObjectMeta of
/// k8s.io/apimachinery/pkg/api/validation.
std::vector<k8s::FieldError> check_metadata(const k8s::Dynamic& object, const ServedResource& resource);

/// What an update may not change, and the rules that stay. ValidateObjectMetaUpdate.
std::vector<k8s::FieldError> check_metadata_update(const k8s::Dynamic& object, const k8s::Dynamic& old,
                                                   const ServedResource& resource);

/// Those of Kubernetes itself, which do not say whose they are.
bool is_standard_finalizer(std::string_view finalizer);

}  // namespace fairway::apiserver
