// SPDX-License-Identifier: Apache-2.0

// Objects and storages for the tests of the storage.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

inline Key config_map(const std::string& name, const std::string& namespace_name = "default") {
  return {"configmaps", namespace_name, name};
}

inline Body body(const Key& key, const std::string& value) {
  return *Body::of(R"({"metadata":{"name":")" + key.name + R"(","namespace":")" + key.namespace_name +
                   R"("},"data":{"k":")" + value + R"("}})");
}

inline Change create(const Key& key, const std::string& value = "v") {
  return {key, Precondition::absent(), body(key, value)};
}
inline Change update(const Key& key, Revision at, const std::string& value) {
  return {key, Precondition::at(at), body(key, value)};
}
inline Change put(const Key& key, const std::string& value) {
  return {key, {}, body(key, value)};
}
inline Change remove(const Key& key) {
  return {key, {}, std::nullopt};
}

/// Writes a change, which has to succeed. Returns its revision; 0 if it fails.
inline Revision write(Storage& storage, Change change) {
  auto written = storage.write(std::move(change));
  if (!written) {
    ADD_FAILURE() << written.error().message;
    return 0;
  }
  if (written->conflict) {
    ADD_FAILURE() << "a conflict";
    return 0;
  }
  return written->records.back()->revision();
}

/// Returns the paths and revisions of records: "a=1 b=2".
inline std::string text(const std::vector<RecordPtr>& records) {
  std::string result;
  for (const auto& record : records) {
    if (!result.empty()) result += ' ';
    result += record->path() + "=" + std::to_string(record->revision());
  }
  return result;
}

/// Returns the type, path and revision of each event: "added default/a=2".
inline std::string text(const std::vector<EventPtr>& events) {
  constexpr const char* types[] = {"added", "modified", "deleted"};
  std::string result;
  for (const auto& event : events) {
    if (!result.empty()) result += ", ";
    result += std::string(types[static_cast<int>(event->type)]) + " " + event->record->path() + "=" +
              std::to_string(event->revision());
  }
  return result;
}

/// Reads all events of a watch, until a poll returns nothing.
inline std::string drain(Watch& watch) {
  std::vector<EventPtr> events;
  while (true) {
    bool more = watch.may_block();
    auto batch = watch.poll();
    events.insert(events.end(), batch.events.begin(), batch.events.end());
    if (batch.end)
      return text(events) + (events.empty() ? "" : ", ") + "end " +
             std::to_string(static_cast<int>(*batch.end));
    if (batch.events.empty() && !more) return text(events);
  }
}

}  // namespace fairway::apiserver::storage
