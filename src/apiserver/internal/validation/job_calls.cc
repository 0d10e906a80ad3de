// SPDX-License-Identifier: Apache-2.0

// Jobs and CronJobs.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/cron_schedule.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/index_list.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/pods.h"
#include "apiserver/internal/validation/time_zones.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view per_index = "backoffLimitPerIndex", most_failed = "maxFailedIndexes";

bool is_indexed(const Scope& spec) {
  return spec.text("completionMode") == "Indexed";
}

void check_job_limits(const Scope& spec) {
  if (spec.has(most_failed) && !spec.has(per_index))
    spec.required(per_index, "when maxFailedIndexes is specified");
}

void check_managed_by(const Scope& spec) {
  constexpr std::string_view field = "managedBy";
  constexpr std::size_t longest = 63;
  if (!spec.has(field)) return;
  const std::string_view name = spec.text(field);
  const std::size_t slash = name.find('/');
  if (name.empty()) {
    spec.required(field);
  } else if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size()) {
    spec.invalid(field, json::Value(name), "must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    const std::string_view domain = name.substr(0, slash), path = name.substr(slash + 1);
    spec.faults(field, domain, k8s::check_dns_subdomain(domain));
    constexpr std::string_view marks = "/-._~%!$&'()*+,;=:";
    const bool fits = std::ranges::all_of(path, [&](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             marks.find(c) != std::string_view::npos;
    });
    if (!fits) {
      spec.invalid(field, json::Value(path),
                   "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
    }
  }
  if (name.size() > longest) spec.too_long(field, longest);
}

/// Checks the limits of Jobs with very many indices.
void check_many_indices(const Scope& spec) {
  constexpr std::int64_t most = 10'000;
  const std::string why = " when completions are above 100000 and used with backoff limit per index";
  if (!spec.has(most_failed))
    spec.required(most_failed, "must be specified when completions is above 100000");
  for (const std::string_view field : {std::string_view("parallelism"), most_failed}) {
    const auto value = spec.integer(field);
    if (value && *value > most)
      spec.invalid(field, json::Value(*value), "must be less than or equal to 10000" + why);
  }
}

void check_completion_mode(const Scope& spec) {
  constexpr std::int64_t many = 100'000;
  const auto completions = spec.integer("completions"), parallelism = spec.integer("parallelism"),
             failed = spec.integer(most_failed);
  if (is_indexed(spec)) {
    if (!completions) spec.required("completions", "when completion mode is Indexed");
    if (parallelism && *parallelism > many)
      spec.invalid("parallelism", json::Value(*parallelism),
                   "must be less than or equal to 100000 when completion mode is Indexed");
    if (completions && failed && *failed > *completions)
      spec.invalid(most_failed, json::Value(*failed), "must be less than or equal to completions");
    if (failed && *failed > many)
      spec.invalid(most_failed, json::Value(*failed), "must be less than or equal to 100000");
    if (completions && *completions > many && spec.has(per_index)) check_many_indices(spec);
  }
  if (spec.has("completionMode") && spec.text("completionMode") != "NonIndexed") return;
  for (const std::string_view field : {per_index, most_failed}) {
    if (spec.has(field)) spec.invalid(field, spec.value(field), "requires indexed completion mode");
  }
}

void check_exit_codes(const Scope& codes, const std::set<std::string_view>& containers) {
  const std::string_view op = codes.text("operator"), name = codes.text("containerName");
  if (op.empty()) {
    codes.required("operator", "valid values: [\"In\" \"NotIn\"]");
  } else if (op != "In" && op != "NotIn") {
    codes.not_supported("operator", json::Value(op), {"In", "NotIn"});
  }
  if (codes.has("containerName") && !containers.contains(name)) {
    codes.invalid("containerName", json::Value(name),
                  "must be one of the container or initContainer names in the pod template");
  }
  constexpr std::size_t most = 255;
  const json::Array& values = codes.list("values");
  if (values.empty()) codes.invalid("values", json::Value(), "at least one value is required");
  if (values.size() > most) codes.too_many("values", values.size(), most);
  const Path path = codes.path().child("values");
  std::set<std::int64_t> seen;
  bool is_ordered = true;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t value = values[i].is_int64() ? values[i].get_int64() : 0;
    const Path item = path.item(i);
    const Scope at = codes.other(codes.json(), item);
    if (op == "In" && value == 0) at.invalid(".", json::Value(value), "must not be 0 for the In operator");
    if (!seen.insert(value).second) at.duplicate(".", json::Value(value));
    if (i > 0 && last > value) is_ordered = false;
    last = value;
  }
  if (!is_ordered) codes.invalid("values", json::Value(values), "must be ordered");
}

