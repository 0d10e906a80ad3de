// SPDX-License-Identifier: Apache-2.0

// Admission: webhooks and policies admit writes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "apiserver/internal/access/attributes.h"
#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/user.h"
#include "apiserver/internal/admission/attributes.h"
#include "apiserver/internal/admission/configurations.h"
#include "apiserver/internal/flow/waits.h"
#include "apiserver/internal/objects/write_admission.h"
#include "base/result.h"
#include "k8s/status.h"

namespace fairway::apiserver::admission {

struct AdmissionOptions {
  Sources sources;
  /// Decides on the questions of `authorizer` in expressions.
  std::function<access::Decision(const access::User& user, const access::Attributes& attributes)> authorize;
  /// Gives an object that a patch has made its types and defaults. `kind` is that of the resource or of a
  /// subresource.
  std::function<Result<void>(const resources::ServedResource& resource, const k8s::GroupVersionKind& kind,
                             k8s::Dynamic& object)>
      read;
  std::function<std::string()> make_uid;
  /// The places of requests that wait for webhooks.
  flow::Waits& waits;
};

/// The facts of a request that are known before its object is.
struct AdmissionCall {
  access::User user;
  std::string subresource;
  /// Kind of the objects that the request writes.
  k8s::GroupVersionKind kind;
  std::string namespace_name, name;
  bool dry_run = false;
  /// Members of the request's options: `fieldManager`.
  json::Object options;
  /// Warnings and annotations of the request; they outlive the admission.
  Notes& notes;
};

/// Admits writes by webhooks and policies. Safe from all threads.
class Admission {
 public:
  explicit Admission(AdmissionOptions options);

  /// Begins the admission of a request's writes; null: no webhook or policy is configured. Errors (500): the
  /// configuration could not be read.
  k8s::StatusResult<std::unique_ptr<objects::WriteAdmission>> begin(AdmissionCall call);
  /// Ends all calls of webhooks, present and future ones: their requests are refused.
  void stop() { stop_.request_stop(); }

 private:
  friend class RequestAdmission;

  AdmissionOptions options_;
  Configurations configurations_;
  std::stop_source stop_;
};

}  // namespace fairway::apiserver::admission
