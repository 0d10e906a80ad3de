// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/connection_times.h"

#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

namespace {

struct Key {
  std::string_view name;
  std::chrono::milliseconds ConnectionTimes::* time;
};

constexpr auto keys = std::to_array<Key>({
    {"idleTimeout", &ConnectionTimes::idle},
    {"headersTimeout", &ConnectionTimes::headers},
    {"unreadTimeout", &ConnectionTimes::unread},
    {"sessionTimeout", &ConnectionTimes::session},
});

const Key* find_key(std::string_view name) {
  for (const Key& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

}  // namespace

Result<ConnectionTimes> read_connection_times(const json::Value& value) {
  if (!value.is_object()) return fail(ErrorCode::invalid, "spec.connections must be an object");
  ConnectionTimes times;
  for (const auto& member : value.get_object()) {
    const std::string name(member.key());
    const Key* const key = find_key(name);
    if (key == nullptr) {
      std::string known;
      for (const Key& one : keys) known += (known.empty() ? "" : ", ") + std::string(one.name);
      return fail(ErrorCode::invalid,
                  "spec.connections has the unknown key \"" + printable(name) + "\"; there are " + known);
    }
    const auto time = member.value().is_string() ? read_duration(member.value().get_string()) : std::nullopt;
    if (!time)
      return fail(ErrorCode::invalid, "spec.connections." + name + " is " +
                                          printable(json::to_text(member.value())) +
                                          ", and must be a duration: 30s, 1h30m; 0s for no limit");
    times.*key->time = *time;
  }
  // Envoy refuses a UDP listener without it.
  if (times.session.count() == 0)
    return fail(ErrorCode::invalid,
                "spec.connections.sessionTimeout must be longer than 0s: nothing else ends a session of UDP");
  return times;
}

}  // namespace fairway::gateway
