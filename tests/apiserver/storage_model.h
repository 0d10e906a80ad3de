// SPDX-License-Identifier: Apache-2.0

// A random workload on a storage, beside a model of what has to be there.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage_case.h"

namespace fairway::apiserver::storage {

/// The acknowledged writes, and those that may exist although they were not acknowledged.
class StorageModel {
 public:
  struct Entry {
    Key key;
    std::optional<std::string> value;  ///< none: deleted
  };

  /// Records an acknowledged transaction.
  void acknowledged(std::vector<Entry> entries) {
    log_.insert(log_.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
    unknown_.clear();
  }
  /// Records a transaction that failed: it cannot be read, but may exist after a restart.
  void unknown(std::vector<Entry> entries) { unknown_ = std::move(entries); }
  void value(const std::string& value) { values_ = {value}; }
  void value_unknown(const std::string& value) { values_.insert(value); }

  Revision revision() const { return static_cast<Revision>(log_.size()) + 1; }
  bool exists(const Key& key) const {
    auto state = state_at(key.resource, revision());
    return state.contains(key.path());
  }

  /// Checks the state after a restart: all acknowledged writes exist, and of others at most the last
  /// transaction.
  void restarted(Storage& storage) {
    auto more = storage.revision() - revision();
    if (more != 0) {
      ASSERT_EQ(more, static_cast<Revision>(unknown_.size())) << "a transaction is there whole or not at all";
      acknowledged(unknown_);
    }
    unknown_.clear();
    auto value = storage.value("own");
    ASSERT_TRUE(value) << value.error().message;
    EXPECT_TRUE(values_.contains(value->value_or(""))) << value->value_or("none");
    values_ = {value->value_or("")};
  }

  /// Compares everything that can be read: now, and as of some revisions.
  void check(Storage& storage, std::mt19937_64& random) const {
    ASSERT_EQ(storage.revision(), revision());
    for (const char* resource : {"configmaps", "apps/deployments"}) {
      compare(storage, resource, 0);
      auto oldest = storage.compacted_revision();
      for (int i = 0; i < 3; ++i) {
        auto at =
            oldest + static_cast<Revision>(random() % static_cast<std::uint64_t>(revision() - oldest + 1));
        if (at > 0) compare(storage, resource, at);
        compare_events(storage, resource, at);
      }
    }
  }

 private:
  struct Seen {
    Revision revision;
    std::string value;
    bool operator==(const Seen&) const = default;
  };
  using State = std::map<std::string, Seen>;

  State state_at(const std::string& resource, Revision revision) const {
    State state;
    for (std::size_t i = 0; i < log_.size() && static_cast<Revision>(i) + 2 <= revision; ++i) {
      if (log_[i].key.resource != resource) continue;
      if (log_[i].value) {
        state[log_[i].key.path()] = {static_cast<Revision>(i) + 2, *log_[i].value};
      } else {
        state.erase(log_[i].key.path());
      }
    }
    return state;
  }

  static std::string json(const Key& key, const std::string& value, Revision revision) {
    std::size_t slot = 0;
    return body(key, value).with_revision(revision, slot);
  }

  void compare(Storage& storage, const std::string& resource, Revision revision) const {
    auto list = storage.list({resource, {}, {}, 0, revision});
    ASSERT_TRUE(list) << list.error().error.message;
    auto expected = state_at(resource, revision == 0 ? this->revision() : revision);
    ASSERT_EQ(list->records.size(), expected.size()) << resource << " at " << revision;
    auto one = expected.begin();
    for (const auto& record : list->records) {
      ASSERT_EQ(record->path(), one->first) << resource << " at " << revision;
      Key key{resource, std::string(record->namespace_name()), std::string(record->name())};
      ASSERT_EQ(record->json(), json(key, one->second.value, one->second.revision));
      ++one;
    }
  }

  void compare_events(Storage& storage, const std::string& resource, Revision from) const {
    auto watch = storage.watch({resource, {}, from});
    ASSERT_TRUE(watch) << watch.error().error.message;
    std::string expected;
    std::set<std::string> there;
    for (std::size_t i = 0; i < log_.size(); ++i) {
      if (log_[i].key.resource != resource) continue;
      auto path = log_[i].key.path();
      const char* type = !log_[i].value ? "deleted " : there.contains(path) ? "modified " : "added ";
      if (log_[i].value) {
        there.insert(path);
      } else {
        there.erase(path);
      }
      auto revision = static_cast<Revision>(i) + 2;
      if (revision <= from) continue;
      expected += (expected.empty() ? "" : ", ") + std::string(type) + path + "=" + std::to_string(revision);
    }
    ASSERT_EQ(drain(**watch), expected) << "a watch of " << resource << " from " << from;
  }

  std::vector<Entry> log_;  ///< the change of revision 2 is the first
  std::vector<Entry> unknown_;
  std::set<std::string> values_{""};
};

/// Writes at random, one after the other.
class StorageWorkload {
 public:
  StorageWorkload(std::uint64_t seed, FakeClock& clock) : random_(seed), clock_(clock) {}

  /// Makes one step. Returns false if the storage replied with an error.
  bool step(Storage& storage, StorageModel& model) {
    bool well = write_or_read(storage, model);
    // Waits for the writer, which may compact after its answer: a seed has the same operations in each run.
    EXPECT_TRUE(storage.compact(0));
    return well;
  }

  std::mt19937_64& random() { return random_; }

 private:
  bool write_or_read(Storage& storage, StorageModel& model) {
    auto kind = random_() % 100;
    if (kind < 8) {
      clock_.advance(std::chrono::minutes(random_() % 5));
      return true;
    }
    if (kind < 14) {
      auto value = std::to_string(random_());
      if (storage.set_value("own", value)) {
        model.value(value);
        return true;
      }
      model.value_unknown(value);
      return false;
    }
    if (kind < 20) {
      // A read that may need the file.
      auto at = storage.compacted_revision() + 1;
      auto list = storage.list({"configmaps", {}, {}, 3, std::min(at, storage.revision())});
      return list || list.error().kind != ReadError::Kind::failed;
    }
    std::vector<Change> changes;
    std::vector<StorageModel::Entry> entries;
    std::set<std::string> paths;
    auto count = kind < 30 ? 2 + random_() % 4 : 1;
    while (changes.size() < count) {
      Key key{random_() % 3 == 0 ? "apps/deployments" : "configmaps", random_() % 2 == 0 ? "a" : "b",
              "n" + std::to_string(random_() % 8)};
      if (!paths.insert(key.resource + key.path()).second) continue;
      if (model.exists(key) && random_() % 3 == 0) {
        changes.push_back(remove(key));
        entries.push_back({key, std::nullopt});
      } else {
        // Some of many pages.
        std::size_t size = random_() % 10 == 0 ? random_() % 30'000 : random_() % 800;
        auto value = std::string(size, static_cast<char>('a' + random_() % 26));
        changes.push_back(put(key, value));
        entries.push_back({key, value});
      }
    }
    auto written = storage.write(std::move(changes));
    if (written && !written->conflict) {
      model.acknowledged(std::move(entries));
      return true;
    }
    EXPECT_FALSE(written) << "a conflict where there is none";
    model.unknown(std::move(entries));
    return false;
  }

  std::mt19937_64 random_;
  FakeClock& clock_;
};

}  // namespace fairway::apiserver::storage
