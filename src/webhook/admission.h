// AdmissionReview (admission.k8s.io/v1): what an API server asks of validating and mutating webhooks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/view.h"

namespace fairway::kube {

enum class AdmissionOperation { create, update, remove, connect };

/// The `request` of a review: views into it, valid while the handler runs.
class AdmissionRequest : public k8s::View {
 public:
  AdmissionRequest(const json::Object& request, AdmissionOperation operation)
      : View(request), operation_(operation) {}

  AdmissionOperation operation() const { return operation_; }
  std::string_view uid() const { return text("uid"); }
  /// Of the object as it is shown to the webhook.
  k8s::GroupVersionKind kind() const;
  k8s::GroupVersionResource resource() const;
  /// "status", "scale"; empty for the object itself.
  std::string_view subresource() const { return text("subResource"); }
  /// Empty where the server makes the name of generateName.
  std::string_view name() const { return text("name"); }
  std::string_view namespace_name() const { return text("namespace"); }
  std::string_view user() const { return text("userInfo.username"); }
  std::vector<std::string_view> user_groups() const { return texts("userInfo.groups"); }
  /// Nothing may have a side effect then.
  bool dry_run() const { return flag("dryRun"); }
  /// As it is to be; nullptr for `remove`.
  const json::Object* object() const { return find_object("object"); }
  /// As it was; nullptr for `create`.
  const json::Object* old_object() const { return find_object("oldObject"); }

 private:
  const json::Object* find_object(std::string_view name) const;
  AdmissionOperation operation_;
};

/// What a webhook says.
struct AdmissionAnswer {
  bool allowed = true;
  /// Why it is denied.
  k8s::Status status;
  /// Shown to the user, each at most 120 characters by convention.
  std::vector<std::string> warnings;
  /// The object as it should be: the reply carries the JSON patch that makes it of the one in the request.
  std::optional<json::Object> changed;
  /// Keys without a domain; the server puts the webhook's name before them.
  std::vector<std::pair<std::string, std::string>> audit_annotations;

  static AdmissionAnswer allow() { return {}; }
  static AdmissionAnswer change(json::Object object);
  /// `field`, where it is known, is named as the cause.
  static AdmissionAnswer deny(std::string_view reason, std::string_view message, std::string_view field = {});
  /// The same of an error: "spec.size: too large" names the field spec.size.
  static AdmissionAnswer deny(const Error& error);
};

using AdmissionHandler = std::function<AdmissionAnswer(const AdmissionRequest&)>;

struct AdmissionReply {
  /// 200 with a review, 400 or 500 with a Status.
  int http_status = 200;
  std::string body;
  bool allowed = false;
};

/// Answers a review. A handler that throws is a failure (500) and no answer: the webhook's failurePolicy
/// decides.
AdmissionReply answer_admission(const AdmissionHandler& handler, std::string_view body);

/// The field that begins an error: "spec.size" of "spec.size: too large"; else empty.
std::string_view leading_field(std::string_view message);

}  // namespace fairway::kube
