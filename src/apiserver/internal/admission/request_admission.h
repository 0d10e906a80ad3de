// SPDX-License-Identifier: Apache-2.0

// The admission of one request.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apiserver/internal/admission/admission.h"
#include "base/limits.h"
#include "cel/library/authorizer.h"

namespace fairway::apiserver::admission {

/// Answers questions about the rights of a request's user, and of ServiceAccounts.
class RequestAuthorizer final : public cel::Authorizer {
 public:
  RequestAuthorizer(const AdmissionOptions& options, const access::User& user)
      : options_(options), user_(user) {}
  Answer decide(const Question& question) const override;

 private:
  const AdmissionOptions& options_;
  const access::User& user_;
};

/// The admission of one request.
/// Rules: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating and /validating.
class RequestAdmission final : public objects::WriteAdmission {
 public:
  RequestAdmission(Admission& admission, std::shared_ptr<const Configured> configured, AdmissionCall call);

  k8s::StatusResult<void> mutate(const resources::ServedResource& resource, k8s::Dynamic& object,
                                 const k8s::Dynamic* old) override;
  k8s::StatusResult<void> validate(const resources::ServedResource& resource, const k8s::Dynamic& object,
                                   const k8s::Dynamic* old) override;
  k8s::StatusResult<void> remove(const resources::ServedResource& resource, const k8s::Dynamic& old,
                                 const k8s::DeleteOptions& options) override;

 private:
  using Checked = k8s::StatusResult<void>;
  struct Rounds;

  Attributes attributes_of(k8s::AdmissionOperation operation, const resources::ServedResource& resource,
                           const k8s::Dynamic* object, const k8s::Dynamic* old) const;
  /// Takes the request's place among those that wait for webhooks, at the first webhook. It is kept as long
  /// as this lives.
  Checked take_place(const Webhook& webhook);

  Checked run_mutating(const Attributes& attributes, k8s::Dynamic* object);
  Checked run_round(const Attributes& attributes, k8s::Dynamic* object, Rounds& rounds);
  /// Calls a mutating webhook. Returns whether it has changed the object.
  k8s::StatusResult<bool> ask_mutating(const Webhook& webhook, const Attributes& attributes,
                                       const Matched& matched, k8s::Dynamic* object, const std::string& place,
                                       Notes& notes);
  k8s::StatusResult<bool> apply_patch(const Webhook& webhook, const json::Array& patch,
                                      const Attributes& attributes, const Matched& matched,
                                      k8s::Dynamic* object, k8s::Dynamic versioned);

  Checked run_policies(const Attributes& attributes);
  k8s::StatusResult<Inputs> policy_inputs(const Attributes& attributes, const Matched& matched) const;
  Checked run_policy(const Configured::BoundPolicy& bound, const Attributes& attributes,
                     std::optional<k8s::Status>& denied);
  Checked run_validating(const Attributes& attributes);
  Checked ask_validating(const Webhook& webhook, const Attributes& attributes, const Matched& matched,
                         const std::string& place, Notes& notes);
  /// Handles a webhook that gave no answer: refuses the request, or goes on by the webhook's failurePolicy.
  Checked fail_call(const Webhook& webhook, const CallFailure& failure, const std::string& annotation,
                    Notes& notes) const;

  Admission& admission_;
  std::shared_ptr<const Configured> configured_;
  AdmissionCall call_;
  RequestAuthorizer authorizer_;
  /// Limits of all webhooks together.
  Limits limits_;
  flow::Waits::Place place_;
  bool has_place_ = false;
  /// True once a webhook has patched the object.
  bool has_patched_ = false;
};

}  // namespace fairway::apiserver::admission
