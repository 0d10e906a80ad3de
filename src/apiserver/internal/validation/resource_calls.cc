// SPDX-License-Identifier: Apache-2.0

// Requests and limits, of containers and of whole Pods.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/quantity.h"
#include "apiserver/internal/validation/resource_names.h"

namespace fairway::apiserver::validation {
namespace {

using NameCheck = void (*)(const Scope& at, std::string_view name);

void check_container_name(const Scope& at, std::string_view name) {
  for (const std::string& fault : container_resource_faults(name)) at.invalid(".", json::Value(name), fault);
}

void check_pod_name(const Scope& at, std::string_view name) {
  const k8s::Faults faults = resource_faults(name);
  at.faults(".", name, faults);
  if (!faults.empty() || name == "cpu" || name == "memory" || is_huge_page(name)) return;
  at.not_supported(".", json::Value(name), {"cpu", "hugepages-", "memory"});
}

/// Checks the name and the quantity of one entry. `at`: its own place.
void check_entry(const Scope& at, std::string_view name, const json::Value& value, NameCheck check_name) {
  check_name(at, name);
  const Quantity quantity = Quantity::of(value);
  const std::string text = quantity_text(value);
  if (quantity.is_negative()) at.invalid(".", json::Value(text), "must be greater than or equal to 0");
  if (is_counted(name) && !quantity.is_whole()) at.invalid(".", json::Value(text), "must be an integer");
}

void check_pages(const Scope& at, std::string_view name, const json::Value& value) {
  if (is_whole_pages(name, Quantity::of(value))) return;
  const std::string text = quantity_text(value);
  at.invalid(".", json::Value(text), text + " is not positive integer multiple of " + std::string(name));
}

/// Returns the reason why a claim is unknown.
std::string reason_of_unknown(const std::set<std::string_view>& known) {
  // Each unknown claim is an error with these names.
  constexpr std::size_t longest = 1024;
  std::string made = "must be one of the names in pod.spec.resourceClaims";
  if (known.empty()) return made + " which is empty";
  std::string_view before = ": ";
  std::size_t shown = 0;
  for (const std::string_view one : known) {
    if (made.size() + one.size() > longest)
      return made.append(before) + "and " + std::to_string(known.size() - shown) + " more";
    made.append(before).append(one);
    before = ", ";
    ++shown;
  }
  return made;
}

/// Checks the names of the claims of a container: those of the Pod, each once.
void check_claims(const Scope& resources) {
  const std::set<std::string_view>& known = resources.facts().claims;
  std::set<std::string> names;
  resources.each("claims", [&](const Scope& claim, std::size_t) {
    const std::string name(claim.text("name")), request(claim.text("request"));
    if (name.empty()) {
      claim.required(".");
      return;
    }
    if (names.contains(name)) {
      claim.duplicate(".", json::Value(name));
    } else {
      if (!request.empty()) claim.faults("request", request, k8s::check_dns_label(request));
      const std::string key = request.empty() ? name : name + "/" + request;
      if (names.contains(key)) {
        claim.duplicate(".", json::Value(key));
      } else if (request.empty()) {
        const std::string prefix = name + "/";
        for (auto one = names.lower_bound(prefix); one != names.end() && one->starts_with(prefix); ++one)
          claim.duplicate(".", json::Value(name));
      }
      names.insert(key);
    }
    if (known.contains(name)) return;
    k8s::FieldError error = k8s::FieldError::not_found(claim.path().text(), json::Value(name));
    error.message += ": " + reason_of_unknown(known);
    claim.errors().push_back(std::move(error));
  });
}

void check_requirements(const Scope& resources, NameCheck check_name) {
  bool has_usual = false, has_pages = false;
  const json::Object& limits = resources.object("limits");
  const auto check = [&](std::string_view list,
                         const std::function<void(std::string_view, const json::Value&)>& more) {
    const Path path = resources.path().child(list);
    for (const auto& entry : resources.object(list)) {
      const std::string_view name = entry.key();
      const Scope at = resources.other(resources.json(), path.key(name));
      check_entry(at, name, entry.value(), check_name);
      if (more) more(name, entry.value());
      if (is_huge_page(name)) {
        has_pages = true;
        check_pages(at, name, entry.value());
      }
      has_usual = has_usual || name == "cpu" || name == "memory";
    }
  };
  check("limits", nullptr);
  check("requests", [&](std::string_view name, const json::Value& value) {
    const json::Value* limit = limits.if_contains(name);
    if (limit == nullptr) {
      if (!is_overcommittable(name))
        resources.required("limits", "Limit must be set for non overcommitable resources");
      return;
    }
    const Quantity asked = Quantity::of(value), most = Quantity::of(*limit);
    const std::string of = std::string(name) + " limit of " + quantity_text(*limit);
    const json::Value shown(quantity_text(value));
    if (asked != most && !is_overcommittable(name)) {
      resources.invalid("requests", shown, "must be equal to " + of);
    } else if (asked > most) {
      resources.invalid("requests", shown, "must be less than or equal to " + of);
    }
  });
  if (!has_usual && has_pages) resources.forbidden(".", "HugePages require cpu or memory");
  check_claims(resources);
}

void check_container_resources(const Scope& container) {
  check_requirements(container.child("resources"), &check_container_name);
}

/// Checks what a Pod costs besides its containers, by the rules of limits.
/// Checks resources as the limits of a container at `path`.
void check_as_limits(const Scope& spec, std::string_view member, const Path& path) {
  const json::Object limits{{"limits", json::Value(spec.object(member))}};
  PodFacts facts = spec.facts();
  facts.claims.clear();
  check_requirements(Scope(limits, path, facts, spec.errors()), &check_container_name);
}

void check_overhead(const Scope& spec) {
  if (spec.has("overhead")) check_as_limits(spec, "overhead", spec.path().child("overhead"));
}

void check_fixed_overhead(const Scope& overhead) {
  check_as_limits(overhead, "podFixed", overhead.path());
}

using Sums = std::map<std::string_view, Quantity>;

void add(Sums& sums, const json::Object& entries) {
  for (const auto& entry : entries) sums[entry.key()] += Quantity::of(entry.value());
}
void raise(Sums& sums, const Sums& others) {
  for (const auto& [name, quantity] : others) sums[name] = std::max(sums[name], quantity);
}

/// Returns what all containers need at once, or one init container with those that stay before it.
Sums sum_of(const Scope& spec, std::string_view list) {
  Sums sums, staying, highest;
  spec.each("containers",
            [&](const Scope& one, std::size_t) { add(sums, one.child("resources").object(list)); });
  spec.each("initContainers", [&](const Scope& one, std::size_t) {
    const json::Object& own = one.child("resources").object(list);
    Sums now = staying;
    add(now, own);
    if (one.text("restartPolicy") == "Always") {
      add(sums, own);
      staying = now;
    }
    raise(highest, now);
  });
  raise(sums, highest);
  return sums;
}

void check_pod_resources(const Scope& spec) {
  if (!spec.has("resources")) return;
  if (spec.facts().os == "windows") {
    spec.forbidden("resources", "may not be set for a windows pod");
    return;
  }
  const Scope resources = spec.child("resources");
  if (resources.has("claims"))
    resources.forbidden("claims", "claims may not be set for Resources at pod-level");
  check_requirements(resources, &check_pod_name);
  const auto compare = [&](std::string_view list, bool only_pages) {
    const Path path = resources.path().child(list);
    for (const auto& [name, sum] : sum_of(spec, list)) {
      const json::Value* own = resources.object(list).if_contains(name);
      if (own == nullptr || (only_pages && !is_huge_page(name)) || sum <= Quantity::of(*own)) continue;
      resources.other(resources.json(), path.key(name))
          .invalid(".", json::Value(quantity_text(*own)),
                   "must be greater than or equal to aggregate container " + std::string(list));
    }
  };
  compare("requests", false);
  compare("limits", true);
  const Path containers = resources.path().child("containers");
  spec.each("containers", [&](const Scope& container, std::size_t index) {
    const Path item = containers.item(index);
    for (const auto& entry : container.child("resources").object("limits")) {
      const json::Value* own = resources.object("limits").if_contains(entry.key());
      if (own == nullptr || Quantity::of(entry.value()) <= Quantity::of(*own)) continue;
      const Path key = item.key(entry.key());
      resources.other(resources.json(), key)
          .invalid("limits", json::Value(quantity_text(entry.value())),
                   "must be less than or equal to pod limits of " + quantity_text(*own));
    }
  });
}

constexpr std::array calls{
    NamedCall{"container_resources", &check_container_resources},
    NamedCall{"pod_resources", &check_pod_resources},
    NamedCall{"overhead", &check_overhead},
    NamedCall{"fixed_overhead", &check_fixed_overhead},
};

}  // namespace

std::span<const NamedCall> resource_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
