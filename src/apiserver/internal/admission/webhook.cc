// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/webhook.h"

#include <utility>

#include "base/quoted_text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::admission {

namespace {

constexpr std::int64_t default_timeout = 10, longest_timeout = 30;  // seconds
/// Largest reply, in bytes: a patch of the largest object, in base64, with all other members.
constexpr std::size_t most_answer_bytes = std::size_t{8} << 20;

std::chrono::seconds timeout_of(const k8s::View& webhook) {
  const std::int64_t given = webhook.integer("timeoutSeconds", default_timeout);
  return std::chrono::seconds(given < 1 || given > longest_timeout ? default_timeout : given);
}

k8s::AdmissionUser user_of(const access::User& user) {
  k8s::AdmissionUser made{.name = user.name, .uid = user.uid, .groups = user.groups, .extra = {}};
  for (const auto& [key, values] : user.extra) made.extra.emplace_back(key, values);
  return made;
}

}  // namespace

Webhook::Webhook(const k8s::View& webhook, std::string_view configuration, bool is_mutating,
                 storage::Storage& storage)
    : name_(webhook.text("name")),
      configuration_(configuration),
      is_mutating_(is_mutating),
      ignores_failures_(webhook.text("failurePolicy") == "Ignore"),
      is_reinvoked_(webhook.text("reinvocationPolicy") == "IfNeeded"),
      has_side_effects_(webhook.text("sideEffects") != "None" &&
                        webhook.text("sideEffects") != "NoneOnDryRun"),
      timeout_(timeout_of(webhook)),
      version_(k8s::choose_admission_version(webhook.texts("admissionReviewVersions"))),
      constraints_(webhook, "rules", false),
      conditions_(webhook, {.params = false, .authorizer = true, .variables = {}}),
      client_(webhook.at("clientConfig"), name_, storage) {}

k8s::StatusResult<std::optional<Matched>> Webhook::match(const Attributes& attributes, const Sources& sources,
                                                         const cel::Authorizer* authorizer) const {
  auto matched = constraints_.match(attributes, sources);
  if (!matched || !*matched || conditions_.empty()) return matched;
  const auto versioned = in_version(attributes, **matched);
  if (!versioned) return std::unexpected(versioned.error());
  Inputs inputs = inputs_of(attributes, **matched, versioned->object_json(), versioned->old_json());
  inputs.authorizer = authorizer;
  const auto holds = conditions_.match(inputs, {}, ignores_failures_);
  if (!holds) {
    return std::unexpected(
        k8s::answer::forbidden(attributes.resource.group_resource(), attributes.name, holds.error()));
  }
  if (!*holds) return std::nullopt;
  return matched;
}

std::optional<k8s::Status> Webhook::refuse_dry_run(const Attributes& attributes) const {
  if (!attributes.dry_run || !has_side_effects_) return std::nullopt;
  return k8s::answer::bad_request("admission webhook " + quote(name_) + " does not support dry run");
}

std::expected<k8s::AdmissionResponse, CallFailure> Webhook::ask(const Attributes& attributes,
                                                                const Matched& matched,
                                                                const Versioned& versioned, std::string uid,
                                                                const Limits& limits) const {
  if (!version_) {
    return std::unexpected(
        CallFailure{"could not create admission objects: webhook does not accept known AdmissionReview "
                    "versions (v1, v1beta1)"});
  }
  const k8s::AdmissionQuestion question{.uid = std::move(uid),
                                        .operation = attributes.operation,
                                        .kind = matched.kind,
                                        .resource = matched.resource,
                                        .subresource = attributes.subresource,
                                        .request_kind = attributes.kind,
                                        .request_resource = attributes.resource.group_version_resource(),
                                        .name = attributes.name,
                                        .namespace_name = attributes.namespace_name,
                                        .user = user_of(attributes.user),
                                        .object = versioned.object_json(),
                                        .old_object = versioned.old_json(),
                                        .options = &attributes.options,
                                        .dry_run = attributes.dry_run};
  const Clock& clock = Clock::system();
  const Limits own = limits.at_most(clock, timeout_);
  const auto answer = client_.post(k8s::write_admission_request(question, *version_),
                                   {.limits = own, .most_bytes = most_answer_bytes});
  if (!answer) {
    const bool is_late = answer.error().code == ErrorCode::deadline_exceeded;
    const std::string why =
        is_late ? client_.describe(timeout_) + ": context deadline exceeded" : answer.error().message;
    return std::unexpected(
        CallFailure{.why = "failed to call webhook: " + why, .is_of_request = limits.expired(clock)});
  }
  auto response = k8s::read_admission_response(*answer, question.uid, is_mutating_, *version_);
  if (!response) {
    const std::string& why = response.error().message;
    const bool is_of_patch = why.starts_with("unsupported patch type");
    return std::unexpected(
        CallFailure{.why = is_of_patch ? why : "received invalid webhook response: " + why});
  }
  return *std::move(response);
}

}  // namespace fairway::apiserver::admission
