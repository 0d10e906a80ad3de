// SPDX-License-Identifier: Apache-2.0

// Views of a few kinds of the core group.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

class ConfigMap : public Checked<Dynamic, openapi::config_map> {
 public:
  static constexpr Resource resource{"", "v1", "ConfigMap", "configmaps"};
  using Checked::Checked;

  StringMap data() const { return map("data"); }
  void set_data(std::string_view key, std::string_view text) { set_entry("data", key, text); }
  bool remove_data(std::string_view key) { return erase_entry("data", key); }
  bool immutable() const { return flag("immutable"); }
};

class Secret : public Checked<Dynamic, openapi::secret> {
 public:
  static constexpr Resource resource{"", "v1", "Secret", "secrets"};
  using Checked::Checked;

  std::string_view type() const { return text("type"); }
  void set_type(std::string_view type) { set("type", type); }
  /// Returns the bytes of a key; std::nullopt if it is absent or not base64.
  std::optional<std::string> data(std::string_view key) const;
  void set_data(std::string_view key, std::string_view bytes);
  bool remove_data(std::string_view key) { return erase_entry("data", key); }
};

/// An Event about an object. This is the older API, of core/v1, which every server and every version of
/// kubectl support.
class Event : public Checked<Dynamic, openapi::event> {
 public:
  static constexpr Resource resource{"", "v1", "Event", "events"};
  using Checked::Checked;

  View involved_object() const { return at("involvedObject"); }
  /// Sets the object that the event refers to; the event must be in its namespace, or in "default" for
  /// cluster-scoped ones.
  void set_involved_object(const Dynamic& object);
  /// "Normal" or "Warning".
  std::string_view type() const { return text("type"); }
  void set_type(std::string_view type) { set("type", type); }
  std::string_view reason() const { return text("reason"); }
  void set_reason(std::string_view reason) { set("reason", reason); }
  std::string_view message() const { return text("message"); }
  void set_message(std::string_view message) { set("message", message); }
  /// The reporter: the controller's name, and its instance.
  std::string_view component() const { return text("source.component"); }
  void set_component(std::string_view component, std::string_view instance);
  /// The count, and the first and last time.
  std::int64_t count() const { return integer("count", 1); }
  std::optional<WallTime> first() const { return find_time("firstTimestamp"); }
  std::optional<WallTime> last() const { return find_time("lastTimestamp"); }
  void set_times(std::int64_t count, WallTime first, WallTime last);
};

}  // namespace fairway::k8s
