// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/quota/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
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

constexpr std::int64_t milli = 1000;
/// Greatest quantity that is compared in thousandths: resource.MaxMilliValue.
constexpr std::int64_t greatest_in_milli = std::numeric_limits<std::int64_t>::max() / milli;

/// Amounts of a resource that an object names, and their bound, as whole numbers of the same parts.
struct Compared {
  std::int64_t request = 0, limit = 0, bound = 0;
};

Compared compared(const std::optional<Amount>& request, const std::optional<Amount>& limit,
                  const Amount& bound) {
  const auto in = [&](std::int64_t parts) {
    return Compared{.request = request.value_or(Amount()).parts(parts),
                    .limit = limit.value_or(Amount()).parts(parts),
                    .bound = bound.parts(parts)};
  };
  const Compared whole = in(1);
  const bool fits = std::max({whole.request, whole.limit, whole.bound}) <= greatest_in_milli;
  return fits ? in(milli) : whole;
}

/// One entry of `spec.limits`, and the faults that are found by it.
class Bounds {
 public:
  Bounds(const k8s::View& item, std::vector<std::string>& faults) : item_(item), faults_(faults) {}

  void check(const Amounts& requests, const Amounts& limits) {
    for (const auto& [name, bound] : read_amounts(item_.find("min"))) {
      const std::string rule = rule_of("minimum", name, bound);
      const auto request = find(requests, name), limit = find(limits, name);
      const Compared values = compared(request, limit, bound);
      if (!request) {
        tell(rule + ".  No request is specified");
      } else if (values.request < values.bound) {
        tell(rule + ", but request is " + request->text());
      } else if (limit && values.limit < values.bound) {
        tell(rule + ", but limit is " + limit->text());
      }
    }
    for (const auto& [name, bound] : read_amounts(item_.find("max"))) {
      const std::string rule = rule_of("maximum", name, bound);
      const auto request = find(requests, name), limit = find(limits, name);
      const Compared values = compared(request, limit, bound);
      if (!limit) {
        tell(rule + ".  No limit is specified");
      } else if (values.limit > values.bound) {
        tell(rule + ", but limit is " + limit->text());
      } else if (request && values.request > values.bound) {
        tell(rule + ", but request is " + request->text());
      }
    }
    check_ratio(requests, limits);
  }
  /// Checks what a PersistentVolumeClaim asks for: its limits mean nothing.
  void check_claim(const Amounts& requests) {
    for (const std::string_view which : {"minimum", "maximum"}) {
      const bool is_least = which == "minimum";
      for (const auto& [name, bound] : read_amounts(item_.find(is_least ? "min" : "max"))) {
        const auto request = find(requests, name);
        const Compared values = compared(request, std::nullopt, bound);
        if (!request) {
          tell(rule_of(which, name, bound) + ".  No request is specified");
        } else if (is_least ? values.request < values.bound : values.request > values.bound) {
          tell(rule_of(which, name, bound) + ", but request is " + request->text());
        }
      }
    }
  }

 private:
  std::string rule_of(std::string_view which, std::string_view name, const Amount& bound) const {
    return fmt::format("{} {} usage per {} is {}", which, name, item_.text("type"), bound.text());
  }
  void check_ratio(const Amounts& requests, const Amounts& limits) {
    for (const auto& [name, bound] : read_amounts(item_.find("maxLimitRequestRatio"))) {
      const std::string rule =
          fmt::format("{} max limit to request ratio per {} is {}", name, item_.text("type"), bound.text());
      const auto request = find(requests, name), limit = find(limits, name);
      const Compared values = compared(request, limit, bound);
      if (!request || values.request == 0) {
        tell(rule + ", but no request is specified or request is 0");
      } else if (!limit || values.limit == 0) {
        tell(rule + ", but no limit is specified or limit is 0");
      } else {
        // Of whole numbers, so that a ratio that is kept exactly is not one too high.
        const double ratio = static_cast<double>(values.limit) / static_cast<double>(values.request);
        const bool fits = bound.parts(1) <= greatest_in_milli;
        const double scale = fits ? static_cast<double>(milli) : 1;
        if (ratio * scale > static_cast<double>(bound.parts(fits ? milli : 1)))
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
      bounds.check(sum_of_pod(object, "requests"), sum_of_pod(object, "limits"));
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
