// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/quoted_text.h"

namespace fairway::apiserver::apply::internal {

namespace {

std::string text_of(const json::Value& entry, std::string_view key) {
  return std::string(json::find_string(entry, key).value_or(""));
}

Result<void> decode_entry(const json::Value& entry, std::size_t place, ManagedFields& out) {
  const std::string where = "managed fields entry " + std::to_string(place);
  if (!entry.is_object()) return fail(ErrorCode::invalid, where + " is not an object");
  const std::string operation = text_of(entry, "operation"), api_version = text_of(entry, "apiVersion"),
                    type = text_of(entry, "fieldsType");
  if (operation != "Apply" && operation != "Update") {
    return fail(ErrorCode::invalid, "operation must be `Apply` or `Update`");
  }
  if (api_version.empty()) return fail(ErrorCode::invalid, "apiVersion must not be empty");
  if (type.empty()) return fail(ErrorCode::invalid, "missing fieldsType in " + where);
  if (type != "FieldsV1")
    return fail(ErrorCode::invalid, "invalid fieldsType " + quote(type) + " in " + where);
  const bool applied = operation == "Apply";
  const ManagerIdentity identity{text_of(entry, "manager"), applied, applied ? "" : api_version,
                                 text_of(entry, "subresource")};
  const std::string key = identity.to_text();
  const json::Value* fields = json::find(entry, "fieldsV1");
  auto set = fields == nullptr ? FieldSet{} : FieldSet::from_fields_v1(*fields);
  if (!set) return fail(set.error().within(where));
  out.owners[key] = {std::move(*set), api_version, applied};
  out.times.erase(key);
  const json::Value* time = json::find(entry, "time");
  if (time == nullptr || time->is_null()) return {};
  const auto parsed = parse_time(text_of(entry, "time"));
  if (!parsed) return fail(parsed.error().within(where));
  out.times[key] = format_time(*parsed);
  return {};
}

}  // namespace

std::string ManagerIdentity::to_text() const {
  json::Object text;
  if (!manager.empty()) text["manager"] = manager;
  text["operation"] = applied ? "Apply" : "Update";
  if (!applied && !api_version.empty()) text["apiVersion"] = api_version;
  if (!subresource.empty()) text["subresource"] = subresource;
  return json::to_text(text);
}

ManagerIdentity ManagerIdentity::of_text(std::string_view text) {
  const auto value = json::parse(text);
  if (!value) return {std::string(text), false, {}, {}};
  return {text_of(*value, "manager"), text_of(*value, "operation") == "Apply", text_of(*value, "apiVersion"),
          text_of(*value, "subresource")};
}

std::string ManagerIdentity::to_string() const {
  std::string out = quote(manager);
  if (!subresource.empty()) out += " with subresource " + quote(subresource);
  if (!applied) out += " using " + api_version;
  return out;
}

Result<ManagedFields> ManagedFields::decode(const json::Value* entries) {
  ManagedFields out;
  if (entries == nullptr || entries->is_null()) return out;
  const json::Array* list = entries->if_array();
  if (list == nullptr) return fail(ErrorCode::invalid, "metadata.managedFields is not a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (const auto entry = decode_entry((*list)[i], i, out); !entry) return fail(entry.error());
  }
  return out;
}

json::Array ManagedFields::encode() const {
  struct Entry {
    ManagerIdentity identity;
    std::string time;
    const VersionedSet* owned;
    auto order() const {
      return std::tie(owned->applied, time, identity.manager, owned->api_version, identity.subresource);
    }
  };
  std::vector<Entry> entries;
  for (const auto& [key, owned] : owners) {
    const auto time = times.find(key);
    entries.push_back({ManagerIdentity::of_text(key), time == times.end() ? "" : time->second, &owned});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    // Apply is before Update.
    if (a.owned->applied != b.owned->applied) return a.owned->applied;
    return a.order() < b.order();
  });
  json::Array out;
  for (const Entry& one : entries) {
    json::Object entry;
    if (!one.identity.manager.empty()) entry["manager"] = one.identity.manager;
    entry["operation"] = one.owned->applied ? "Apply" : "Update";
    entry["apiVersion"] = one.owned->api_version;
    if (!one.time.empty()) entry["time"] = one.time;
    entry["fieldsType"] = "FieldsV1";
    entry["fieldsV1"] = one.owned->set.to_fields_v1();
    if (!one.identity.subresource.empty()) entry["subresource"] = one.identity.subresource;
    out.push_back(std::move(entry));
  }
  return out;
}

void ManagedFields::merge_oldest_updates(std::size_t limit) {
  std::vector<std::pair<std::string, std::string>> updaters;
  for (const auto& [key, owned] : owners) {
    if (owned.applied) continue;
    const auto time = times.find(key);
    updaters.emplace_back(time == times.end() ? "" : time->second, key);
  }
  std::ranges::sort(updaters);
  std::size_t count = updaters.size();
  std::map<std::string, std::string> first_of_version;
  for (const auto& [time, key] : updaters) {
    if (count <= limit) return;
    const std::string version = owners[key].api_version;
    const auto [first, is_first] = first_of_version.emplace(version, key);
    if (is_first) continue;
    const std::string bucket = ManagerIdentity{"ancient-changes", false, version, {}}.to_text();
    if (!owners.contains(bucket)) {
      owners[bucket] = std::move(owners[first->second]);
      owners.erase(first->second);
    }
    if (key == bucket) continue;
    VersionedSet& merged = owners[bucket];
    merged.set = owners[key].set.united(merged.set);
    owners.erase(key);
    --count;
    if (time.empty()) {
      times.erase(bucket);
    } else {
      times[bucket] = time;
    }
  }
}

}  // namespace fairway::apiserver::apply::internal
