// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "apiserver/internal/admission/check_fields.h"
#include "apiserver/internal/webhooks/check_client_config.h"
#include "base/text.h"
#include "k8s/equality.h"
#include "k8s/names.h"

namespace fairway::apiserver::admission {

namespace {

using Views = std::vector<k8s::View>;

/// Faults that an update may keep because the stored object has them: earlier releases allowed them.
struct Leniency {
  bool ignores_conditions = false, allows_side_effects = false, allows_unknown_versions = false,
       allows_same_names = false, allows_label_values = false;
};

bool has_no_side_effects(const k8s::View& webhook) {
  const std::string_view effects = webhook.text("sideEffects");
  return effects == "None" || effects == "NoneOnDryRun";
}

bool has_known_version(const k8s::View& webhook) {
  const auto versions = webhook.texts("admissionReviewVersions");
  return std::ranges::any_of(versions, [](std::string_view one) { return one == "v1" || one == "v1beta1"; });
}

bool has_same_conditions(const Views& now, const Views& old) {
  return std::ranges::equal(now, old, [](const k8s::View& a, const k8s::View& b) {
    return k8s::equal_with_null_as_absent(a.find("matchConditions"), b.find("matchConditions"));
  });
}

Leniency leniency_of(const Views& now, const Views& old) {
  Leniency leniency;
  leniency.ignores_conditions = has_same_conditions(now, old);
  std::set<std::string_view> names;
  for (const k8s::View& webhook : old) {
    leniency.allows_side_effects |= !has_no_side_effects(webhook);
    leniency.allows_unknown_versions |=
        !has_known_version(webhook) && !webhook.texts("admissionReviewVersions").empty();
    leniency.allows_same_names |= !names.insert(webhook.text("name")).second;
    FieldCheck check;
    check.selector(webhook, "namespaceSelector", "", true);
    check.selector(webhook, "objectSelector", "", true);
    leniency.allows_label_values |= !check.take().empty();
  }
  return leniency;
}

void check_name(FieldCheck& check, std::string_view name, const std::string& path) {
  if (name.empty()) return check.required(path);
  if (const auto faults = k8s::check_dns_subdomain(name); !faults.empty()) {
    return check.invalid(path, json::Value(name), join(faults, ","));
  }
  constexpr std::ptrdiff_t least_dots = 2;
  if (std::ranges::count(name, '.') < least_dots) {
    check.invalid(path, json::Value(name),
                  "should be a domain with at least three segments separated by dots");
  }
}

void check_versions(FieldCheck& check, const k8s::View& webhook, const std::string& path,
                    bool allows_unknown) {
  const auto versions = webhook.texts("admissionReviewVersions");
  if (versions.empty()) return check.required(path, "must specify one of v1, v1beta1");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (!seen.insert(versions[i]).second) {
      check.invalid(at_index(path, i), json::Value(versions[i]), "duplicate version");
      continue;
    }
    for (const std::string& fault : k8s::check_dns_1035_label(versions[i])) {
      check.invalid(at_index(path, i), json::Value(versions[i]), fault);
    }
  }
  if (allows_unknown || has_known_version(webhook)) return;
  check.invalid(path, *webhook.find("admissionReviewVersions"), "must include at least one of v1, v1beta1");
}

void check_webhook(FieldCheck& check, const k8s::View& webhook, const std::string& path,
                   const Leniency& leniency) {
  check_name(check, webhook.text("name"), path + ".name");
  std::size_t index = 0;
  for (const k8s::View& rule : webhook.items("rules")) {
    check.rule(rule, at_index(path + ".rules", index++), false);
  }
  check.one_of(webhook, "failurePolicy", path, false, {"Fail", "Ignore"});
  check.one_of(webhook, "matchPolicy", path, false, {"Equivalent", "Exact"});
  const std::vector<std::string_view> effects =
      leniency.allows_side_effects ? std::vector<std::string_view>{"None", "NoneOnDryRun", "Some", "Unknown"}
                                   : std::vector<std::string_view>{"None", "NoneOnDryRun"};
  if (!webhook.find_text("sideEffects")) {
    check.required(
        path + ".sideEffects",
        std::string("must specify one of ") +
            (leniency.allows_side_effects ? "None, NoneOnDryRun, Some, Unknown" : "None, NoneOnDryRun"));
  } else {
    check.one_of(webhook, "sideEffects", path, false, effects);
  }
  constexpr std::int64_t longest = 30;
  const auto timeout = webhook.find_integer("timeoutSeconds");
  if (timeout && (*timeout > longest || *timeout < 1)) {
    check.invalid(path + ".timeoutSeconds", json::Value(*timeout),
                  "the timeout value must be between 1 and 30 seconds");
  }
  for (const std::string member : {"namespaceSelector", "objectSelector"}) {
    check.selector(webhook, member, path + "." + member, !leniency.allows_label_values);
  }
  check.one_of(webhook, "reinvocationPolicy", path, false, {"IfNeeded", "Never"});
  const std::string at_service = path + ".clientConfig.service";
  for (schema::Violation& problem :
       webhooks::check_client_config(webhook.at("clientConfig").json(), path + ".clientConfig")) {
    // kube-apiserver takes one for the other here.
    if (problem.path == at_service + ".name") {
      problem.path = at_service + ".namespace";
    } else if (problem.path == at_service + ".namespace") {
      problem.path = at_service + ".name";
    }
    check.add({std::string(problem.cause), std::move(problem.path), std::move(problem.message)});
  }
  if (!leniency.ignores_conditions) check.match_conditions(webhook, path + ".matchConditions", false);
  check_versions(check, webhook, path + ".admissionReviewVersions", leniency.allows_unknown_versions);
}

}  // namespace

std::vector<k8s::FieldError> check_webhooks(const k8s::View& configuration, const k8s::View* old) {
  FieldCheck check;
  const Views webhooks = configuration.items("webhooks");
  const Leniency leniency = old != nullptr ? leniency_of(webhooks, old->items("webhooks")) : Leniency{};
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    const std::string path = at_index("webhooks", i);
    check_webhook(check, webhooks[i], path, leniency);
    const std::string_view name = webhooks[i].text("name");
    if (leniency.allows_same_names || name.empty()) continue;
    if (!names.insert(name).second) check.duplicate(path + ".name", name);
  }
  return check.take();
}

}  // namespace fairway::apiserver::admission
