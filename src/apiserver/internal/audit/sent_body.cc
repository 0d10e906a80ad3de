// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/audit/sent_body.h"

#include <string_view>
#include <utility>

#include "apiserver/internal/protobuf/request_body.h"
#include "base/text.h"
#include "k8s/documents.h"

namespace fairway::apiserver::audit {
namespace {

/// Returns an error that quotes nothing: the errors of parsers may quote what they read.
std::unexpected<Error> unreadable(std::string_view form) {
  return fail(ErrorCode::invalid, "the body cannot be read as " + std::string(form));
}

std::unexpected<Error> unknown_type() {
  return fail(ErrorCode::unsupported, "the body has a Content-Type that the server does not read here");
}

Result<SentBody> read_json(std::string_view text) {
  auto value = json::parse(text);
  if (!value) return unreadable("JSON");
  return SentBody{.value = *std::move(value), .text = std::string(text), .patch = {}};
}

Result<SentBody> read_yaml(std::string_view text) {
  // A key that is there twice is an error.
  auto documents = k8s::read_documents(text);
  if (!documents || documents->size() != 1) return unreadable("one YAML document without duplicate keys");
  SentBody body{.value = std::move(documents->front().value), .text = {}, .patch = {}};
  body.text = json::to_text(body.value);
  return body;
}

Result<SentBody> read_envelope(std::string_view bytes, const std::optional<k8s::GroupVersionKind>& expected) {
  auto read = protobuf::read_protobuf(bytes, expected);
  if (!read) return unreadable("protobuf of a built-in kind");
  if (!read->unknown_fields.empty()) return unreadable("protobuf: it has fields that the kind does not have");
  SentBody body{.value = std::move(read->document), .text = {}, .patch = {}};
  body.text = json::to_text(body.value);
  return body;
}

}  // namespace

Result<SentBody> read_sent_body(const http::Request& request, bool is_patch,
                                const std::optional<k8s::GroupVersionKind>& expected) {
  const std::string_view header = request.header("Content-Type").value_or("");
  if (is_patch) {
    using Type = k8s::PatchType;
    const auto type = k8s::parse_patch_type(header, {Type::json, Type::merge, Type::strategic, Type::apply});
    if (!type) return unknown_type();
    auto body = *type == Type::apply ? read_yaml(request.body) : read_json(request.body);
    if (body) body->patch = *type;
    return body;
  }
  const std::string type = to_lower(trim(header.substr(0, header.find(';'))));
  if (type.empty() || type == "application/json") return read_json(request.body);
  if (type == "application/yaml") return read_yaml(request.body);
  if (type == "application/vnd.kubernetes.protobuf") return read_envelope(request.body, expected);
  return unknown_type();
}

}  // namespace fairway::apiserver::audit
