#include "apiserver/resources/internal/built_in_strategies.h"

#include <algorithm>
#include <array>
#include <string>

#include "apiserver/resources/internal/autoscaler_strategy.h"
#include "apiserver/resources/internal/certificate_request_strategy.h"
#include "apiserver/resources/internal/job_strategy.h"
#include "apiserver/resources/internal/pod_strategy.h"
#include "apiserver/resources/internal/service_strategy.h"
#include "base/base64.h"
#include "k8s/equality.h"
#include "k8s/names.h"

namespace fairway::apiserver {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

bool same(const Dynamic& a, const Dynamic& b, std::string_view path) {
  const json::Value *of_a = a.find(path), *of_b = b.find(path);
  if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
  return k8s::equal_with_null_as_absent(*of_a, *of_b);
}

std::vector<FieldError> check_immutable(const Dynamic& object, const Dynamic* old,
                                        std::initializer_list<std::string_view> fields) {
  std::vector<FieldError> errors;
  if (old == nullptr || !old->flag("immutable")) return errors;
  constexpr std::string_view why = "field is immutable when `immutable` is set";
  if (!object.flag("immutable")) errors.push_back(FieldError::forbidden("immutable", why));
  for (const std::string_view field : fields) {
    if (!same(object, *old, field)) errors.push_back(FieldError::forbidden(field, why));
  }
  return errors;
}

class ConfigMapStrategy final : public Strategy {
 public:
  std::vector<FieldError> validate(const Dynamic& object, const Dynamic* old, Part) const override {
    std::vector<FieldError> errors = check_immutable(object, old, {"data", "binaryData"});
    for (const std::string_view member : {"data", "binaryData"}) {
      for (const auto& [key, value] : object.map(member)) {
        for (const std::string& fault : check_key(key)) {
          errors.push_back(FieldError::invalid(std::string(member) + "[" + std::string(key) + "]",
                                               json::Value(key), fault));
        }
      }
    }
    return errors;
  }

 private:
  static k8s::Faults check_key(std::string_view key) {
    constexpr std::size_t longest = 253;
    k8s::Faults faults;
    if (key.size() > longest) faults.emplace_back("must be no more than 253 characters");
    const auto fits = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
             c == '_' || c == '.';
    };
    if (key.empty() || !std::ranges::all_of(key, fits)) {
      faults.emplace_back(
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  "
          "or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
    } else if (key == ".") {
      faults.emplace_back("must not be '.'");
    } else if (key == "..") {
      faults.emplace_back("must not be '..'");
    } else if (key.starts_with("..")) {
      faults.emplace_back("must not start with '..'");
    }
    return faults;
  }
};

class SecretStrategy final : public Strategy {
 public:
  void prepare_for_create(Dynamic& object) const override {
    prepare(object);
    if (object.text("type").empty()) object.set("type", "Opaque");
  }
  void prepare_for_update(Dynamic& object, const Dynamic& old, Part) const override {
    prepare(object);
    if (object.text("type").empty()) object.set("type", old.text("type"));
  }
  std::vector<FieldError> validate(const Dynamic& object, const Dynamic* old, Part) const override {
    std::vector<FieldError> errors = check_immutable(object, old, {"data"});
    if (old != nullptr && object.text("type") != old->text("type")) {
      errors.insert(errors.begin(),
                    FieldError::invalid("type", json::Value(object.text("type")), "field is immutable"));
    }
    return errors;
  }

 private:
  /// stringData is for writing only.
  static void prepare(Dynamic& object) {
    if (const json::Value* texts = object.find("stringData"); texts != nullptr && texts->is_object()) {
      const json::Object copy = texts->get_object();
      for (const auto& [key, text] : k8s::StringMap(&copy)) {
        object.set_entry("data", key, base64_encode(text));
      }
    }
    object.erase("stringData");
  }
};

/// A Namespace lives until its content is gone: the finalizer in its spec stands for that.
class NamespaceStrategy final : public Strategy {
 public:
  void prepare_for_create(Dynamic& object) const override {
    object.set("spec.finalizers", json::Value(json::Array{"kubernetes"}));
    object.set("status.phase", "Active");
    prepare(object);
  }
  void prepare_for_update(Dynamic& object, const Dynamic& old, Part part) const override {
    prepare(object);
    if (part != Part::object) return;
    const json::Value* finalizers = old.find("spec.finalizers");
    if (finalizers != nullptr) object.set("spec.finalizers", json::Value(*finalizers));
  }

