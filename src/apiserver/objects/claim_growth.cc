#include "apiserver/objects/internal/claim_growth.h"

#include <string>
#include <string_view>

#include "apiserver/objects/internal/object_text.h"
#include "apiserver/objects/internal/objects.h"
#include "cel/library/quantity.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver {
namespace {

using k8s::Dynamic;

cel::Nano size_of(const Dynamic& claim) {
  return cel::parse_quantity(claim.text("spec.resources.requests.storage")).value_or(0);
}

/// The annotation is older than the field, and counts first.
std::string class_of(const Dynamic& claim) {
  const auto annotation = claim.annotations().find("volume.beta.kubernetes.io/storage-class");
  return std::string(annotation ? *annotation : claim.text("spec.storageClassName"));
}

}  // namespace

k8s::StatusResult<void> check_claim_growth(storage::Storage& storage, const ServedResource& resource,
                                           const Dynamic& claim, const Dynamic& old) {
  if (size_of(claim) <= size_of(old)) return {};
  const std::string name = class_of(claim);
  if (!name.empty() && name == class_of(old)) {
    const auto found = storage.get({"storage.k8s.io/storageclasses", "", name});
    if (!found) return std::unexpected(status_of(found.error()));
    if (*found != nullptr && parse(**found).flag("allowVolumeExpansion")) return {};
  }
  return std::unexpected(
      k8s::answer::forbidden(resource.group_resource(), claim.name(),
                             "only dynamically provisioned pvc can be resized and the storageclass that "
                             "provisions the pvc must support resize"));
}

}  // namespace fairway::apiserver
