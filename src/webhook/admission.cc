#include "webhook/admission.h"

#include <exception>

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
  if (!field.empty()) answer.status.add_cause(k8s::cause::field_value_invalid, message, field);
  return answer;
}

AdmissionAnswer AdmissionAnswer::deny(const Error& error) {
  return deny(error.code == ErrorCode::forbidden ? k8s::reason::forbidden : k8s::reason::invalid,
              error.message, k8s::leading_field(error.message));
}

AdmissionReply answer_admission(const AdmissionHandler& handler, std::string_view body) {
  const auto review = json::parse(body);
  if (!review)
    return refusal(k8s::answer::bad_request("reading an AdmissionReview: " + review.error().message));
  const auto request = k8s::read_admission_request(*review);
  if (!request) return refusal(k8s::answer::bad_request(request.error().message));
  try {
    const AdmissionAnswer answer = handler(*request);
    return {200, k8s::write_admission_response(to_response(*request, answer)), answer.allowed};
  } catch (const std::exception& fault) {
    return refusal(k8s::Status::failure(k8s::reason::internal_error,
                                        std::string("a fault of the webhook: ") + fault.what()));
  }
}

}  // namespace fairway::webhook
