// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/field_owners.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "apiserver/internal/rest/verbs.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

VerbResult update(const Services& services, Call& call) {
  const auto options = k8s::parse_update_options(call.query);
  if (!options) return std::unexpected(options.error());
  auto object = read_object(call, call.resource->kind);
  if (!object) return std::unexpected(object.error());
  if (auto typed = make_typed(call, *object, options->validation); !typed) {
    return std::unexpected(typed.error());
  }
  if (object->name().empty()) {
    return std::unexpected(
        k8s::answer::bad_request("the name of the object (" + call.path.name +
                                 " based on URL) was undeterminable: name must be provided"));
  }
  if (object->name() != call.path.name) {
    return std::unexpected(k8s::answer::bad_request("the name of the object (" + std::string(object->name()) +
                                                    ") does not match the name on the URL (" +
                                                    call.path.name + ")"));
  }
  const std::string manager = manager_of(call, options->field_manager);
  const auto write = begin_write(services, call, call.resource->kind, *options);
  if (!write) return std::unexpected(write.error());
  const objects::Objects::UpdateRequest request{
      .key = call.key(),
      .part = call.part(),
      .transform = [&](const k8s::Dynamic* live) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic next = *object;
        record_owners(*call.resource, call.path.subresource, live, next, manager,
                      services.objects.clock().now());
        return next;
      },
      .may_create = call.resource->create_on_update && call.path.subresource.empty(),
      .check_create = [&] { return authorize_create(services, call); },
      .finalize = call.path.subresource == "finalize"};
  const auto outcome = services.objects.update(*call.resource, request, write->context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace fairway::apiserver::rest
