// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/claim_growth.h"

#include <string>

#include "apiserver/internal/kinds/volume_claim.h"
#include "apiserver/internal/resources/stored_object.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::resources {

k8s::StatusResult<void> check_claim_growth(storage::Storage& storage, const k8s::Dynamic& claim,
                                           const k8s::Dynamic& old) {
  if (kinds::size_at(claim, kinds::claim_size_path) <= kinds::size_at(old, kinds::claim_size_path)) return {};
  const std::string name(kinds::storage_class_of(claim));
  if (!name.empty() && name == kinds::storage_class_of(old)) {
    const auto found = storage.get({"storage.k8s.io/storageclasses", "", name});
    if (!found) return std::unexpected(status_of(found.error()));
    if (*found != nullptr && parse(**found).flag("allowVolumeExpansion")) return {};
  }
  return std::unexpected(
      k8s::answer::forbidden({"", "persistentvolumeclaims"}, claim.name(),
                             "only dynamically provisioned pvc can be resized and the storageclass that "
                             "provisions the pvc must support resize"));
}

}  // namespace fairway::apiserver::resources
