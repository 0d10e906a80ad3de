// SPDX-License-Identifier: Apache-2.0

#include <chrono>

#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/rest/read_core_object.h"
#include "apiserver/internal/rest/reviews.h"
#include "base/quoted_text.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

using k8s::FieldError;

const k8s::GroupVersionKind token_request{"authentication.k8s.io", "v1", "TokenRequest"};
constexpr std::int64_t shortest = 600, longest = std::int64_t{1} << 32, default_lifetime = 3600;  // seconds

/// Checks that the body's metadata matches the ServiceAccount.
k8s::StatusResult<void> check_metadata(const k8s::Dynamic& request, const k8s::Key& account) {
  if (!request.name().empty() && request.name() != account.name) {
    return std::unexpected(
        k8s::answer::invalid(token_request.group_kind(), account.name,
                             {FieldError::invalid("metadata.name", json::Value(request.name()),
                                                  "must match the service account name if specified")}));
  }
  return {};
}

k8s::StatusResult<void> check_spec(const k8s::Dynamic& request) {
  const std::int64_t seconds = request.integer("spec.expirationSeconds");
  std::string_view fault;
  if (seconds < shortest) fault = "may not specify a duration less than 10 minutes";
  if (seconds > longest) fault = "may not specify a duration larger than 2^32 seconds";
  if (fault.empty()) return {};
  return std::unexpected(
      k8s::answer::invalid(token_request.group_kind(), "",
                           {FieldError::invalid("spec.expirationSeconds", json::Value(seconds), fault)}));
}

/// Binds the token to the object that the request names.
k8s::StatusResult<void> bind(const Services& services, const k8s::Dynamic& request, const k8s::Key& account,
                             access::TokenClaims& claims) {
  if (!request.has("spec.boundObjectRef")) return {};
  const std::string kind(request.text("spec.boundObjectRef.kind")),
      api_version(request.text("spec.boundObjectRef.apiVersion")),
      name(request.text("spec.boundObjectRef.name")), uid(request.text("spec.boundObjectRef.uid"));
  const bool is_core = api_version.find('/') == std::string::npos;
  std::string plural;
  if (is_core && kind == "Pod") plural = "pods";
  if (is_core && kind == "Secret") plural = "secrets";
  if (is_core && kind == "Node") plural = "nodes";
  if (plural.empty()) {
    const std::string type = (is_core ? "/" : "") + api_version + ", Kind=" + kind;
    return std::unexpected(k8s::answer::bad_request("cannot bind token to object of type " + type));
  }
  const auto object =
      read_core_object(services.objects, plural, {plural == "nodes" ? "" : account.namespace_name, name});
  if (!object) return std::unexpected(object.error());
  if (plural == "pods" && object->text("spec.serviceAccountName") != account.name) {
    return std::unexpected(k8s::answer::bad_request("cannot bind token for serviceaccount " +
                                                    quote(account.name) +
                                                    " to pod running with different serviceaccount name."));
  }
  if (!uid.empty() && uid != object->uid()) {
    return std::unexpected(k8s::answer::conflict(
        {"", kind}, name,
        "the UID in the bound object reference (" + uid +
            ") does not match the UID in record. The object might have been deleted and then recreated"));
  }
  claims.bound = {.kind = kind, .name = name, .uid = std::string(object->uid())};
  const std::string node(object->text("spec.nodeName"));
  if (plural != "pods" || node.empty()) return {};
  const auto there = read_core_object(services.objects, "nodes", {"", node});
  if (!there && !there.error().is_failure(k8s::reason::not_found)) return std::unexpected(there.error());
  claims.node = {.kind = "Node", .name = node, .uid = there ? std::string(there->uid()) : std::string()};
  return {};
}

}  // namespace

VerbResult create_token(const Services& services, Call& call) {
  const access::Tokens* tokens = services.extensions.tokens;
  if (tokens == nullptr) return std::unexpected(k8s::answer::no_such_path());
  auto request = read_review(call, token_request);
  if (!request) return std::unexpected(request.error());
  const k8s::Key key = call.key();
  if (auto checked = check_metadata(*request, key); !checked) return std::unexpected(checked.error());
  const auto account = read_core_object(services.objects, "serviceaccounts", key);
  if (!account) return std::unexpected(account.error());
  if (!request->uid().empty() && request->uid() != account->uid()) {
    return std::unexpected(k8s::answer::conflict(
        {token_request.group, token_request.kind}, key.name,
        "the UID in the token request (" + std::string(request->uid()) +
            ") does not match the UID of the service account (" + std::string(account->uid()) + ")"));
  }
  if (request->texts("spec.audiences").empty()) {
    request->set("spec.audiences", json::Value(to_array(tokens->audiences())));
  }
  if (!request->has("spec.expirationSeconds")) {
    request->set("spec.expirationSeconds", json::Value(default_lifetime));
  }
  if (auto checked = check_spec(*request); !checked) return std::unexpected(checked.error());

  const WallTime now = tokens->clock().now();
  const std::chrono::seconds lifetime(request->integer("spec.expirationSeconds"));
  access::TokenClaims claims{.namespace_name = key.namespace_name,
                             .service_account = key.name,
                             .uid = std::string(account->uid()),
                             .id = services.objects.make_uid(),
                             .issued = now,
                             .not_before = now,
                             .expires = now + lifetime};
  for (const std::string_view audience : request->texts("spec.audiences")) {
    claims.audiences.emplace_back(audience);
  }
  if (auto bound = bind(services, *request, key, claims); !bound) return std::unexpected(bound.error());
  const auto token = tokens->signer().sign(claims);
  if (!token) return std::unexpected(k8s::answer::internal_error(token.error().message));

  request->set_name(key.name);
  request->set_namespace_name(key.namespace_name);
  request->set("metadata.uid", account->uid());
  request->set_time("metadata.creationTimestamp", now);
  request->set("status.token", *token);
  request->set_time("status.expirationTimestamp", now + lifetime);
  return reply_review(call, *request, token_request);
}

}  // namespace fairway::apiserver::rest
