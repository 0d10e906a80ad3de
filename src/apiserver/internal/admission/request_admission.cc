// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/request_admission.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/quoted_text.h"
#include "k8s/wire/options.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::admission {

namespace {

/// Time that a request may take in all, as in kube-apiserver: a little more than the longest webhook.
constexpr std::chrono::seconds limit_of_request{34};
constexpr const char* options_version = "meta.k8s.io/v1";

}  // namespace

cel::Authorizer::Answer RequestAuthorizer::decide(const Question& question) const {
  access::Attributes asked;
  asked.verb = question.verb;
  asked.is_resource = question.path.empty();
  asked.path = question.path;
  asked.group = question.group;
  asked.version = "*";
  asked.resource = question.resource;
  asked.subresource = question.subresource;
  asked.namespace_name = question.namespace_name;
  asked.name = question.name;
  const bool is_account = !question.account_name.empty();
  access::Decision decision =
      is_account
          ? options_.authorize(
                access::User::service_account(question.account_namespace, question.account_name, ""), asked)
          : options_.authorize(user_, asked);
  return {.allowed = decision.allowed, .reason = std::move(decision.reason)};
}

Admission::Admission(AdmissionOptions options)
    : options_(std::move(options)), configurations_(options_.sources.storage) {}

k8s::StatusResult<std::unique_ptr<objects::WriteAdmission>> Admission::begin(AdmissionCall call) {
  auto configured = configurations_.current();
  if (!configured) {
    return std::unexpected(
        k8s::answer::internal_error("reading the admission configuration: " + configured.error().message));
  }
  if ((*configured)->empty()) return nullptr;
  return std::make_unique<RequestAdmission>(*this, *std::move(configured), std::move(call));
}

RequestAdmission::RequestAdmission(Admission& admission, std::shared_ptr<const Configured> configured,
                                   AdmissionCall call)
    : admission_(admission),
      configured_(std::move(configured)),
      call_(std::move(call)),
      authorizer_(admission.options_, call_.user),
      limits_(Limits::within(Clock::system(), limit_of_request, admission.stop_.get_token())) {}

k8s::StatusResult<void> RequestAdmission::take_place(const Webhook& webhook) {
  if (has_place_) return {};
  auto place = admission_.options_.waits.enter("the admission webhook " + quote(webhook.name()));
  if (!place) return std::unexpected(place.error());
  place_ = *std::move(place);
  has_place_ = true;
  return {};
}

Attributes RequestAdmission::attributes_of(k8s::AdmissionOperation operation,
                                           const resources::ServedResource& resource,
                                           const k8s::Dynamic* object, const k8s::Dynamic* old) const {
  Attributes attributes{.operation = operation,
                        .resource = resource,
                        .subresource = call_.subresource,
                        .kind = call_.kind,
                        .namespace_name = call_.namespace_name,
                        .name = call_.name,
                        .user = call_.user,
                        .dry_run = call_.dry_run,
                        .options = {},
                        .object = object,
                        .old = old};
  const k8s::Dynamic& any = object != nullptr ? *object : *old;
  // A delete of a collection names none.
  if (attributes.name.empty() && object != nullptr) attributes.name = any.name();
  if (attributes.is_of_namespaces()) attributes.namespace_name = any.name();
  if (attributes.namespace_name.empty() && resource.is_namespaced()) {
    attributes.namespace_name = any.namespace_name();
  }
  attributes.options["kind"] =
      operation == k8s::AdmissionOperation::create ? "CreateOptions" : "UpdateOptions";
  attributes.options["apiVersion"] = options_version;
  for (const auto& member : call_.options) attributes.options[member.key()] = member.value();
  return attributes;
}

k8s::StatusResult<void> RequestAdmission::mutate(const resources::ServedResource& resource,
                                                 k8s::Dynamic& object, const k8s::Dynamic* old) {
  if (configured_->mutating.empty()) return {};
  const auto operation = old == nullptr ? k8s::AdmissionOperation::create : k8s::AdmissionOperation::update;
  return run_mutating(attributes_of(operation, resource, &object, old), &object);
}

k8s::StatusResult<void> RequestAdmission::validate(const resources::ServedResource& resource,
                                                   const k8s::Dynamic& object, const k8s::Dynamic* old) {
  if (configured_->policies.empty() && configured_->validating.empty()) return {};
  const auto operation = old == nullptr ? k8s::AdmissionOperation::create : k8s::AdmissionOperation::update;
  const Attributes attributes = attributes_of(operation, resource, &object, old);
  if (is_exempt(attributes)) return {};
  if (auto checked = run_policies(attributes); !checked) return checked;
  return run_validating(attributes);
}

k8s::StatusResult<void> RequestAdmission::remove(const resources::ServedResource& resource,
                                                 const k8s::Dynamic& old, const k8s::DeleteOptions& options) {
  Attributes attributes = attributes_of(k8s::AdmissionOperation::remove, resource, nullptr, &old);
  attributes.options = {{"kind", "DeleteOptions"}, {"apiVersion", options_version}};
  if (auto given = json::parse(k8s::to_body(options)); given && given->is_object()) {
    for (const auto& member : given->get_object()) {
      if (!attributes.options.contains(member.key())) attributes.options[member.key()] = member.value();
    }
  }
  if (is_exempt(attributes)) return {};
  if (auto checked = run_mutating(attributes, nullptr); !checked) return checked;
  if (auto checked = run_policies(attributes); !checked) return checked;
  return run_validating(attributes);
}

k8s::StatusResult<void> RequestAdmission::fail_call(const Webhook& webhook, const CallFailure& failure,
                                                    const std::string& annotation, Notes& notes) const {
  if (failure.is_of_request) {
    if (limits_.stop.stop_requested()) {
      return std::unexpected(k8s::answer::service_unavailable("the server is stopping"));
    }
    return std::unexpected(k8s::answer::timeout("request did not complete within requested timeout"));
  }
  const std::string why = "failed calling webhook " + quote(webhook.name()) + ": " + failure.why;
  if (!webhook.ignores_failures()) return std::unexpected(k8s::answer::internal_error(why));
  log::warning("an admission webhook that may fail has failed", {{"why", why}});
  notes.annotations.emplace_back("failed-open." + annotation, webhook.name());
  return {};
}

}  // namespace fairway::apiserver::admission
