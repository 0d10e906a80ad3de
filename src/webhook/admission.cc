// SPDX-License-Identifier: Apache-2.0

#include "webhook/admission.h"

#include <algorithm>
#include <exception>

#include "base/json_unambiguous.h"
#include "base/text.h"
#include "k8s/patch/json_patch.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/status_errors.h"

namespace fairway::webhook {

namespace {

k8s::AdmissionResponse to_response(const AdmissionRequest& request, const AdmissionAnswer& answer) {
  k8s::AdmissionResponse response{.uid = std::string(request.uid()),
                                  .allowed = answer.allowed,
                                  .warnings = answer.warnings,
                                  .audit_annotations = answer.audit_annotations};
  if (!answer.allowed) response.status = answer.status;
  if (answer.allowed && answer.changed && request.object() != nullptr) {
    json::Array patch = k8s::json_patch_between(json::Value(*request.object()), json::Value(*answer.changed));
    if (!patch.empty()) response.patch = std::move(patch);
  }
  return response;
}

/// Returns the reason why an object of a request cannot be read; nothing if it can.
std::optional<std::string> fault_of(const AdmissionRequest& request, std::string_view name, bool needed) {
  const std::string where = "request." + std::string(name);
  const json::Value* value = request.find(name);
  if (value == nullptr || value->is_null())
    return needed ? std::optional(where + " is missing") : std::nullopt;
  if (!value->is_object()) return where + " is no object";
  const json::Value* kind = request.find("kind");
  if (kind == nullptr || request.operation() == AdmissionOperation::connect) return std::nullopt;
  if (!kind->is_object()) return "request.kind is no object";
  const k8s::View object(value->get_object());
  const k8s::GroupVersionKind said = request.kind();
  const std::string api_version = said.group.empty() ? said.version : said.group + "/" + said.version;
  if (object.text("kind") == said.kind && object.text("apiVersion") == api_version) return std::nullopt;
  return where + " is a " + printable(object.text("apiVersion"), 80) + " " +
         printable(object.text("kind"), 80) + ", and request.kind says " + printable(api_version, 80) + " " +
         printable(said.kind, 80);
}

/// Returns the fault of a request's objects; nothing if it has none. A handler lets through what it does not
/// object to, so it is not called for objects that it could not read.
std::optional<std::string> fault_of(const AdmissionRequest& request) {
  using enum AdmissionOperation;
  const AdmissionOperation operation = request.operation();
  if (auto fault = fault_of(request, "object", operation == create || operation == update)) return fault;
  return fault_of(request, "oldObject", operation == update || operation == remove);
}

AdmissionReply refusal(const k8s::Status& status) {
  return {status.code(), status.to_text(), false};
}

}  // namespace

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
  if (!field.empty()) {
    answer.status.add_cause(k8s::cause::field_value_invalid, k8s::behind_field(message, field), field);
  }
  return answer;
}

AdmissionAnswer AdmissionAnswer::deny(const Error& error) {
  return deny(error.code == ErrorCode::forbidden ? k8s::reason::forbidden : k8s::reason::invalid,
              error.message, k8s::leading_field(error.message));
}

AdmissionReply answer_admission(const AdmissionHandler& handler, std::string_view body) {
  const auto review = json::parse_unambiguous(body);
  if (!review)
    return refusal(k8s::answer::bad_request("reading an AdmissionReview: " + review.error().message));
  const auto request = k8s::read_admission_request(*review);
  if (!request) return refusal(k8s::answer::bad_request(request.error().message));
  if (const auto fault = fault_of(*request)) {
    const auto answer =
        AdmissionAnswer::deny(k8s::reason::bad_request, "reading an AdmissionReview: " + *fault);
    return {200, k8s::write_admission_response(to_response(*request, answer)), false};
  }
  try {
    const AdmissionAnswer answer = handler(*request);
    return {200, k8s::write_admission_response(to_response(*request, answer)), answer.allowed};
  } catch (const std::exception& fault) {
    return refusal(k8s::Status::failure(k8s::reason::internal_error,
                                        std::string("a fault of the webhook: ") + fault.what()));
  }
}

}  // namespace fairway::webhook
