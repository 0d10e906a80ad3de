// SPDX-License-Identifier: Apache-2.0

// AdmissionReview (admission.k8s.io): requests of an API server to validating and mutating webhooks, and
// their responses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/status.h"
#include "k8s/view.h"

namespace fairway::k8s {

enum class AdmissionOperation { create, update, remove, connect };

/// Returns the operation as in a review: "CREATE".
std::string_view to_string(AdmissionOperation operation);

/// The version of a review; v1beta1 is for old webhooks.
enum class AdmissionVersion { v1, v1beta1 };

/// Returns the first supported version of a webhook's `admissionReviewVersions`.
std::optional<AdmissionVersion> choose_admission_version(const std::vector<std::string_view>& versions);

/// The `request` of a review: views into it, valid while the review exists.
class AdmissionRequest : public View {
 public:
  AdmissionRequest(const json::Object& request, AdmissionOperation operation)
      : View(request), operation_(operation) {}

  AdmissionOperation operation() const { return operation_; }
  std::string_view uid() const { return text("uid"); }
  /// Kind and resource of the object as sent to the webhook.
  GroupVersionKind kind() const;
  GroupVersionResource resource() const;
  /// Subresource: "status", "scale"; empty for the object itself.
  std::string_view subresource() const { return text("subResource"); }
  /// Name; empty if the server will generate it (generateName).
  std::string_view name() const { return text("name"); }
  std::string_view namespace_name() const { return text("namespace"); }
  std::string_view user() const { return text("userInfo.username"); }
  std::vector<std::string_view> user_groups() const { return texts("userInfo.groups"); }
  /// True in a dry run: the handler must have no side effects then.
  bool dry_run() const { return flag("dryRun"); }
  /// The new object; nullptr for `remove`.
  const json::Object* object() const { return find_object("object"); }
  /// The old object; nullptr for `create`.
  const json::Object* old_object() const { return find_object("oldObject"); }
  /// The options of the write (CreateOptions, ...), or nullptr.
  const json::Object* options() const { return find_object("options"); }

 private:
  const json::Object* find_object(std::string_view name) const;
  AdmissionOperation operation_;
};

/// Reads the request of a v1 review. Errors (`invalid`): wrong apiVersion or kind, no request, no uid, an
/// unknown operation.
Result<AdmissionRequest> read_admission_request(const json::Value& review);

/// The user of the request.
struct AdmissionUser {
  std::string name = {}, uid = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
};

/// The request of an API server.
struct AdmissionQuestion {
  /// Id of the review, unique; the response must have the same.
  std::string uid = {};
  AdmissionOperation operation = AdmissionOperation::create;
  /// Kind and resource that match the webhook's rule; the object is sent in this form.
  GroupVersionKind kind = {};
  GroupVersionResource resource = {};
  std::string subresource = {};
  /// Kind and resource of the client's request, if different.
  std::optional<GroupVersionKind> request_kind = {};
  std::optional<GroupVersionResource> request_resource = {};
  std::string name = {}, namespace_name = {};
  AdmissionUser user = {};
  /// Objects, which must outlive this; nullptr is written as null.
  const json::Object *object = nullptr, *old_object = nullptr, *options = nullptr;
  bool dry_run = false;
};

/// Returns the review as JSON text.
std::string write_admission_request(const AdmissionQuestion& question,
                                    AdmissionVersion version = AdmissionVersion::v1);

/// The response of a webhook.
struct AdmissionResponse {
  std::string uid = {};
  bool allowed = false;
  /// Reason why it is denied; ignored if it is allowed.
  std::optional<Status> status = {};
  /// A JSON patch (RFC 6902).
  std::optional<json::Array> patch = {};
  std::vector<std::string> warnings = {};
  /// Audit annotations. The server adds the webhook's name as prefix of the keys.
  std::vector<std::pair<std::string, std::string>> audit_annotations = {};
};

/// Returns the review as JSON text.
std::string write_admission_response(const AdmissionResponse& response,
                                     AdmissionVersion version = AdmissionVersion::v1);

/// Parses and validates the response to a request with this uid, as kube-apiserver does. In v1 it must be a
/// v1 AdmissionReview with that uid; a mutating webhook must return patch and patchType together, a
/// validating one neither. In v1beta1 only `response` is required. The patch must be a valid JSON patch
/// document. Errors (`invalid`) have the messages of kube-apiserver.
Result<AdmissionResponse> read_admission_response(std::string_view review, std::string_view uid,
                                                  bool mutating,
                                                  AdmissionVersion version = AdmissionVersion::v1);

/// Returns the reply to a client whose request a webhook denied: `admission webhook "NAME" denied the
/// request: WHY`, with the webhook's reason and a code of at least 400.
Status admission_denial(std::string_view webhook, const AdmissionResponse& response);

}  // namespace fairway::k8s
