// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/replicas/replica_report.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace fairway::gateway {

namespace {

json::Object name_of(const xds::ResourceName& name) {
  return {{"type", xds::url_of(name.type)}, {"name", name.name}};
}

std::unexpected<Error> not_a_report(const std::string& what) {
  return fail(ErrorCode::invalid, "the report of a replica: " + what);
}

void add_part(const xds::RefusedPart& part, json::Object& entry) {
  json::Object one{{"host", part.host}, {"message", part.message}};
  if (part.route) one["route"] = *part.route;
  if (!entry.contains("parts")) entry["parts"] = json::Array();
  entry["parts"].get_array().emplace_back(std::move(one));
}

Result<xds::ResourceName> read_name(const json::Value& one) {
  const auto url = json::find_string(one, "type"), name = json::find_string(one, "name");
  if (!url || !name) return not_a_report("a resource without `type` and `name`");
  const auto type = xds::type_of(*url);
  if (!type) return not_a_report("the type " + printable(*url) + " is not served here");
  return xds::ResourceName{*type, std::string(*name)};
}

/// Returns the members of a list; nullptr: it is not a list.
const json::Array* list_of(const json::Value& document, std::string_view key) {
  const json::Value* list = json::find(document, key);
  return list != nullptr && list->is_array() ? &list->get_array() : nullptr;
}

std::optional<std::uint64_t> number_of(const json::Value& document, std::string_view key) {
  const json::Value* value = json::find(document, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_uint64()) return value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) return static_cast<std::uint64_t>(value->get_int64());
  return std::nullopt;
}

/// Reads the refused parts of a resource. An entry without any has no list.
Result<std::vector<xds::RefusedPart>> read_parts(const json::Value& entry) {
  std::vector<xds::RefusedPart> parts;
  if (json::find(entry, "parts") == nullptr) return parts;
  const json::Array* list = list_of(entry, "parts");
  if (list == nullptr) return not_a_report("`parts` is no list");
  for (const json::Value& one : *list) {
    const auto route = number_of(one, "route");
    const auto host = json::find_string(one, "host"), message = json::find_string(one, "message");
    if (!host || !message || (!route && json::find(one, "route") != nullptr))
      return not_a_report("a part without `host` and `message`, or with a `route` that is no number");
    parts.push_back({.host = std::string(*host), .route = route, .message = std::string(*message)});
  }
  return parts;
}

}  // namespace

ReplicaReport difference(const xds::Report& before, const xds::Report& now) {
  ReplicaReport changes{.has_envoys = now.has_envoys};
  for (const auto& [name, said] : now.said) {
    const auto found = before.said.find(name);
    if (found == before.said.end() || found->second != said) changes.said.emplace(name, said);
  }
  for (const auto& [name, said] : before.said) {
    if (!now.said.contains(name)) changes.gone.insert(name);
  }
  return changes;
}

xds::Report with_changes(xds::Report before, const ReplicaReport& changes) {
  before.has_envoys = changes.has_envoys;
  for (const auto& [name, said] : changes.said) before.said.insert_or_assign(name, said);
  for (const xds::ResourceName& name : changes.gone) before.said.erase(name);
  return before;
}

std::string to_text(const ReplicaReport& report) {
  json::Array said, gone;
  for (const auto& [name, one] : report.said) {
    json::Object entry = name_of(name);
    entry["version"] = one.version;
    if (one.refusal) entry["refusal"] = *one.refusal;
    for (const xds::RefusedPart& part : one.parts) add_part(part, entry);
    said.emplace_back(std::move(entry));
  }
  for (const xds::ResourceName& name : report.gone) gone.emplace_back(name_of(name));
  return json::to_text(json::Object{{"replica", report.replica},
                                    {"to", report.to},
                                    {"number", report.number},
                                    {"base", report.base},
                                    {"hasEnvoys", report.has_envoys},
                                    {"said", std::move(said)},
                                    {"gone", std::move(gone)}});
}

Result<ReplicaReport> read_replica_report(std::string_view text) {
  const auto document = json::parse(text);
  if (!document) return fail(document.error().within("the report of a replica"));
  const auto replica = json::find_string(*document, "replica"), to = json::find_string(*document, "to");
  const auto number = number_of(*document, "number"), base = number_of(*document, "base");
  const json::Value* has_envoys = json::find(*document, "hasEnvoys");
  const json::Array *said = list_of(*document, "said"), *gone = list_of(*document, "gone");
  if (!replica || replica->empty() || !to) return not_a_report("`replica` or `to` is missing");
  if (!number || !base || *number == 0) return not_a_report("`number` and `base` are no numbers");
  if (has_envoys == nullptr || !has_envoys->is_bool()) return not_a_report("`hasEnvoys` is missing");
  if (said == nullptr || gone == nullptr) return not_a_report("`said` and `gone` are no lists");
  ReplicaReport report{.replica = std::string(*replica),
                       .to = std::string(*to),
                       .number = *number,
                       .base = *base,
                       .has_envoys = has_envoys->get_bool()};
  for (const json::Value& one : *said) {
    auto name = read_name(one);
    if (!name) return fail(name.error());
    const auto version = json::find_string(one, "version");
    if (!version || version->empty()) return not_a_report("a resource without `version`");
    xds::Ack entry{.version = std::string(*version)};
    if (const json::Value* refusal = json::find(one, "refusal"); refusal != nullptr) {
      if (!refusal->is_string()) return not_a_report("`refusal` is no text");
      entry.refusal = std::string(refusal->get_string());
    }
    auto parts = read_parts(one);
    if (!parts) return fail(parts.error());
    entry.parts = *std::move(parts);
    report.said.insert_or_assign(*std::move(name), std::move(entry));
  }
  for (const json::Value& one : *gone) {
    auto name = read_name(one);
    if (!name) return fail(name.error());
    report.gone.insert(*std::move(name));
  }
  return report;
}

}  // namespace fairway::gateway
