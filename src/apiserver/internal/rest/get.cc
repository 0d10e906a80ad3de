// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/verbs.h"
#include "k8s/wire/options.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

VerbResult get(const Services& services, Call& call) {
  const auto options = k8s::parse_get_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto least = parse_revision(options->resource_version);
  if (!least) return std::unexpected(least.error());
  const storage::Revision now = services.objects.storage().revision();
  if (*least > now) {
    return std::unexpected(k8s::answer::resource_version_too_large(
        static_cast<std::uint64_t>(*least), static_cast<std::uint64_t>(now), std::chrono::seconds(1)));
  }
  const auto record = services.objects.find(*call.resource, call.key());
  if (!record) return std::unexpected(record.error());
  if (*record == nullptr) {
    return std::unexpected(k8s::answer::not_found(call.resource->group_resource(), call.path.name));
  }
  // Who names a resourceVersion is answered from the watch cache by a real server.
  const bool may_be_kept = !options->resource_version.empty();
  return reply_object(call, may_be_kept ? *record : objects::to_be_asked_again(*record, *call.resource));
}

}  // namespace fairway::apiserver::rest
