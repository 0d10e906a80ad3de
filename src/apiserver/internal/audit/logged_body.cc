// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/audit/logged_body.h"

#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/internal/audit/body_check.h"
#include "apiserver/internal/audit/embedded_secrets.h"
#include "apiserver/internal/audit/patch_documents.h"
#include "apiserver/internal/audit/sent_body.h"

namespace fairway::apiserver::audit {
namespace {

LoggedBody left_out(std::string why) {
  return {.body = {}, .left_out = std::move(why), .without = {}};
}

/// Returns whether objects of a kind hold credentials.
bool is_secret(const k8s::GroupVersionKind& kind) {
  return (kind.group.empty() && kind.kind == "Secret") ||
         (kind.group == "authentication.k8s.io" &&
          (kind.kind == "TokenReview" || kind.kind == "TokenRequest"));
}

std::string why_unread(const AuditEvent& event) {
  if (event.user.name.empty()) return "nobody was authenticated";
  if (!event.decision || !event.decision->allowed) return "the request was refused before its body was read";
  return "the request leads to no resource that takes it";
}

bool has_body(std::string_view verb) {
  return verb == "create" || verb == "update" || verb == "patch" || verb == "delete" ||
         verb == "deletecollection";
}

/// Returns the kind that the request takes; std::nullopt: there is no such subresource.
std::optional<ExpectedKind> expected_kind(const AuditEvent& event) {
  const resources::ServedResource& resource = *event.resource;
  if (event.attributes.verb.starts_with("delete")) {
    return ExpectedKind{.resource = resource, .kind = {"", "v1", "DeleteOptions"}, .is_optional = true};
  }
  if (event.attributes.subresource.empty()) return ExpectedKind{.resource = resource, .kind = resource.kind};
  const resources::Subresource* subresource = resource.find_subresource(event.attributes.subresource);
  if (subresource == nullptr) return std::nullopt;
  return ExpectedKind{.resource = resource, .kind = subresource->kind};
}

/// Removes kubectl's annotation, also where a path of a JSON patch names it. Returns whether it was present.
bool remove_annotation(SentBody& body) {
  bool removed = remove_last_applied(body.value);
  if (body.patch != k8s::PatchType::json) return removed;
  for (json::Value& operation : body.value.get_array()) {
    if (!has_name(json::find_string(operation, "path").value_or(""), last_applied)) continue;
    removed = operation.get_object().erase("value") != 0 || removed;
  }
  return removed;
}

bool remove_request(json::Value& body) {
  json::Value* spec = body.get_object().if_contains("spec");
  return spec != nullptr && spec->is_object() && spec->get_object().erase("request") != 0;
}

}  // namespace

LoggedBody logged_body(const AuditEvent& event) {
  if (event.request.body.empty()) return {};
  if (event.resource == nullptr || event.user.name.empty()) return left_out(why_unread(event));
  const std::string& verb = event.attributes.verb;
  if (!has_body(verb)) return left_out("a " + verb + " has no body that the server reads");
  const auto expected = expected_kind(event);
  if (!expected) return left_out(why_unread(event));
  if (is_secret(event.resource->kind) || is_secret(expected->kind)) {
    return left_out("the body of a request for " + event.resource->plural + " may hold what is secret");
  }
  const bool is_patch = verb == "patch", is_request = expected->kind.group == "certificates.k8s.io";
  if (is_request && is_patch) {
    return left_out("a patch of a CertificateSigningRequest may hold part of its request");
  }
  std::optional<k8s::GroupVersionKind> of_envelope;
  if (expected->is_optional) of_envelope = expected->kind;
  auto sent = read_sent_body(event.request, is_patch, of_envelope);
  if (!sent) return left_out(sent.error().message);
  if (std::string why = why_uncertain(*sent, *expected); !why.empty()) return left_out(std::move(why));
  LoggedBody logged;
  if (remove_annotation(*sent)) logged.without.emplace_back(last_applied);
  if (is_request && remove_request(sent->value)) logged.without.emplace_back("spec.request");
  logged.body = std::move(sent->value);
  return logged;
}

}  // namespace fairway::apiserver::audit
