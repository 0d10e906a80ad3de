// SPDX-License-Identifier: Apache-2.0

// LimitRanges.
#include <array>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/quantity.h"
#include "apiserver/internal/validation/resource_names.h"

namespace fairway::apiserver::validation {
namespace {

/// Checks the type of a limit: "Container", or one with a domain.
void check_limit_type(const Scope& limit) {
  const std::string_view type = limit.text("type");
  const k8s::Faults faults = k8s::check_qualified_name(type);
  limit.faults("type", type, faults);
  const bool is_known = type == "Pod" || type == "Container" || type == "PersistentVolumeClaim";
  if (faults.empty() && !is_known && type.find('/') == std::string_view::npos)
    limit.invalid("type", json::Value(type), "must be a standard limit type or fully qualified");
}

/// The bounds of one resource in a limit.
class Bounds {
 public:
  Bounds(const Scope& limit, std::string_view resource) : limit_(limit), resource_(resource) {}

  /// Checks all pairs of bounds.
  void check() const {
    check_order("min", "max", "min", "min value", "max value");
    check_order("min", "defaultRequest", "defaultRequest", "min value", "default request value");
    check_order("defaultRequest", "max", "defaultRequest", "default request value", "max value");
    check_order("defaultRequest", "default", "defaultRequest", "default request value",
                "default limit value");
    check_order("min", "default", "default", "min value", "default value");
    check_order("default", "max", "default", "default value", "max value");
    check_ratio();
    check_equal_defaults();
  }

 private:
  /// Finds a bound; nullptr if it is absent. Those of Pods have no defaults, which are an error already.
  const json::Value* find(std::string_view list) const {
    if (list.starts_with("default") && limit_.text("type") == "Pod") return nullptr;
    return limit_.object(list).if_contains(resource_);
  }
  void report(std::string_view list, const json::Value& value, const std::string& detail) const {
    const Path path = limit_.path().child(list), key = path.key(resource_);
    limit_.other(limit_.json(), key).invalid(".", json::Value(quantity_text(value)), detail);
  }
  void check_order(std::string_view less, std::string_view more, std::string_view shown,
                   std::string_view less_name, std::string_view more_name) const {
    const json::Value *lower = find(less), *upper = find(more);
    if (lower == nullptr || upper == nullptr || Quantity::of(*lower) <= Quantity::of(*upper)) return;
    report(shown, *find(shown),
           std::string(less_name) + " " + quantity_text(*lower) + " is greater than " +
               std::string(more_name) + " " + quantity_text(*upper));
  }
  void check_ratio() const {
    const json::Value* value = find("maxLimitRequestRatio");
    if (value == nullptr) return;
    const Quantity ratio = Quantity::of(*value);
    const std::string text = "ratio " + quantity_text(*value);
    if (ratio < Quantity::parse("1")) report("maxLimitRequestRatio", *value, text + " is less than 1");
    const json::Value *min = find("min"), *max = find("max");
    if (min == nullptr || max == nullptr) return;
    double limit = 0;
    if (Quantity::exceeds(ratio, Quantity::of(*max), Quantity::of(*min), limit))
      report("maxLimitRequestRatio", *value, text + " is greater than max/min = " + std::to_string(limit));
  }
  /// Checks that what nobody may promise twice is asked for as it is limited.
  void check_equal_defaults() const {
    const json::Value *limit = find("default"), *request = find("defaultRequest");
    if (is_overcommittable(resource_) || limit == nullptr || request == nullptr ||
        Quantity::of(*limit) == Quantity::of(*request))
      return;
    report("defaultRequest", *request,
           "default value " + quantity_text(*limit) + " must equal to defaultRequest value " +
               quantity_text(*request) + " in " + std::string(resource_));
  }

  const Scope& limit_;
  std::string_view resource_;
};

void check_limit(const Scope& limit) {
  check_limit_type(limit);
  const std::string_view type = limit.text("type");
  const bool of_pods = type == "Pod", of_containers = of_pods || type == "Container";
  std::set<std::string_view> resources;
  for (const std::string_view list : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
    const json::Object& entries = limit.object(list);
    if (of_pods && list.starts_with("default")) {
      if (!entries.empty()) limit.forbidden(list, "may not be specified when `type` is 'Pod'");
      continue;
    }
    const Path path = limit.path().child(list);
    for (const auto& entry : entries) {
      const std::string_view name = entry.key();
      add_faults(limit.errors(), path.key(name), name,
                 of_containers ? container_resource_faults(name) : resource_faults(name));
      resources.insert(name);
    }
  }
  if (type == "PersistentVolumeClaim" && !limit.object("min").contains("storage") &&
      !limit.object("max").contains("storage")) {
    limit.required("limits", "either minimum or maximum storage value is required, but neither was provided");
  }
  for (const std::string_view resource : resources) Bounds(limit, resource).check();
}

void check_limits(const Scope& spec) {
  std::set<std::string_view> types;
  spec.each("limits", [&](const Scope& limit, std::size_t) {
    check_limit(limit);
    if (!types.insert(limit.text("type")).second) limit.duplicate("type", json::Value(limit.text("type")));
  });
}

constexpr std::array calls{NamedCall{"limits", &check_limits}};

}  // namespace

std::span<const NamedCall> limit_range_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
