#include "apiserver/audit/internal/audit_event.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "apiserver/protobuf/request_body.h"
#include "base/json.h"
#include "base/percent_encoding.h"
#include "base/text.h"
#include "k8s/documents.h"
#include "k8s/micro_time.h"

namespace fairway::apiserver {
namespace {

/// kube-apiserver's limit on what it takes of a User-Agent.
constexpr std::size_t longest_agent = 1024;

json::Array to_array(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

/// Bytes of a header or a target are any.
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

/// "127.0.0.1" of "127.0.0.1:40112", "::1" of "[::1]:40112".
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
         (attributes.group == "authentication.k8s.io" && attributes.resource == "tokenreviews");
}

/// Whether a body is what its path is for: kube-apiserver, too, logs only what it could decode.
bool is_expected(const json::Value& body, std::string_view kind, std::string_view verb) {
  constexpr std::array<std::string_view, 5> of_subresources{"DeleteOptions", "Scale", "Binding", "Eviction",
                                                            "TokenRequest"};
  if (!body.is_object()) return verb == "patch";  // a JSON patch
  if (body.get_object().contains("stringData")) return false;
  const std::string_view sent = json::find_string(body, "kind").value_or("");
  return sent.empty() || sent == kind || std::ranges::find(of_subresources, sent) != of_subresources.end();
}

/// What the log has of the body of an event's request, which is null where it has nothing.
json::Value logged_body(const AuditEvent& event, json::Value body) {
  if (!is_expected(body, event.kind, event.attributes.verb)) return {};
  if (event.attributes.resource != "certificatesigningrequests") return body;
  json::Object* object = body.if_object();
  if (object == nullptr) return {};
  json::Value* spec = object->if_contains("spec");
  if (spec != nullptr && spec->is_object()) spec->get_object().erase("request");
  return body;
}

/// The body of a request as JSON, whatever it came as; null where that cannot be read.
json::Value read_body(const http::Request& request) {
  const std::string_view body = request.body;
  if (body.empty()) return {};
  if (is_protobuf(body)) {
    auto read = read_protobuf(body);
    return read ? std::move(read->document) : json::Value();
  }
  if (auto read = json::parse(body)) return *std::move(read);
  const std::string type = to_lower(request.header("Content-Type").value_or(""));
  if (type.find("yaml") == std::string::npos) return {};
  auto documents = k8s::read_documents(body);
  if (!documents || documents->size() != 1) return {};
  return std::move(documents->front().value);
}

json::Object status_of(const AuditEvent& event) {
  json::Object status{{"metadata", json::Object{}}};
  if (event.failure != nullptr) {
    status["status"] = "Failure";
    // Messages quote: what is wrong with a patched object, for example, quotes all of it.
    if (!holds_secrets(event.attributes) && event.attributes.resource != "certificatesigningrequests")
      status["message"] = event.failure->message();
    status["reason"] = event.failure->reason();
  }
  status["code"] = event.code;
  return status;
}

}  // namespace

Result<AuditLevel> parse_audit_level(std::string_view text) {
  if (text == "Metadata") return AuditLevel::metadata;
  if (text == "Request") return AuditLevel::request;
  return fail(ErrorCode::invalid,
              "the audit level '" + printable(text) + "' is neither Metadata nor Request");
}

std::string to_line(const AuditEvent& event, AuditLevel level) {
  const access::Attributes& attributes = event.attributes;
  // Nobody's bodies are not kept: anybody could fill the log with them.
  const bool with_body = level == AuditLevel::request && !event.kind.empty() && !event.user.name.empty() &&
                         !holds_secrets(attributes);
  const json::Value body = with_body ? logged_body(event, read_body(event.request)) : json::Value();
  json::Object line{{"kind", "Event"}, {"apiVersion", "audit.k8s.io/v1"}};
  line["level"] = level == AuditLevel::request ? "Request" : "Metadata";
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
  line["responseStatus"] = status_of(event);
  if (!body.is_null()) line["requestObject"] = body;
  line["requestReceivedTimestamp"] = k8s::format_micro_time(event.received);
  line["stageTimestamp"] = k8s::format_micro_time(event.completed);
  json::Object annotations;
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

}  // namespace fairway::apiserver
