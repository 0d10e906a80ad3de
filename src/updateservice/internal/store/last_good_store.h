// SPDX-License-Identifier: Apache-2.0

// The last good responses and their inputs on disk: what a restart serves while every source is down. Only
// files are read and written here; Publisher decides when.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "updateservice/builder.h"
#include "updateservice/internal/bodies/responses.h"

namespace fairway::updateservice {

/// Files below DIR/last-good: `published` (every body, ready to be sent), `past` (the bodies before them, for
/// /changes), `inputs` (what they were made of) and `last-good` (a time). Each is replaced atomically, for
/// readers and across a power loss, names its format's version, and has a checksum: a file that is torn,
/// foreign or of another version counts as absent and is named in the log.
class LastGoodStore {
 public:
  /// Inputs, and the key that they were kept under.
  struct StoredInputs {
    std::string key;
    std::shared_ptr<const BuiltInputs> inputs;
  };

  /// Opens the store, and removes half-written files of killed processes.
  explicit LastGoodStore(const std::filesystem::path& directory);

  /// Writes responses. `key` identifies all settings that decide the content of bodies and who may see them.
  Result<void> save_responses(const Responses& responses, const std::string& key);
  Result<void> save_inputs(const BuiltInputs& inputs, const std::string& key);
  /// Writes the time of the last good refresh.
  Result<void> save_last_good(WallTime time);

  /// Returns the responses that were written under the same key; nothing without any, so that bodies made for
  /// other settings are never served.
  std::shared_ptr<const Responses> load_responses(std::shared_ptr<const PrivateChannels> rules,
                                                  const CachePolicy& policy, const std::string& key) const;
  std::optional<StoredInputs> load_inputs() const;
  /// Returns the time of the last good refresh; nothing if it is unknown. A time after `now` (a clock was
  /// ahead) counts as `now`, so that the age of the served data grows from there, instead of being 0 until
  /// that time.
  std::optional<WallTime> load_last_good(WallTime now) const;

 private:
  void load_past(Responses& responses, const std::string& key) const;
  std::optional<std::string> read(const std::string& name) const;
  Result<void> write(const std::string& name, std::string payload) const;

  const std::filesystem::path directory_;
};

}  // namespace fairway::updateservice
