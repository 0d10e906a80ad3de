// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/field_owners.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "apiserver/internal/rest/verbs.h"

namespace fairway::apiserver::rest {

VerbResult create(const Services& services, Call& call) {
  const auto options = k8s::parse_create_options(call.query);
  if (!options) return std::unexpected(options.error());
  auto object = read_object(call, call.resource->kind);
  if (!object) return std::unexpected(object.error());
  if (auto typed = make_typed(call, *object, options->validation); !typed) {
    return std::unexpected(typed.error());
  }
  record_owners(*call.resource, call.path.subresource, nullptr, *object,
                manager_of(call, options->field_manager), services.objects.clock().now());
  const auto write = begin_write(services, call, call.resource->kind, *options);
  if (!write) return std::unexpected(write.error());
  const auto outcome = services.objects.create(*call.resource, *std::move(object), write->context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace fairway::apiserver::rest
