// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/admission_review.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/internal/wire/type_json.h"

namespace fairway::k8s {

namespace {

constexpr std::string_view review_kind = "AdmissionReview", json_patch = "JSONPatch";

std::string_view api_version_of(AdmissionVersion version) {
  return version == AdmissionVersion::v1 ? "admission.k8s.io/v1" : "admission.k8s.io/v1beta1";
}

constexpr std::array operations = {AdmissionOperation::create, AdmissionOperation::update,
                                   AdmissionOperation::remove, AdmissionOperation::connect};

std::string review_text(AdmissionVersion version, std::string_view member, json::Object content) {
  std::string text;
  json::append_text(text, json::Object{{"kind", review_kind},
                                       {"apiVersion", api_version_of(version)},
                                       {member, std::move(content)}});
  return text;
}

json::Object resource_json(const GroupVersionResource& resource) {
  return {{"group", resource.group}, {"version", resource.version}, {"resource", resource.resource}};
}

json::Value object_or_null(const json::Object* object) {
  return object != nullptr ? json::Value(*object) : json::Value(nullptr);
}

json::Object user_json(const AdmissionUser& user) {
  json::Object object;
  if (!user.name.empty()) object["username"] = user.name;
  if (!user.uid.empty()) object["uid"] = user.uid;
  if (!user.groups.empty()) object["groups"] = texts_json(user.groups);
  if (!user.extra.empty()) {
    json::Object extra;
    for (const auto& [key, values] : user.extra) extra[key] = texts_json(values);
    object["extra"] = std::move(extra);
  }
  return object;
}

std::unexpected<Error> bad(std::string why) {
  return fail(ErrorCode::invalid, std::move(why));
}

/// Returns a member that is present and not null, otherwise nullptr.
const json::Value* present(const json::Object& object, std::string_view name) {
  const json::Value* value = object.if_contains(name);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

Result<std::optional<json::Array>> read_patch(const json::Object& response, bool mutating,
                                              AdmissionVersion version) {
  const json::Value* patch = present(response, "patch");
  const json::Value* type = present(response, "patchType");
  if (patch != nullptr && !patch->is_string()) return bad("response.patch is no text");
  if (type != nullptr && !type->is_string()) return bad("response.patchType is no text");
  const std::string_view encoded =
      patch != nullptr ? std::string_view(patch->get_string()) : std::string_view{};
  if (version == AdmissionVersion::v1) {
    if (!mutating) {
      if (!encoded.empty()) return bad("validating webhook may not return response.patch");
      if (type != nullptr) return bad("validating webhook may not return response.patchType");
      return std::nullopt;
    }
    if (!encoded.empty() && type == nullptr)
      return bad("webhook returned response.patch but not response.patchType");
    if (encoded.empty() && type != nullptr)
      return bad("webhook returned response.patchType but not response.patch");
    if (type != nullptr && type->get_string().empty()) {
      return bad("webhook returned invalid response.patchType of \"\"");
    }
    if (type != nullptr && type->get_string() != json_patch) {
      return bad("unsupported patch type " + quote(std::string_view(type->get_string())));
    }
  }
  if (!mutating || encoded.empty()) return std::nullopt;
  const auto text = base64_decode(encoded);
  if (!text) return bad("received undecodable patch in webhook response: it is no base64");
  auto value = json::parse(*text);
  if (!value) return bad("received undecodable patch in webhook response: " + value.error().message);
  if (!value->is_array()) return bad("received undecodable patch in webhook response: it is no list");
  return std::move(value->get_array());
}

}  // namespace

std::string_view to_string(AdmissionOperation operation) {
  switch (operation) {
    case AdmissionOperation::create:
      return "CREATE";
    case AdmissionOperation::update:
      return "UPDATE";
    case AdmissionOperation::remove:
      return "DELETE";
    case AdmissionOperation::connect:
      return "CONNECT";
  }
  return "";
}

std::optional<AdmissionVersion> choose_admission_version(const std::vector<std::string_view>& versions) {
  for (const std::string_view version : versions) {
    if (version == "v1") return AdmissionVersion::v1;
    if (version == "v1beta1") return AdmissionVersion::v1beta1;
  }
  return std::nullopt;
}

GroupVersionKind AdmissionRequest::kind() const {
  const View kind = at("kind");
  return {std::string(kind.text("group")), std::string(kind.text("version")), std::string(kind.text("kind"))};
}

GroupVersionResource AdmissionRequest::resource() const {
  const View resource = at("resource");
  return {std::string(resource.text("group")), std::string(resource.text("version")),
          std::string(resource.text("resource"))};
}

const json::Object* AdmissionRequest::find_object(std::string_view name) const {
  const json::Value* value = find(name);
  return value != nullptr ? value->if_object() : nullptr;
}

Result<AdmissionRequest> read_admission_request(const json::Value& review) {
  const std::string_view api_version = api_version_of(AdmissionVersion::v1);
  const auto none = [&](std::string_view why) {
    return bad("the body is no AdmissionReview of " + std::string(api_version) + ": " + std::string(why));
  };
  if (const auto text = json::find_string(review, "apiVersion"); text != api_version) {
    return none("apiVersion is '" + printable(text.value_or(""), 80) + "'");
  }
  if (const auto text = json::find_string(review, "kind"); text != review_kind) {
    return none("kind is '" + printable(text.value_or(""), 80) + "'");
  }
  const json::Value* request = json::find(review, "request");
  if (request == nullptr || !request->is_object()) return none("it has no request");
  const View view(request->get_object());
  if (view.text("uid").empty()) return none("request.uid is missing");
  const auto* operation = std::ranges::find_if(
      operations, [&](AdmissionOperation one) { return to_string(one) == view.text("operation"); });
  if (operation == operations.end()) {
    return none("request.operation is '" + printable(view.text("operation"), 80) + "'");
  }
  return AdmissionRequest(request->get_object(), *operation);
}

std::string write_admission_request(const AdmissionQuestion& question, AdmissionVersion version) {
  json::Object request{{"uid", question.uid},
                       {"kind", kind_json(question.kind)},
                       {"resource", resource_json(question.resource)}};
  if (!question.subresource.empty()) request["subResource"] = question.subresource;
  request["requestKind"] = kind_json(question.request_kind.value_or(question.kind));
  request["requestResource"] = resource_json(question.request_resource.value_or(question.resource));
  if (!question.subresource.empty()) request["requestSubResource"] = question.subresource;
  if (!question.name.empty()) request["name"] = question.name;
  if (!question.namespace_name.empty()) request["namespace"] = question.namespace_name;
  request["operation"] = to_string(question.operation);
  request["userInfo"] = user_json(question.user);
  request["object"] = object_or_null(question.object);
  request["oldObject"] = object_or_null(question.old_object);
  request["dryRun"] = question.dry_run;
  request["options"] = object_or_null(question.options);
  return review_text(version, "request", std::move(request));
}

std::string write_admission_response(const AdmissionResponse& response, AdmissionVersion version) {
  json::Object content{{"uid", response.uid}, {"allowed", response.allowed}};
  if (response.status) content["status"] = response.status->json();
  if (response.patch) {
    std::string text;
    json::append_text(text, json::Value(*response.patch));
    content["patchType"] = json_patch;
    content["patch"] = base64_encode(text);
  }
  if (!response.warnings.empty()) content["warnings"] = texts_json(response.warnings);
  if (!response.audit_annotations.empty()) {
    json::Object annotations;
    for (const auto& [key, value] : response.audit_annotations) annotations[key] = value;
    content["auditAnnotations"] = std::move(annotations);
  }
  return review_text(version, "response", std::move(content));
}

Result<AdmissionResponse> read_admission_response(std::string_view review, std::string_view uid,
                                                  bool mutating, AdmissionVersion version) {
  const auto document = json::parse(review);
  if (!document) return fail(document.error().within("reading the webhook's answer"));
  if (!document->is_object()) return bad("reading the webhook's answer: it is no JSON object");
  const View root(document->get_object());
  if (!root.has("response")) return bad("webhook response was absent");
  const json::Value* member = root.find("response");
  if (!member->is_object()) return bad("response is no object");
  const json::Object& response = member->get_object();
  const View view(response);
  AdmissionResponse read;
  read.uid = view.text("uid");
  if (version == AdmissionVersion::v1) {
    if (read.uid != uid) return bad("expected response.uid=" + quote(uid) + ", got " + quote(read.uid));
    if (root.text("apiVersion") != api_version_of(version) || root.text("kind") != review_kind) {
      return bad("expected webhook response of " + std::string(api_version_of(version)) +
                 ", Kind=" + std::string(review_kind) + ", got " + printable(root.text("apiVersion"), 80) +
                 ", Kind=" + printable(root.text("kind"), 80));
    }
  }
  const json::Value* allowed = present(response, "allowed");
  if (allowed != nullptr && !allowed->is_bool()) return bad("response.allowed is neither true nor false");
  read.allowed = allowed != nullptr && allowed->get_bool();
  if (const json::Value* status = present(response, "status")) {
    if (!status->is_object()) return bad("response.status is no object");
    read.status = Status(status->get_object());
  }
  auto patch = read_patch(response, mutating, version);
  if (!patch) return fail(patch.error());
  read.patch = *std::move(patch);
  if (const json::Value* warnings = present(response, "warnings")) {
    if (!warnings->is_array()) return bad("response.warnings is no list");
    for (const json::Value& warning : warnings->get_array()) {
      if (!warning.is_string()) return bad("response.warnings has an entry that is no text");
      read.warnings.emplace_back(warning.get_string());
    }
  }
  if (const json::Value* annotations = present(response, "auditAnnotations")) {
    if (!annotations->is_object()) return bad("response.auditAnnotations is no object");
    for (const auto& [key, value] : annotations->get_object()) {
      if (!value.is_string()) return bad("response.auditAnnotations has an entry that is no text");
      read.audit_annotations.emplace_back(std::string(key), std::string(value.get_string()));
    }
  }
  return read;
}

Status admission_denial(std::string_view webhook, const AdmissionResponse& response) {
  StatusFields fields = response.status ? response.status->fields() : StatusFields{};
  const std::string denied = "admission webhook " + quote(webhook) + " denied the request";
  fields.success = false;
  fields.code = std::max(fields.code, 400);
  if (!fields.message.empty()) {
    fields.message = denied + ": " + fields.message;
  } else if (!fields.reason.empty()) {
    fields.message = denied + ": " + fields.reason;
  } else {
    fields.message = denied + " without explanation";
  }
  return Status::of(fields);
}

}  // namespace fairway::k8s
