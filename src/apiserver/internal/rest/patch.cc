// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/field_owners.h"
#include "apiserver/internal/rest/patched_object.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "apiserver/internal/rest/verbs.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

VerbResult patch(const Services& services, Call& call) {
  const auto type = patch_type_of(call);
  if (!type) return std::unexpected(type.error());
  if (*type == k8s::PatchType::apply) return apply_document(services, call);
  const auto options = k8s::parse_patch_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto document = json::parse(call.http.body);
  if (!document) return std::unexpected(k8s::answer::bad_request(document.error().message));
  const std::string manager = manager_of(call, options->field_manager);
  const std::vector<std::string> of_patch = errors_of_patch(*type, call.http.body);
  const auto write = begin_write(services, call, call.resource->kind, *options);
  if (!write) return std::unexpected(write.error());
  const objects::Objects::UpdateRequest request{
      .key = call.key(),
      .part = call.part(),
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        auto made = patched_object(*current, *type, *document, call.resource->patch_schema);
        if (!made) return made;
        call.warnings.clear();  // of an attempt before
        if (auto typed = make_patched_typed(call, *made, options->validation, of_patch); !typed) {
          return std::unexpected(typed.error());
        }
        record_owners(*call.resource, call.path.subresource, current, *made, manager,
                      services.objects.clock().now());
        return made;
      }};
  const auto outcome = services.objects.update(*call.resource, request, write->context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace fairway::apiserver::rest
