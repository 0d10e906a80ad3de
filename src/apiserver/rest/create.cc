#include "apiserver/rest/internal/admit.h"
#include "apiserver/rest/internal/body.h"
#include "apiserver/rest/internal/field_owners.h"
#include "apiserver/rest/internal/reply.h"
#include "apiserver/rest/internal/typed_body.h"
#include "apiserver/rest/internal/verbs.h"

namespace fairway::apiserver {

Answer create(const Services& services, Call& call) {
  const auto options = k8s::parse_create_options(call.query);
  if (!options) return std::unexpected(options.error());
  auto object = read_object(call, call.resource->kind);
  if (!object) return std::unexpected(object.error());
  if (auto typed = make_typed(call, *object, options->validation); !typed) {
    return std::unexpected(typed.error());
  }
  note_owners(*call.resource, call.path.subresource, nullptr, *object,
              manager_of(call, options->field_manager), services.objects.clock().now());
  const auto write = begin_write(services, call, call.resource->kind, *options);
  if (!write) return std::unexpected(write.error());
  const auto outcome = services.objects.create(*call.resource, *std::move(object), write->context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace fairway::apiserver
