// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/read_core_object.h"

#include "apiserver/internal/objects/object_text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

k8s::StatusResult<k8s::Dynamic> read_core_object(objects::Objects& objects, const std::string& plural,
                                                 const k8s::Key& key) {
  const resources::ServedResourcePtr resource = objects.registry().find({"", "v1", plural});
  if (resource == nullptr) return std::unexpected(k8s::answer::no_such_path());
  const auto record = objects.find(*resource, key);
  if (!record) return std::unexpected(record.error());
  if (*record == nullptr) {
    return std::unexpected(k8s::answer::not_found(resource->group_resource(), key.name));
  }
  return resources::parse(**record);
}

}  // namespace fairway::apiserver::rest
