// SPDX-License-Identifier: Apache-2.0

#include "conversion/migration/conversion_object.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/cut_text.h"
#include "base/text.h"

namespace fairway::conversion {

namespace {

/// Largest size of a text of the status, in bytes: maxLength in deploy/migration/conversion-crd.yaml.
constexpr std::size_t longest_text = 4'096;

void read_left_out(const k8s::View& entry, LeftOut& left_out) {
  for (const k8s::View& one : entry.items("leftOut")) {
    LeftOutCause cause{.cause = std::string(one.text("cause")), .count = one.integer("count")};
    for (const std::string_view name : one.texts("objects")) cause.objects.emplace_back(name);
    left_out.add(std::move(cause));
  }
  // Earlier releases wrote the number only.
  const std::int64_t unnamed = entry.integer("objectsLeftOut") - left_out.count();
  if (unnamed > 0) left_out.add({.cause = std::string(LeftOut::other_causes), .count = unnamed});
}

void write_left_out(k8s::Editor& entry, const LeftOut& left_out) {
  if (left_out.empty()) return;
  entry.set("objectsLeftOut", left_out.count());
  for (const LeftOutCause& cause : left_out.causes()) {
    k8s::Editor one = entry.append("leftOut");
    one.set("cause", cut_text(cause.cause, longest_text));
    one.set("count", cause.count);
    json::Array names;
    for (const std::string& name : cause.objects) names.emplace_back(name);
    one.set("objects", std::move(names));
  }
}

KindProgress read_kind(const k8s::View& entry) {
  KindProgress kind;
  kind.definition = entry.text("definition");
  kind.definition_uid = entry.text("definitionUID");
  kind.definition_generation = entry.integer("definitionGeneration");
  kind.storage_seen = entry.find_time("storageVersionSeen");
  kind.done = entry.integer("objectsDone");
  kind.total = entry.find_integer("objectsTotal");
  read_left_out(entry, kind.left_out);
  kind.unread = entry.flag("unread");
  kind.last_error = entry.text("lastError");
  kind.continue_token = entry.text("continueToken");
  if (const auto since = entry.find_time("waitingSince"))
    kind.waiting = Waiting{.since = *since, .answer = std::string(entry.text("waitingFor"))};
  kind.passed = entry.flag("passed");
  kind.finished = entry.flag("finished");
  return kind;
}

void write_kind(k8s::Editor entry, const KindProgress& kind) {
  entry.set("definition", kind.definition);
  entry.set("definitionUID", kind.definition_uid);
  entry.set("definitionGeneration", kind.definition_generation);
  // Rounded up: the settle time must not end too early.
  if (kind.storage_seen)
    entry.set_time("storageVersionSeen", std::chrono::ceil<std::chrono::seconds>(*kind.storage_seen));
  entry.set("objectsDone", kind.done);
  if (kind.total) entry.set("objectsTotal", *kind.total);
  write_left_out(entry, kind.left_out);
  if (kind.unread) entry.set("unread", true);
  if (!kind.last_error.empty()) entry.set("lastError", cut_text(kind.last_error, longest_text));
  if (kind.waiting) {
    entry.set_time("waitingSince", std::chrono::floor<std::chrono::seconds>(kind.waiting->since));
    entry.set("waitingFor", cut_text(kind.waiting->answer, longest_text));
  }
  if (!kind.continue_token.empty()) entry.set("continueToken", kind.continue_token);
  entry.set("passed", kind.passed);
  entry.set("finished", kind.finished);
}

}  // namespace

Result<MigrationRequest> Conversion::request() const {
  MigrationRequest request;
  const std::pair<const char*, std::string*> required[] = {{"spec.group", &request.group},
                                                           {"spec.kind", &request.kind},
                                                           {"spec.oldVersion", &request.old_version},
                                                           {"spec.newVersion", &request.new_version}};
  for (const auto& [path, value] : required) {
    *value = text(path);
    if (value->empty()) return fail(ErrorCode::invalid, std::string(path) + " is missing");
  }
  if (request.kind == every_kind) request.kind.clear();
  request.namespace_name = text("spec.namespace");
  request.dry_run = flag("spec.dryRun");
  // A value of another type would otherwise select more objects than its author wanted.
  for (const char* path : {"spec.namespace", "spec.dryRun"}) {
    const bool is_text = find_text(path).has_value(), is_flag = find_flag(path).has_value();
    if (has(path) && !(std::string_view(path) == "spec.dryRun" ? is_flag : is_text))
      return fail(ErrorCode::invalid, std::string(path) + " is of the wrong type");
  }
  if (const json::Value* selector = find("spec.selector"); selector != nullptr && !selector->is_null()) {
    auto labels = k8s::LabelSelector::from(selector, "spec.selector");
    if (!labels) return fail(labels.error());
    request.labels = *std::move(labels);
  }
  return request;
}

std::vector<KindProgress> Conversion::kinds() const {
  std::vector<KindProgress> kinds;
  if (integer("status.observedGeneration", -1) != generation()) return kinds;
  for (const k8s::View& entry : items("status.kinds")) kinds.push_back(read_kind(entry));
  return kinds;
}

void Conversion::set_kinds(const std::vector<KindProgress>& kinds) {
  set("status.observedGeneration", generation());
  set("status.kinds", json::Array{});
  std::int64_t done = 0;
  std::optional<std::int64_t> total = 0;
  std::string token, error;
  for (const KindProgress& kind : kinds) {
    write_kind(append("status.kinds"), kind);
    done += kind.done;
    total = total && kind.total ? std::optional(*total + *kind.total) : std::nullopt;
    if (!kind.finished && token.empty()) token = kind.continue_token;
    if (!kind.last_error.empty()) error = cut_text(kind.last_error, longest_text);
  }
  set("status.objectsDone", done);
  const auto set_or_erase = [&](const char* path, bool there, json::Value value) {
    if (there) {
      set(path, std::move(value));
    } else {
      erase(path);
    }
  };
  set_or_erase("status.objectsTotal", total.has_value(), total.value_or(0));
  set_or_erase("status.continueToken", !token.empty(), json::Value(token));
  set_or_erase("status.lastError", !error.empty(), json::Value(error));
}

const k8s::ConditionPolicy& Conversion::policy() {
  static const k8s::ConditionPolicy policy = k8s::gateway_policy({"Accepted", "Completed"}, {"Quarantined"});
  return policy;
}

}  // namespace fairway::conversion
