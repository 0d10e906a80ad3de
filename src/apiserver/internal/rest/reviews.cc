// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/reviews.h"

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

json::Array to_array(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

json::Value user_info(const access::User& user) {
  json::Object info{{"username", user.name}};
  if (!user.uid.empty()) info["uid"] = user.uid;
  info["groups"] = to_array(user.groups);
  if (!user.extra.empty()) {
    json::Object& extra = info["extra"].emplace_object();
    for (const auto& [key, values] : user.extra) extra[key] = to_array(values);
  }
  return info;
}

k8s::StatusResult<k8s::Dynamic> read_review(Call& call, const k8s::GroupVersionKind& kind) {
  const auto options = k8s::parse_create_options(call.query);
  if (!options) return std::unexpected(options.error());
  auto object = read_object(call, kind);
  if (!object) return object;
  if (auto typed = make_typed(call, *object, kind, options->validation); !typed) {
    return std::unexpected(typed.error());
  }
  for (const std::string_view field : {"metadata.creationTimestamp", "metadata.deletionTimestamp",
                                       "metadata.deletionGracePeriodSeconds", "metadata.selfLink"}) {
    object->erase(field);
  }
  // In a TokenRequest, the UID is that of the ServiceAccount.
  if (kind.kind != "TokenRequest") object->erase("metadata.uid");
  object->erase("status");
  return object;
}

VerbResult reply_review(const Call& call, const k8s::Dynamic& object, const k8s::GroupVersionKind& kind) {
  if (const auto form = negotiate_form(call); !form) return std::unexpected(form.error());
  auto typed = kinds::read_typed(json::Value(object.json()), *kinds::Kinds::find(kind));
  if (!typed) return std::unexpected(k8s::answer::internal_error(typed.error().message));
  return reply_json(call, 201,
                    http::make_bytes(objects::to_text(k8s::Dynamic(std::move(typed->get_object())), "")));
}

}  // namespace fairway::apiserver::rest
