// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/class_checks.h"

#include <algorithm>
#include <string>

#include "apiserver/internal/resources/same_value.h"
#include "apiserver/internal/validation/objects.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/names.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;
using k8s::View;
using Errors = std::vector<FieldError>;

void add(Errors& errors, std::string_view field, std::string_view value, const k8s::Faults& faults) {
  for (const std::string& fault : faults)
    errors.push_back(FieldError::invalid(field, json::Value(value), fault));
}

/// Returns the reason why a class is none of the system's; empty if it is one.
std::string system_priority_fault(const Dynamic& object) {
  const std::string name(object.name());
  const auto* known = std::ranges::find(system_priorities, object.name(), &SystemPriority::name);
  if (known == system_priorities.end()) return name + " is not a known system priority class";
  if (object.integer("value") != known->value)
    return "value of " + name + " PriorityClass must be " + std::to_string(known->value);
  if (object.flag("globalDefault")) return "globalDefault of " + name + " PriorityClass must be false";
  return {};
}

void check_range(Errors& errors, const Dynamic& object, std::string_view field, std::int64_t most) {
  const std::int64_t value = object.integer(field);
  if (value > 0 && value <= most) return;
  errors.push_back(FieldError::invalid(field, json::Value(value),
                                       "must be positive and less than " + std::to_string(most)));
}

}  // namespace

Errors check_priority_class(const Dynamic& object, const Dynamic* old) {
  if (old != nullptr) return {};
  Errors errors = validation::check_object("PriorityClass", object, nullptr);
  constexpr std::int64_t highest = 1'000'000'000;
  if (object.name().starts_with("system-")) {
    const std::string fault = system_priority_fault(object);
    if (!fault.empty()) {
      errors.push_back(FieldError::forbidden(
          "metadata.name",
          "priority class names with 'system-' prefix are reserved for system use only. error: " + fault));
    }
  } else if (object.integer("value") > highest) {
    errors.push_back(FieldError::forbidden(
        "value", "maximum allowed value of a user defined priority is " + std::to_string(highest)));
  }
  return errors;
}

Errors check_storage_class(const Dynamic& object, const Dynamic* /*old*/) {
  const std::string_view provisioner = object.text("provisioner");
  if (provisioner.empty()) return {FieldError::required("provisioner", "")};
  Errors errors;
  const std::string lower = to_lower(provisioner);
  add(errors, "provisioner", lower, k8s::check_qualified_name(lower));
  return errors;
}

Errors check_csi_node(const Dynamic& object, const Dynamic* old) {
  Errors errors;
  if (old == nullptr) return errors;
  const auto fixed = [](const View& driver) {
    Dynamic copy(driver.json());
    copy.erase("allocatable");
    return copy;
  };
  for (const View& before : old->items("spec.drivers")) {
    for (const View& now : object.items("spec.drivers")) {
      if (before.text("name") != now.text("name")) continue;
      const json::Value fixed_now(fixed(now).release()), fixed_before(fixed(before).release());
      if (!same_value(&fixed_now, &fixed_before))
        errors.push_back(FieldError::invalid("spec.drivers", fixed_now, "field is immutable"));
    }
  }
  return errors;
}

Errors check_endpoint_slice(const Dynamic& object, const Dynamic* /*old*/) {
  const std::string_view type = object.text("addressType");
  if (type.empty()) return {FieldError::required("addressType", "")};
  const std::vector<std::string_view> known{"FQDN", "IPv4", "IPv6"};
  if (std::ranges::find(known, type) != known.end()) return {};
  return {FieldError::not_supported("addressType", json::Value(type), known)};
}

Errors check_api_service(const Dynamic& object, const Dynamic* /*old*/) {
  Errors errors;
  const std::string_view group = object.text("spec.group"), version = object.text("spec.version");
  const std::string wanted = std::string(version) + "." + std::string(group);
  if (object.name() != wanted && k8s::check_path_segment(object.name()).empty()) {
    errors.push_back(FieldError::invalid("metadata.name", json::Value(object.name()),
                                         R"(must be `spec.version+"."+spec.group`: )" + quote(wanted)));
  }
  if (group.empty() && version != "v1") {
    errors.push_back(
        FieldError::required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  }
  if (!group.empty()) add(errors, "spec.group", group, k8s::check_dns_subdomain(group));
  add(errors, "spec.version", version, k8s::check_dns_1035_label(version));
  constexpr std::int64_t most_group = 20'000, most_version = 1000;
  check_range(errors, object, "spec.groupPriorityMinimum", most_group);
  check_range(errors, object, "spec.versionPriority", most_version);
  const bool is_insecure = object.flag("spec.insecureSkipTLSVerify"),
             has_bundle = !object.text("spec.caBundle").empty();
  constexpr std::string_view insecure = "spec.insecureSkipTLSVerify";
  if (!object.has("spec.service")) {
    if (has_bundle) {
      errors.push_back(FieldError::invalid("spec.caBundle", value_at(object, "spec.caBundle"),
                                           "local APIServices may not have a caBundle"));
    }
    if (is_insecure) {
      errors.push_back(FieldError::invalid(insecure, json::Value(true),
                                           "local APIServices may not have insecureSkipTLSVerify"));
    }
    return errors;
  }
  for (const std::string_view field : {"spec.service.namespace", "spec.service.name"}) {
    if (object.text(field).empty()) errors.push_back(FieldError::required(field, ""));
  }
  if (is_insecure && has_bundle) {
    errors.push_back(
        FieldError::invalid(insecure, json::Value(true), "may not be true if caBundle is present"));
  }
  return errors;
}

}  // namespace fairway::apiserver::resources
