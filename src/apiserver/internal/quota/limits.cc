// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/quota/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/internal/quota/amount.h"
#include "apiserver/internal/quota/pod_usage.h"

namespace fairway::apiserver::quota {
namespace {

const k8s::GroupResource pods{"", "pods"}, claims{"", "persistentvolumeclaims"};

std::optional<Amount> find(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? std::nullopt : std::optional(found->second);
}

/// One entry of `spec.limits`, and the faults that are found by it.
class Bounds {
 public:
  Bounds(const k8s::View& item, std::vector<std::string>& faults) : item_(item), faults_(faults) {}

  void check(const Amounts& requests, const Amounts& limits) {
    for (const auto& [name, bound] : read_amounts(item_.find("min"))) {
      const std::string rule = rule_of("minimum", name, bound);
      const auto request = find(requests, name), limit = find(limits, name);
      if (!request) {
        tell(rule + ".  No request is specified");
      } else if (*request < bound) {
        tell(rule + ", but request is " + request->text());
      } else if (limit && *limit < bound) {
        tell(rule + ", but limit is " + limit->text());
      }
    }
    for (const auto& [name, bound] : read_amounts(item_.find("max"))) {
      const std::string rule = rule_of("maximum", name, bound);
      const auto request = find(requests, name), limit = find(limits, name);
      if (!limit) {
        tell(rule + ".  No limit is specified");
      } else if (*limit > bound) {
        tell(rule + ", but limit is " + limit->text());
      } else if (request && *request > bound) {
        tell(rule + ", but request is " + request->text());
      }
    }
    check_ratio(requests, limits);
  }
  /// Checks what a PersistentVolumeClaim asks for: its limits mean nothing.
  void check_claim(const Amounts& requests) {
    for (const auto& [name, bound] : read_amounts(item_.find("min"))) {
      const auto request = find(requests, name);
      if (!request || *request < bound) tell(rule_of("minimum", name, bound) + told_request(request));
    }
    for (const auto& [name, bound] : read_amounts(item_.find("max"))) {
      const auto request = find(requests, name);
      if (!request || *request > bound) tell(rule_of("maximum", name, bound) + told_request(request));
    }
  }

 private:
  std::string rule_of(std::string_view which, std::string_view name, const Amount& bound) const {
    return fmt::format("{} {} usage per {} is {}", which, name, item_.text("type"), bound.text());
  }
  static std::string told_request(const std::optional<Amount>& request) {
    return request ? ", but request is " + request->text() : ".  No request is specified";
  }
  void check_ratio(const Amounts& requests, const Amounts& limits) {
    for (const auto& [name, bound] : read_amounts(item_.find("maxLimitRequestRatio"))) {
      const std::string rule =
          fmt::format("{} max limit to request ratio per {} is {}", name, item_.text("type"), bound.text());
      const auto request = find(requests, name), limit = find(limits, name);
      if (!request || request->is_zero()) {
        tell(rule + ", but no request is specified or request is 0");
      } else if (!limit || limit->is_zero()) {
        tell(rule + ", but no limit is specified or limit is 0");
      } else if (const double ratio = limit->number() / request->number(); ratio > bound.number()) {
        tell(fmt::format("{}, but provided ratio is {:f}", rule, ratio));
      }
    }
  }
  void tell(std::string fault) {
    if (std::ranges::find(faults_, fault) == faults_.end()) faults_.push_back(std::move(fault));
  }

  const k8s::View& item_;
  std::vector<std::string>& faults_;
};

}  // namespace

bool is_bounded(const k8s::GroupResource& resource, bool is_new, resources::Part part) {
  if (resource == pods) return is_new || part == resources::Part::resize;
  return resource == claims && part == resources::Part::object;
}

std::vector<std::string> broken_limits(const k8s::View& range, const k8s::View& object,
                                       const k8s::GroupResource& resource) {
  std::vector<std::string> faults;
  for (const k8s::View& item : range.items("spec.limits")) {
    Bounds bounds(item, faults);
    const std::string_view type = item.text("type");
    if (resource == claims) {
      if (type == "PersistentVolumeClaim")
        bounds.check_claim(read_amounts(object.find("spec.resources.requests")));
    } else if (type == "Pod") {
      bounds.check(sum_of_containers(object, "requests"), sum_of_containers(object, "limits"));
    } else if (type == "Container") {
      for (const std::string_view list : {"spec.containers", "spec.initContainers"}) {
        for (const k8s::View& container : object.items(list)) {
          bounds.check(read_amounts(container.find("resources.requests")),
                       read_amounts(container.find("resources.limits")));
        }
      }
    }
  }
  return faults;
}

}  // namespace fairway::apiserver::quota