/// Checks the rules of the policy of failures of a Job; `policy` is within its spec.
void check_failure_policy(const Scope& spec) {
  if (!spec.has("podFailurePolicy")) return;
  const Scope policy = spec.child("podFailurePolicy"), at = spec.child("template"), pod = at.child("spec");
  std::set<std::string_view> containers;
  for (const std::string_view list : {"containers", "initContainers"})
    pod.each(list, [&](const Scope& one, std::size_t) { containers.insert(one.text("name")); });
  constexpr std::size_t most = 20;
  const std::size_t count = policy.list("rules").size();
  if (count > most) policy.too_many("rules", count, most);
  policy.each("rules", [&](const Scope& rule, std::size_t) {
    const std::string_view action = rule.text("action");
    if (action.empty()) {
      rule.required("action", "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
    } else if (action == "FailIndex") {
      if (!spec.has(per_index))
        rule.invalid("action", json::Value(action), "requires the backoffLimitPerIndex to be set");
    } else if (action != "Count" && action != "FailJob" && action != "Ignore") {
      rule.not_supported("action", json::Value(action), {"Count", "FailIndex", "FailJob", "Ignore"});
    }
    const bool by_code = rule.has("onExitCodes");
    const std::size_t conditions = rule.list("onPodConditions").size();
    if (by_code) check_exit_codes(rule.child("onExitCodes"), containers);
    if (conditions > most) rule.too_many("onPodConditions", conditions, most);
    rule.each("onPodConditions",
              [](const Scope& one, std::size_t) { check_type("PodFailurePolicyOnPodConditions", one); });
    if (by_code && conditions > 0)
      rule.invalid_unshown(".", "specifying both OnExitCodes and OnPodConditions is not supported");
    if (!by_code && conditions == 0)
      rule.invalid_unshown(".", "specifying one of OnExitCodes and OnPodConditions is required");
  });
}

void check_success_policy(const Scope& spec) {
  if (!spec.has("successPolicy")) return;
  if (!is_indexed(spec)) {
    spec.invalid("successPolicy", spec.value("successPolicy"), "requires indexed completion mode");
    return;
  }
  const Scope policy = spec.child("successPolicy");
  const std::int64_t completions = spec.integer("completions").value_or(0);
  constexpr std::size_t most = 20, longest = std::size_t{64} << 10;
  const std::size_t count = policy.list("rules").size();
  if (count == 0)
    policy.required("rules", "at least one rules must be specified when the successPolicy is specified");
  if (count > most) policy.too_many("rules", count, most);
  policy.each("rules", [&](const Scope& rule, std::size_t) {
    const auto succeeded = rule.integer("succeededCount");
    const bool by_index = rule.has("succeededIndexes");
    if (!succeeded && !by_index)
      rule.required(".", "at least one of succeededCount or succeededIndexes must be specified");
    std::int64_t total = 0;
    if (by_index) {
      const std::string_view text = rule.text("succeededIndexes");
      if (text.size() > longest) rule.too_long("succeededIndexes", longest);
      const auto counted = count_indices(text, completions);
      total = counted.value_or(0);
      if (!counted)
        rule.invalid("succeededIndexes", json::Value(text),
                     "error parsing succeededIndexes: " + counted.error().message);
    }
    if (!succeeded) return;
    if (*succeeded < 0)
      rule.invalid("succeededCount", json::Value(*succeeded), "must be greater than or equal to 0");
    if (*succeeded > completions)
      rule.invalid("succeededCount", json::Value(*succeeded),
                   "must be less than or equal to " + std::to_string(completions) +
                       " (the number of specified completions)");
    if (by_index && *succeeded > total)
      rule.invalid("succeededCount", json::Value(*succeeded),
                   "must be less than or equal to " + std::to_string(total) +
                       " (the number of indexes in the specified succeededIndexes field)");
  });
}

void check_pod_replacement(const Scope& spec) {
  constexpr std::string_view field = "podReplacementPolicy";
  if (!spec.has(field)) return;
  const std::string_view policy = spec.text(field);
  if (policy == "Failed") return;
  if (spec.has("podFailurePolicy")) {
    spec.not_supported(field, json::Value(policy), {"Failed"});
  } else if (policy != "TerminatingOrFailed") {
    spec.not_supported(field, json::Value(policy), {"Failed", "TerminatingOrFailed"});
  }
}

void check_job_template(const Scope& spec) {
  check_pod_template(spec.errors(), spec.object("template"), spec.path().child("template"),
                     spec.facts().old_template);
  const Scope at = spec.child("template"), pod = at.child("spec");
  const std::string_view policy = pod.text("restartPolicy");
  if (policy.empty() || policy == "Always") {
    pod.required("restartPolicy", "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    pod.not_supported("restartPolicy", json::Value(policy), {"OnFailure", "Never"});
  } else if (spec.has("podFailurePolicy") && policy != "Never") {
    pod.invalid("restartPolicy", json::Value(policy),
                "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

void check_schedule(const Scope& spec) {
  const std::string_view schedule = spec.text("schedule");
  if (schedule.empty()) return;
  if (const auto parsed = check_cron_schedule(schedule); !parsed)
    spec.invalid("schedule", json::Value(schedule), parsed.error().message);
  if (schedule.find("TZ") == std::string_view::npos) return;
  const bool had_zone = spec.facts().old_schedule.find("TZ") != std::string_view::npos;
  if (!had_zone) {
    spec.invalid("schedule", json::Value(schedule),
                 "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.has("timeZone")) {
    spec.invalid("schedule", json::Value(schedule),
                 "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

void check_zone(const Scope& spec) {
  constexpr std::string_view field = "timeZone";
  if (!spec.has(field)) return;
  const std::string_view zone = spec.text(field);
  if (spec.facts().is_update && spec.facts().old_time_zone == zone) return;
  for (const std::string& fault : check_time_zone(zone)) spec.invalid(field, json::Value(zone), fault);
}

void check_job_template_selector(const Scope& job) {
  const Scope spec = job.child("spec");
  if (spec.has("selector"))
    spec.invalid("selector", spec.value("selector"), "`selector` will be auto-generated");
  if (spec.flag("manualSelector")) spec.not_supported("manualSelector", true, {"nil", "false"});
}

constexpr std::array calls{
    NamedCall{"job_limits", &check_job_limits},
    NamedCall{"managed_by", &check_managed_by},
    NamedCall{"completion_mode", &check_completion_mode},
    NamedCall{"failure_policy", &check_failure_policy},
    NamedCall{"success_policy", &check_success_policy},
    NamedCall{"pod_replacement", &check_pod_replacement},
    NamedCall{"job_template", &check_job_template},
    NamedCall{"schedule", &check_schedule},
    NamedCall{"time_zone", &check_zone},
    NamedCall{"job_template_selector", &check_job_template_selector},
};

}  // namespace

std::span<const NamedCall> job_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
