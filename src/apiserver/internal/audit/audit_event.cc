// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/audit/audit_event.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apiserver/internal/audit/logged_body.h"
#include "base/json.h"
#include "base/percent_encoding.h"
#include "base/text.h"
#include "k8s/micro_time.h"

namespace fairway::apiserver::audit {
namespace {

/// Bytes of a User-Agent that are logged, as in kube-apiserver.
constexpr std::size_t longest_agent = 1024;

json::Array to_array(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

/// Returns a header or target, whose bytes are arbitrary, as UTF-8.
std::string as_utf8(std::string_view text) {
  return is_utf8(text) ? std::string(text) : percent_encode(text, "/?&=:,;+ ");
}

json::Object to_json(const access::User& user) {
  json::Object info;
  if (!user.name.empty()) info["username"] = user.name;
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = to_array(user.groups);
  if (!user.extra.empty()) {
    json::Object& extra = info["extra"].emplace_object();
    for (const auto& [key, values] : user.extra) extra[key] = to_array(values);
  }
  return info;
}

/// Returns the host of an address: "127.0.0.1" of "127.0.0.1:40112", "::1" of "[::1]:40112".
std::string host_of(std::string_view address) {
  address = address.substr(0, std::min(address.rfind(':'), address.size()));
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  return std::string(address);
}

void set_if_any(json::Object& object, std::string_view name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

json::Object reference_to(const access::Attributes& attributes, const json::Value& body) {
  json::Object reference{{"resource", attributes.resource}};
  set_if_any(reference, "namespace", attributes.namespace_name);
  std::string name = attributes.name;
  if (name.empty() && attributes.verb == "create") {
    // It is known from the body only.
    const json::Value* metadata = json::find(body, "metadata");
    if (metadata != nullptr) name = json::find_string(*metadata, "name").value_or("");
  }
  set_if_any(reference, "name", name);
  set_if_any(reference, "apiGroup", attributes.group);
  set_if_any(reference, "apiVersion", attributes.version);
  set_if_any(reference, "subresource", attributes.subresource);
  return reference;
}

bool holds_secrets(const access::Attributes& attributes) {
  return (attributes.group.empty() && attributes.resource == "secrets") ||
         (attributes.group == "authentication.k8s.io" && attributes.resource == "tokenreviews") ||
         (attributes.group == "certificates.k8s.io" && attributes.resource == "certificatesigningrequests") ||
         attributes.subresource == "token";
}

/// Returns whether the error of a request may quote something that the log leaves out: of a body, or of the
/// object that a patch has made.
bool may_quote(const AuditEvent& event, const LoggedBody& body) {
  if (holds_secrets(event.attributes)) return true;
  // A failure before the body was read quotes nothing of the body.
  if (event.resource == nullptr) return false;
  return body.is_incomplete() || std::ranges::any_of(event.failure->causes(), [](const auto& cause) {
           return cause.field() == "patch";
         });
}

json::Object status_of(const AuditEvent& event, const LoggedBody& body) {
  json::Object status{{"metadata", json::Object{}}};
  if (event.failure != nullptr) {
    status["status"] = "Failure";
    if (!may_quote(event, body)) status["message"] = event.failure->message();
    status["reason"] = event.failure->reason();
  }
  status["code"] = event.code;
  return status;
}

}  // namespace

std::string to_line(const AuditEvent& event, AuditLevel level) {
  const access::Attributes& attributes = event.attributes;
  // A failure may quote the body, so the body is looked at on all levels.
  const bool has_level = level == AuditLevel::request;
  LoggedBody logged = has_level || event.failure != nullptr ? logged_body(event) : LoggedBody();
  json::Object status = status_of(event, logged);
  if (!has_level) logged = {};
  const json::Value& body = logged.body;
  json::Object line{{"kind", "Event"}, {"apiVersion", "audit.k8s.io/v1"}};
  line["level"] = has_level ? "Request" : "Metadata";
  line["auditID"] = event.id;
  line["stage"] = event.is_stream ? "ResponseStarted" : "ResponseComplete";
  line["requestURI"] = as_utf8(event.request.target);
  line["verb"] = attributes.verb.empty() ? to_lower(event.request.method) : attributes.verb;
  line["user"] = to_json(event.user);
  if (event.impersonated) line["impersonatedUser"] = to_json(*event.impersonated);
  if (!event.constraint.empty()) {
    line["authenticationMetadata"] = json::Object{{"impersonationConstraint", event.constraint}};
  }
  if (event.request.peer != nullptr) {
    line["sourceIPs"] = json::Array{json::Value(host_of(event.request.peer->address))};
  }
  const std::string_view agent = event.request.header("User-Agent").value_or("");
  if (!agent.empty()) {
    line["userAgent"] = agent.size() > longest_agent
                            ? as_utf8(agent.substr(0, longest_agent)) + "...TRUNCATED"
                            : as_utf8(agent);
  }
  if (attributes.is_resource) line["objectRef"] = reference_to(attributes, body);
  line["responseStatus"] = std::move(status);
  if (!body.is_null()) line["requestObject"] = body;
  line["requestReceivedTimestamp"] = k8s::format_micro_time(event.received);
  line["stageTimestamp"] = k8s::format_micro_time(event.completed);
  json::Object annotations;
  if (!logged.left_out.empty()) annotations["audit.fairway.dev/request-object-left-out"] = logged.left_out;
  if (!logged.without.empty()) {
    annotations["audit.fairway.dev/request-object-without"] = join(logged.without, ", ");
  }
  if (event.decision) {
    annotations["authorization.k8s.io/decision"] = event.decision->allowed ? "allow" : "forbid";
    annotations["authorization.k8s.io/reason"] = event.decision->reason;
  }
  for (const auto& [key, value] : event.annotations) {
    if (!annotations.contains(key)) annotations[key] = value;
  }
  if (!annotations.empty()) line["annotations"] = std::move(annotations);
  return json::to_text(line);
}

}  // namespace fairway::apiserver::audit
