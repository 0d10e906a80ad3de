// SPDX-License-Identifier: Apache-2.0

// The LimitRanges of a namespace, which a write has to keep.
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/quota/limits.h"
#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {

k8s::StatusResult<void> Objects::check_limits(const Charged& written) {
  const k8s::GroupResource bounded = written.resource.group_resource();
  if (!has_limits_ || !quota::is_bounded(bounded, written.old == nullptr, written.part)) return {};
  // What is on its way out may lose its finalizers.
  if (written.old != nullptr && written.old->is_being_deleted()) return {};
  const resources::ServedResourcePtr ranges = registry_.find({"", "v1", "limitranges"});
  if (ranges == nullptr) return {};
  const auto found = storage_.list(
      {.resource = ranges->storage, .namespace_name = std::string(written.object.namespace_name())});
  if (!found) return std::unexpected(resources::status_of(found.error()));
  for (const storage::RecordPtr& record : found->records) {
    const k8s::Dynamic range = resources::parse(*record);
    const std::vector<std::string> broken = quota::broken_limits(range, written.object, bounded);
    if (broken.empty()) continue;
    // Several are told as a list, as Kubernetes writes one.
    const std::string why = broken.size() == 1 ? broken.front() : "[" + join(broken, ", ") + "]";
    return std::unexpected(k8s::answer::forbidden(bounded, written.object.name(), why));
  }
  return {};
}

}  // namespace fairway::apiserver::objects
