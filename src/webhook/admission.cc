#include "webhook/admission.h"

#include <algorithm>
#include <array>
#include <exception>

#include "base/base64.h"
#include "base/text.h"
#include "k8s/patch/json_patch.h"

namespace fairway::webhook {

namespace {

constexpr std::string_view review_api_version = "admission.k8s.io/v1", review_kind = "AdmissionReview";

std::optional<AdmissionOperation> read_operation(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, AdmissionOperation>, 4> known = {{
      {"CREATE", AdmissionOperation::create},
      {"UPDATE", AdmissionOperation::update},
      {"DELETE", AdmissionOperation::remove},
      {"CONNECT", AdmissionOperation::connect},
  }};
  for (const auto& [name, operation] : known) {
    if (name == text) return operation;
  }
  return std::nullopt;
}

Result<AdmissionRequest> read_review(const json::Value& review) {
  const auto bad = [](std::string_view why) {
    return fail(ErrorCode::invalid, "the body is no AdmissionReview of " + std::string(review_api_version) +
                                        ": " + std::string(why));
  };
  if (const auto text = json::find_string(review, "apiVersion"); text != review_api_version) {
    return bad("apiVersion is '" + printable(text.value_or(""), 80) + "'");
  }
  if (const auto text = json::find_string(review, "kind"); text != review_kind) {
    return bad("kind is '" + printable(text.value_or(""), 80) + "'");
  }
  const json::Value* request = json::find(review, "request");
  if (request == nullptr || !request->is_object()) return bad("it has no request");
  const k8s::View view(request->get_object());
  if (view.text("uid").empty()) return bad("request.uid is missing");
  const auto operation = read_operation(view.text("operation"));
  if (!operation) return bad("request.operation is '" + printable(view.text("operation"), 80) + "'");
  return AdmissionRequest(request->get_object(), *operation);
}

std::string write_review(const AdmissionRequest& request, const AdmissionAnswer& answer) {
  json::Object response{{"uid", request.uid()}, {"allowed", answer.allowed}};
  if (!answer.allowed) response["status"] = answer.status.json();
  if (answer.allowed && answer.changed && request.object() != nullptr) {
    const json::Array patch =
        k8s::json_patch_between(json::Value(*request.object()), json::Value(*answer.changed));
    if (!patch.empty()) {
      std::string text;
      json::append_text(text, json::Value(patch));
      response["patchType"] = "JSONPatch";
      response["patch"] = base64_encode(text);
    }
  }
  for (const std::string& warning : answer.warnings) {
    json::Value& list = response["warnings"];
    if (!list.is_array()) list.emplace_array();
    list.get_array().emplace_back(warning);
  }
  for (const auto& [key, value] : answer.audit_annotations) {
    json::Value& map = response["auditAnnotations"];
    if (!map.is_object()) map.emplace_object();
    map.get_object()[key] = value;
  }
  std::string text;
  json::append_text(text, json::Object{{"kind", review_kind},
                                       {"apiVersion", review_api_version},
                                       {"response", std::move(response)}});
  return text;
}

AdmissionReply refusal(int http_status, std::string_view message) {
  k8s::Status status = k8s::Status::failure(k8s::reason_of(http_status), message);
  return {http_status, status.to_text(), false};
}

}  // namespace

k8s::GroupVersionKind AdmissionRequest::kind() const {
  const View kind = at("kind");
  return {std::string(kind.text("group")), std::string(kind.text("version")), std::string(kind.text("kind"))};
}

k8s::GroupVersionResource AdmissionRequest::resource() const {
  const View resource = at("resource");
  return {std::string(resource.text("group")), std::string(resource.text("version")),
          std::string(resource.text("resource"))};
}

const json::Object* AdmissionRequest::find_object(std::string_view name) const {
  const json::Value* value = find(name);
  return value != nullptr ? value->if_object() : nullptr;
}

AdmissionAnswer AdmissionAnswer::change(json::Object object) {
  AdmissionAnswer answer;
  answer.changed = std::move(object);
  return answer;
}

AdmissionAnswer AdmissionAnswer::deny(std::string_view reason, std::string_view message,
                                      std::string_view field) {
  AdmissionAnswer answer;
  answer.allowed = false;
  answer.status = k8s::Status::failure(reason, message);
  if (!field.empty()) answer.status.add_cause(k8s::cause::field_value_invalid, message, field);
  return answer;
}

AdmissionAnswer AdmissionAnswer::deny(const Error& error) {
  return deny(error.code == ErrorCode::forbidden ? k8s::reason::forbidden : k8s::reason::invalid,
              error.message, leading_field(error.message));
}

std::string_view leading_field(std::string_view message) {
  const std::string_view part = message.substr(0, message.find(": "));
  if (part.size() == message.size() || part.find_first_of(" \t\n") != std::string_view::npos) return {};
  constexpr std::array<std::string_view, 4> roots = {"spec", "status", "metadata", "data"};
  const bool is_path = part.find_first_of(".[") != std::string_view::npos;
  return is_path || std::ranges::find(roots, part) != roots.end() ? part : std::string_view{};
}

AdmissionReply answer_admission(const AdmissionHandler& handler, std::string_view body) {
  const auto review = json::parse(body);
  if (!review) return refusal(400, "reading an AdmissionReview: " + review.error().message);
  const auto request = read_review(*review);
  if (!request) return refusal(400, request.error().message);
  try {
    const AdmissionAnswer answer = handler(*request);
    return {200, write_review(*request, answer), answer.allowed};
  } catch (const std::exception& fault) {
    return refusal(500, std::string("a fault of the webhook: ") + fault.what());
  }
}

}  // namespace fairway::webhook
