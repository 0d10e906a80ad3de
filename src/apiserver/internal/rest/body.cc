// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/body.h"

#include "apiserver/internal/protobuf/request_body.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/documents.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::string_view json_type = "application/json", yaml_type = "application/yaml",
                           protobuf_type = "application/vnd.kubernetes.protobuf";

std::string media_type_of(const Call& call) {
  const std::string_view header = call.http.header("Content-Type").value_or("");
  return to_lower(trim(header.substr(0, header.find(';'))));
}

std::unexpected<k8s::Status> bad(std::string_view why) {
  return std::unexpected(k8s::answer::bad_request(why));
}

k8s::StatusResult<json::Value> read_yaml(Call& call) {
  auto documents = k8s::read_documents(call.http.body, k8s::DuplicateKeys::last_wins);
  if (!documents) return bad("error converting YAML to JSON: " + documents.error().message);
  if (documents->size() != 1) return bad("the body must be one YAML document");
  call.duplicate_keys = std::move(documents->front().duplicate_keys);
  return std::move(documents->front().value);
}

k8s::StatusResult<json::Value> read_protobuf_body(const Call& call, const k8s::GroupVersionKind& expected) {
  auto body = protobuf::read_protobuf(call.http.body, expected);
  if (body) return std::move(body->document);
  if (body.error().code == ErrorCode::too_large) {
    return std::unexpected(k8s::answer::request_entity_too_large(body.error().message));
  }
  if (body.error().code == ErrorCode::unsupported) {
    return std::unexpected(k8s::answer::unsupported_media_type({json_type, yaml_type}));
  }
  return bad(body.error().message);
}

/// Checks the kind and version of an object. `is_custom`: a custom resource, whose kind a real server does
/// not check before it validates.
k8s::StatusResult<void> check_type(const k8s::Dynamic& object, const k8s::GroupVersionKind& kind,
                                   bool is_custom) {
  if (object.api_version() != kind.api_version()) {
    return bad("the API version in the data (" + std::string(object.api_version()) +
               ") does not match the expected API version (" + kind.api_version() + ")");
  }
  if (object.kind() != kind.kind && is_custom) {
    return std::unexpected(k8s::answer::invalid(
        {kind.group, std::string(object.kind())}, object.name(),
        {k8s::FieldError::invalid("kind", json::Value(object.kind()), "must be " + kind.kind)}));
  }
  if (object.kind() != kind.kind) {
    return bad(std::string(object.kind()) + " in version " + quote(kind.version) +
               " cannot be handled as a " + kind.kind + ": unknown conversion");
  }
  return {};
}

}  // namespace

k8s::StatusResult<BodyFormat> body_format(const Call& call, const k8s::GroupVersionKind& expected) {
  const std::string type = media_type_of(call);
  if (type.empty() || type == json_type) return BodyFormat::json;
  if (type == yaml_type) return BodyFormat::yaml;
  // Options are of a built-in kind, whatever they are for.
  const bool is_built_in = !call.resource->is_custom || expected.kind == "DeleteOptions";
  if (!is_built_in) return std::unexpected(k8s::answer::unsupported_media_type({json_type, yaml_type}));
  if (type == protobuf_type) return BodyFormat::protobuf;
  return std::unexpected(k8s::answer::unsupported_media_type({json_type, yaml_type, protobuf_type}));
}

k8s::StatusResult<json::Value> read_value(Call& call, const k8s::GroupVersionKind& expected) {
  const auto format = body_format(call, expected);
  if (!format) return std::unexpected(format.error());
  if (*format == BodyFormat::yaml) return read_yaml(call);
  if (*format == BodyFormat::protobuf) return read_protobuf_body(call, expected);
  auto value = json::parse(call.http.body);
  if (!value) return bad(value.error().message);
  return *std::move(value);
}

k8s::StatusResult<k8s::Dynamic> read_object(Call& call, const k8s::GroupVersionKind& kind) {
  auto value = read_value(call, kind);
  if (!value) return std::unexpected(value.error());
  if (!value->is_object()) {
    return bad("the object provided is unrecognized (must be of type " + kind.kind +
               "): the body is no JSON object");
  }
  k8s::Dynamic object(std::move(value->get_object()));
  const json::Value* metadata = object.find("metadata");
  if (metadata != nullptr && !metadata->is_object() && !metadata->is_null()) {
    return bad(kind.kind + " in version " + quote(kind.version) + " cannot be handled as a " + kind.kind +
               ": metadata is no object");
  }
  if (metadata == nullptr || metadata->is_null()) object.set("metadata", json::Value(json::Object{}));
  if (object.kind().empty()) object.set("kind", kind.kind);
  if (object.api_version().empty()) object.set("apiVersion", kind.api_version());
  const bool is_custom = call.resource->is_custom && kind == call.resource->kind;
  if (auto checked = check_type(object, kind, is_custom); !checked) return std::unexpected(checked.error());
  if (call.resource->is_namespaced()) {
    if (object.namespace_name().empty()) {
      object.set_namespace_name(call.path.namespace_name);
    } else if (object.namespace_name() != call.path.namespace_name) {
      return bad("the namespace of the provided object does not match the namespace sent on the request");
    }
  }
  return object;
}

}  // namespace fairway::apiserver::rest
