// SPDX-License-Identifier: Apache-2.0

// Lists of a revision that is past, in more pieces than one.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::storage {
namespace {

/// Source of past states.
enum class From { memory, file, ring };

/// 60 objects that were changed 70 times each, every third of them deleted in between.
class PastLists : public ::testing::TestWithParam<From> {
 protected:
  static constexpr int objects = 60, rounds = 70;

  PastLists() {
    options_.ring_events = GetParam() == From::ring ? 10'000 : 16;
    auto opened = GetParam() == From::memory ? open_memory_storage(options_)
                                             : open_storage(folder_ / "storage.db", options_);
    if (!opened) throw std::runtime_error(opened.error().message);
    storage_ = std::move(*opened);
    for (int round = 0; round < rounds; ++round) {
      std::vector<Change> changes;
      for (int i = 0; i < objects; ++i) {
        const Key key = config_map("map-" + std::to_string(100 + i), i % 2 == 0 ? "a" : "b");
        const bool was_there = states_.contains(key.path());
        if (i % 3 == 0 && round % 2 == 1 && was_there) {
          changes.push_back(remove(key));
        } else {
          changes.push_back(put(key, std::to_string(round)));
        }
      }
      const auto written = storage_->write(std::move(changes));
      if (!written || written->conflict) throw std::runtime_error("the objects were not written");
      states_.clear();
      auto now = storage_->list({.resource = "configmaps"});
      for (const RecordPtr& record : now->records) states_[record->path()] = record->revision();
      past_[now->revision] = states_;
    }
  }

  struct Read {
    std::string text;
    std::size_t remaining = 0;
  };
  Read list(const ListQuery& query) {
    auto read = storage_->list(query);
    if (!read) return {"error: " + read.error().error.message, 0};
    EXPECT_EQ(read->revision, query.revision);
    return {text(read->records), read->remaining};
  }
  Read wanted(const ListQuery& query) {
    Read read;
    std::size_t taken = 0;
    for (const auto& [path, revision] : past_.at(query.revision)) {
      const bool is_in = query.namespace_name.empty() || path.starts_with(query.namespace_name + "/");
      if (!is_in || path <= query.after) continue;
      if (query.limit > 0 && taken++ >= query.limit) {
        ++read.remaining;
        continue;
      }
      read.text += (read.text.empty() ? "" : " ") + path + "=" + std::to_string(revision);
    }
    return read;
  }

  fairway::testing::TempDirectory folder_;
  StorageOptions options_;
  std::unique_ptr<Storage> storage_;
  std::map<std::string, Revision> states_;
  std::map<Revision, std::map<std::string, Revision>> past_;
};

std::string name_of(const ::testing::TestParamInfo<From>& info) {
  if (info.param == From::memory) return "Memory";
  return info.param == From::file ? "File" : "Ring";
}

INSTANTIATE_TEST_SUITE_P(Of, PastLists, ::testing::Values(From::memory, From::file, From::ring), name_of);

TEST_P(PastLists, ShowEveryRevisionAsItWas) {
  int looked_at = 0;
  for (const auto& [revision, states] : past_) {
    if (looked_at++ % 7 != 0) continue;
    for (const char* name : {"", "a", "b", "c"}) {
      for (const char* after : {"", "a/map-120", "a/map-121", "b/map-159", "b/map-159 ", "c"}) {
        for (const std::size_t limit : {0U, 1U, 7U, 20U, 40U, 60U, 100U}) {
          const ListQuery query{.resource = "configmaps",
                                .namespace_name = name,
                                .after = after,
                                .limit = limit,
                                .revision = revision};
          const Read got = list(query), want = wanted(query);
          ASSERT_EQ(got.text, want.text) << revision << " " << name << " " << after << " " << limit;
          ASSERT_EQ(got.remaining, want.remaining) << revision << " " << name << " " << after << " " << limit;
          ListQuery uncounted = query;
          uncounted.counts = false;
          const Read page = list(uncounted);
          ASSERT_EQ(page.text, want.text);
          ASSERT_EQ(page.remaining > 0, want.remaining > 0) << revision << " " << after << " " << limit;
        }
      }
    }
  }
}

TEST_P(PastLists, EndWhereTheirRevisionIsNotKeptAnyMore) {
  const Revision revision = past_.begin()->first;
  ASSERT_TRUE(storage_->compact(storage_->revision()));
  const auto read = storage_->list({.resource = "configmaps", .revision = revision});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ReadError::Kind::compacted);
}

}  // namespace
}  // namespace fairway::apiserver::storage
