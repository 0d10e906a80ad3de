// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/audit/body_check.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apiserver/internal/audit/embedded_secrets.h"
#include "apiserver/internal/audit/patch_documents.h"
#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/strict_fields.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "k8s/object.h"

namespace fairway::apiserver::audit {
namespace {

bool is_version(std::string_view version, const ExpectedKind& expected) {
  if (version == expected.kind.api_version()) return true;
  // Options belong to each group version.
  return expected.kind.kind == "DeleteOptions" &&
         (version == "meta.k8s.io/v1" || version == expected.resource.kind.api_version());
}

std::string why_of_another_kind(const json::Object& object, const ExpectedKind& expected) {
  for (const std::string_view name : {"kind", "apiVersion"}) {
    const json::Value* value = object.if_contains(name);
    if (value == nullptr && expected.is_optional) continue;
    if (value == nullptr || !value->is_string()) return "the body names no " + std::string(name);
    const std::string_view text(value->get_string());
    if (name == "kind" ? text != expected.kind.kind : !is_version(text, expected)) {
      return "the body is of another kind than " + expected.to_string();
    }
  }
  return {};
}

/// Returns the reason why the fields of a document do not fit the expected kind. Built-in kinds are checked
/// by their tables, custom resources by their schema.
std::string why_of_fields(const json::Value& document, const ExpectedKind& expected) {
  std::string unknown = "the body has a field that " + expected.to_string() + " does not have";
  if (const kinds::MessageType* type = kinds::Kinds::find(expected.kind)) {
    if (!kinds::strict_field_errors(json::to_text(document), *type).empty()) return unknown;
    if (!kinds::read_typed(document, *type)) return "the body does not fit " + expected.to_string();
    return {};
  }
  if (!expected.resource.is_custom || expected.kind != expected.resource.kind) {
    return "the fields of " + expected.to_string() + " are not known";
  }
  k8s::Dynamic object(document.get_object());
  if (!expected.resource.strategy->read(object, schema::Nulls::removed).empty()) return unknown;
  return {};
}

std::string why_of_document(const json::Value& document, const ExpectedKind& expected) {
  if (!document.is_object()) return "the body is no object";
  std::string why = why_of_another_kind(document.get_object(), expected);
  if (why.empty()) why = why_of_fields(document, expected);
  return why;
}

std::string why_of_json_patch(const json::Value& patch, ExpectedKind expected) {
  const auto documents = documents_of_json_patch(patch, kinds::Kinds::find(expected.kind));
  if (!documents) return "the body is no JSON patch";
  for (const PatchDocument& document : *documents) {
    expected.is_optional = !document.is_whole;
    if (std::string why = why_of_document(document.value, expected); !why.empty()) return why;
  }
  return {};
}

std::string why_of_content(const SentBody& body, ExpectedKind expected) {
  if (body.patch == k8s::PatchType::json) return why_of_json_patch(body.value, expected);
  if (body.patch && *body.patch != k8s::PatchType::apply) expected.is_optional = true;
  if (body.patch != k8s::PatchType::strategic) return why_of_document(body.value, expected);
  const auto plain = without_directives(body.value);
  return plain ? why_of_document(*plain, expected) : "the body is no strategic merge patch";
}

}  // namespace

std::string why_uncertain(const SentBody& body, const ExpectedKind& expected) {
  if (!body.value.is_object() && body.patch != k8s::PatchType::json) return "the body is no object";
  if (!kinds::duplicate_field_errors(body.text).empty()) return "the body has a field twice";
  if (std::string why = why_of_content(body, expected); !why.empty()) return why;
  // A certificate request is known for one, and its request is taken out; others are not in it.
  const bool is_request = expected.kind.group == "certificates.k8s.io";
  const bool has_secret =
      is_request ? std::ranges::any_of(body.value.get_object(),
                                       [](const auto& member) { return holds_secret(member.value()); })
                 : holds_secret(body.value);
  return has_secret ? "the body holds a Secret or a token" : "";
}

}  // namespace fairway::apiserver::audit
