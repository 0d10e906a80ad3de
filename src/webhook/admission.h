// AdmissionReview (admission.k8s.io/v1): the requests of an API server to validating and mutating webhooks.
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

namespace fairway::webhook {

enum class AdmissionOperation { create, update, remove, connect };

/// The `request` of a review: views into it, valid while the handler runs.
class AdmissionRequest : public k8s::View {
 public:
  AdmissionRequest(const json::Object& request, AdmissionOperation operation)
      : View(request), operation_(operation) {}

  AdmissionOperation operation() const { return operation_; }
  std::string_view uid() const { return text("uid"); }
  /// Of the object as sent to the webhook.
  k8s::GroupVersionKind kind() const;
  k8s::GroupVersionResource resource() const;
  /// "status", "scale"; empty for the object itself.
  std::string_view subresource() const { return text("subResource"); }
  /// Empty if the server will generate the name (generateName).
  std::string_view name() const { return text("name"); }
  std::string_view namespace_name() const { return text("namespace"); }
  std::string_view user() const { return text("userInfo.username"); }
  std::vector<std::string_view> user_groups() const { return texts("userInfo.groups"); }
  /// The handler must have no side effects then.
  bool dry_run() const { return flag("dryRun"); }
  /// The new object; nullptr for `remove`.
  const json::Object* object() const { return find_object("object"); }
  /// The old object; nullptr for `create`.
  const json::Object* old_object() const { return find_object("oldObject"); }

 private:
  const json::Object* find_object(std::string_view name) const;
  AdmissionOperation operation_;
};

/// The response of a webhook.
struct AdmissionAnswer {
  bool allowed = true;
  /// Why it is denied.
  k8s::Status status;
  /// Shown to the user, each at most 120 characters by convention.
  std::vector<std::string> warnings;
  /// The mutated object: the reply has the JSON patch from the object in the request.
  std::optional<json::Object> changed;
  /// Audit annotations, with keys without a domain; the server adds the webhook's name as prefix.
  std::vector<std::pair<std::string, std::string>> audit_annotations;

  static AdmissionAnswer allow() { return {}; }
  static AdmissionAnswer change(json::Object object);
  /// `field`, if known, becomes the cause.
  static AdmissionAnswer deny(std::string_view reason, std::string_view message, std::string_view field = {});
  /// The same from an error: "spec.size: too large" names the field spec.size.
  static AdmissionAnswer deny(const Error& error);
};

using AdmissionHandler = std::function<AdmissionAnswer(const AdmissionRequest&)>;

struct AdmissionReply {
  /// 200 with a review, 400 or 500 with a Status.
  int http_status = 200;
  std::string body;
  bool allowed = false;
};

/// Handles a review. An exception of the handler is a failed call (500), so that the webhook's failurePolicy
/// applies.
AdmissionReply answer_admission(const AdmissionHandler& handler, std::string_view body);

/// The field at the beginning of an error: "spec.size" of "spec.size: too large"; otherwise empty.
std::string_view leading_field(std::string_view message);

}  // namespace fairway::webhook