  bool holds_deletion(const Dynamic& object) const override {
    return !object.texts("spec.finalizers").empty();
  }
  void mark_deleted(Dynamic& object) const override { object.set("status.phase", "Terminating"); }

 private:
  static void prepare(Dynamic& object) {
    // A copy: the object is about to grow.
    const std::string name(object.name());
    object.set_label("kubernetes.io/metadata.name", name);
  }
};

/// Events of both groups are stored in the form of the core group.
class EventStrategy final : public Strategy {
 public:
  k8s::StatusResult<void> convert(Dynamic& object, const k8s::GroupVersionKind& to) const override {
    object.set("apiVersion", to.api_version());
    json::Object& members = object.json();
    for (const auto& [core, event] : renamed) {
      const std::string_view from = to.group.empty() ? event : core, name = to.group.empty() ? core : event;
      const auto found = members.find(from);
      if (found == members.end()) continue;
      json::Value value = found->value();
      members.erase(found);
      members.insert_or_assign(name, std::move(value));
    }
    return {};
  }

 private:
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> renamed{
      {{"involvedObject", "regarding"},
       {"message", "note"},
       {"source", "deprecatedSource"},
       {"firstTimestamp", "deprecatedFirstTimestamp"},
       {"lastTimestamp", "deprecatedLastTimestamp"},
       {"count", "deprecatedCount"},
       {"reportingComponent", "reportingController"}}};
};

/// What a binding grants to is fixed: who may change its subjects is not asked what its role grants.
class BindingStrategy final : public Strategy {
 public:
  std::vector<FieldError> validate(const Dynamic& object, const Dynamic* old, Part) const override {
    if (old == nullptr) return {};
    for (const std::string_view field : {"roleRef.apiGroup", "roleRef.kind", "roleRef.name"}) {
      const std::string_view otherwise = field == "roleRef.apiGroup" ? rbac_group : "";
      const auto text = [&](const Dynamic& one) {
        const std::string_view value = one.text(field);
        return value.empty() ? otherwise : value;
      };
      if (text(object) == text(*old)) continue;
      const json::Value* role = object.find("roleRef");
      return {
          FieldError::invalid("roleRef", role != nullptr ? *role : json::Value(), "cannot change roleRef")};
    }
    return {};
  }
};

}  // namespace

std::shared_ptr<const Strategy> built_in_strategy(const k8s::GroupKind& kind) {
  if (kind.group.empty()) {
    if (kind.kind == "ConfigMap") return std::make_shared<ConfigMapStrategy>();
    if (kind.kind == "Secret") return std::make_shared<SecretStrategy>();
    if (kind.kind == "Namespace") return std::make_shared<NamespaceStrategy>();
    if (kind.kind == "Pod") return pod_strategy();
    if (kind.kind == "Node") return node_strategy();
    if (kind.kind == "Service") return service_strategy();
  }
  if (kind.group == rbac_group && (kind.kind == "RoleBinding" || kind.kind == "ClusterRoleBinding")) {
    return std::make_shared<BindingStrategy>();
  }
  if (kind == k8s::GroupKind{"certificates.k8s.io", "CertificateSigningRequest"}) {
    return certificate_request_strategy();
  }
  if (kind == k8s::GroupKind{"autoscaling", "HorizontalPodAutoscaler"}) return autoscaler_strategy();
  if (kind == k8s::GroupKind{"batch", "Job"}) return job_strategy();
  if (kind.kind == "Event") return std::make_shared<EventStrategy>();
  return nullptr;
}

}  // namespace fairway::apiserver
