// SPDX-License-Identifier: Apache-2.0

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
  return reply_object(call, *record);
}

}  // namespace fairway::apiserver::rest
