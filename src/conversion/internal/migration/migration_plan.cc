// SPDX-License-Identifier: Apache-2.0

// The plan of a migration: its kinds, and whether it may start.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "conversion/internal/migration/left_out_record.h"
#include "conversion/migration/migration.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/api.h"

namespace fairway::conversion {

namespace {

bool declares(const k8s::CustomResourceDefinition& definition, std::string_view version) {
  return std::ranges::any_of(definition.versions(), [&](const auto& one) { return one.name() == version; });
}

bool knows(const k8s::CustomResourceDefinition& definition, std::string_view version) {
  const auto stored = definition.stored_versions();
  return declares(definition, version) || std::ranges::find(stored, version) != stored.end();
}

/// Checks whether the migration of a kind may start.
Result<void> check(const k8s::CustomResourceDefinition& definition, const MigrationRequest& request) {
  const std::string name(definition.name());
  for (const std::string* version : {&request.old_version, &request.new_version}) {
    if (knows(definition, *version)) continue;
    return fail(ErrorCode::invalid, name + " has no version " + printable(*version, 80) + "; it has " +
                                        join(definition.versions_by_priority(), ", "));
  }
  if (definition.storage_version() != request.new_version) {
    return fail(ErrorCode::conflict,
                request.new_version + " is not the storage version of " + name + ", which is " +
                    std::string(definition.storage_version()) +
                    ": nothing more is written; make it the storage version first (storage: true)");
  }
  if (!request.namespace_name.empty() && definition.scope() == k8s::Scope::cluster) {
    return fail(ErrorCode::invalid, name + " is of the whole cluster: leave the namespace out");
  }
  return {};
}

}  // namespace

std::string Waiting::describe() const {
  return std::string("waiting for the ") + (answer.contains("webhook") ? "webhook" : "API server") +
         " since " + format_time(since) + ": " + answer;
}

Result<void> check(const MigrationPace& pace) {
  const double rate = pace.objects_per_second;
  if (rate == 0 || (std::isfinite(rate) && rate >= slowest_rate)) return {};
  return fail(
      ErrorCode::invalid,
      "the rate of a migration has to be 0 (as fast as it goes), or at least 0.001 writes in a second");
}

Result<std::vector<KindProgress>> plan_migration(kube::Client& client, const MigrationRequest& request,
                                                 const Limits& limits) {
  const auto definitions = kube::list_all(
      client, k8s::CustomResourceDefinition::resource.group_version_resource(), {}, {}, limits);
  if (!definitions) {
    Error error = definitions.error().within("looking for the kinds to migrate");
    // These codes are about a kind or the request; here the definitions are unknown.
    if (error.code == ErrorCode::invalid || error.code == ErrorCode::not_found ||
        error.code == ErrorCode::conflict) {
      error.code = ErrorCode::unavailable;
    }
    return fail(std::move(error));
  }
  const WallTime seen = client.clock().now();
  std::vector<KindProgress> plan;
  bool found = false;
  for (const k8s::Dynamic& object : definitions->items) {
    const k8s::CustomResourceDefinition definition(object.json());
    if (definition.group() != request.group) continue;
    if (!request.kind.empty() && definition.defined_kind() != request.kind) continue;
    found = true;
    // A group may have kinds without the old version.
    if (request.kind.empty() && !knows(definition, request.old_version)) continue;
    if (auto checked = check(definition, request); !checked) return fail(checked.error());
    KindProgress& progress = plan.emplace_back();
    progress.definition = definition.name();
    progress.definition_uid = definition.uid();
    progress.definition_generation = definition.generation();
    progress.storage_seen = seen;
    // No object is stored in another version.
    const auto stored = definition.stored_versions();
    progress.passed = request.reaches_all() && stored.size() == 1 && stored.front() == request.new_version;
    if (request.reaches_all() && !progress.passed) read_left_out_record(definition, progress);
  }
  if (!plan.empty()) {
    std::ranges::sort(plan, {}, &KindProgress::definition);
    return plan;
  }
  const std::string group = printable(request.group, 200);
  if (found) {
    return fail(ErrorCode::not_found,
                "no kind of the group " + group + " knows the version " + printable(request.old_version, 80));
  }
  return fail(ErrorCode::not_found, request.kind.empty()
                                        ? "there are no custom resources in the group " + group
                                        : "there is no custom resource of kind " +
                                              printable(request.kind, 200) + " in the group " + group);
}

void resume(std::vector<KindProgress>& plan, const std::vector<KindProgress>& before) {
  for (KindProgress& now : plan) {
    const auto known = std::ranges::find(before, now.definition, &KindProgress::definition);
    if (known == before.end() || !known->storage_seen) continue;
    if (known->definition_uid != now.definition_uid ||
        known->definition_generation != now.definition_generation) {
      continue;
    }
    if (known->names_what_is_left()) {
      now = *known;
    } else {
      now.storage_seen = known->storage_seen;
    }
  }
}

std::chrono::nanoseconds settle_left(const KindProgress& progress, const MigrationRequest& request,
                                     const MigrationPace& pace, WallTime now) {
  constexpr std::chrono::nanoseconds nothing{0};
  if (!request.reaches_all() || progress.passed || progress.finished) return nothing;
  const std::chrono::nanoseconds settle = std::max(pace.settle, nothing);
  // A clock that was set back does not make the wait longer than this.
  return std::clamp(progress.storage_seen.value_or(now) + settle - now, nothing, settle);
}

}  // namespace fairway::conversion
