// SPDX-License-Identifier: Apache-2.0

// Bodies, records and what is derived of them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "apiserver/internal/storage/record.h"

namespace fairway::apiserver::storage {
namespace {

TEST(StorageRecord, TheRevisionIsPutIntoTheMetadata) {
  struct Case {
    const char *json, *stored;
  };
  const Case cases[] = {
      {R"({"metadata":{"name":"a"},"x":1})", R"({"metadata":{"resourceVersion":"42","name":"a"},"x":1})"},
      {R"({"metadata":{}})", R"({"metadata":{"resourceVersion":"42"}})"},
      {R"({"metadata":{"resourceVersion":"7"}})", R"({"metadata":{"resourceVersion":"42"}})"},
      {R"({"metadata":{"name":"a","resourceVersion":"","uid":"u"}})",
       R"({"metadata":{"name":"a","resourceVersion":"42","uid":"u"}})"},
      {R"({"metadata":{"resourceVersion":null,"name":"a"}})",
       R"({"metadata":{"resourceVersion":"42","name":"a"}})"},
      // Only that of the object's own metadata.
      {R"({"spec":{"metadata":{"resourceVersion":"1"}},"metadata":{"annotations":{"resourceVersion":"1"}}})",
       R"({"spec":{"metadata":{"resourceVersion":"1"}},"metadata":{"resourceVersion":"42","annotations":{"resourceVersion":"1"}}})"},
      {R"({"s":"\"metadata\":{\\","l":[1,[{}],{"metadata":{}}],"n":-1.5e3,"b":true,"metadata":{"a":[],"resourceVersion":"9"}})",
       R"({"s":"\"metadata\":{\\","l":[1,[{}],{"metadata":{}}],"n":-1.5e3,"b":true,"metadata":{"a":[],"resourceVersion":"42"}})"},
      {" { \"metadata\" : { \"resourceVersion\" : \"5\" , \"a\" : 1 } } ",
       " { \"metadata\" : { \"resourceVersion\" : \"42\" , \"a\" : 1 } } "},
  };
  for (const auto& one : cases) {
    auto body = Body::of(one.json);
    ASSERT_TRUE(body) << one.json << ": " << body.error().message;
    std::size_t slot = 0;
    auto json = body->with_revision(42, slot);
    EXPECT_EQ(json, one.stored);
    Record record(Key{"r", "n", "a"}, 42, json, slot);
    EXPECT_EQ(record.at(1000)->json().substr(slot, 5), "1000\"") << one.json;
    EXPECT_EQ(record.at(1000)->at(42)->json(), json) << "nothing else changes";
  }
}

TEST(StorageRecord, AnObjectWithoutMetadataIsRefused) {
  for (const char* json : {"", "[]", "{}", R"({"metadata":1})", R"({"metadata")", R"({"a":"\)", R"({"a":{)",
                           R"({"metadata":{"resourceVersion":"1)"}) {
    auto body = Body::of(json);
    EXPECT_FALSE(body) << json;
  }
}

TEST(StorageRecord, PathsHaveTheirParts) {
  Record namespaced(Key{"configmaps", "ns", "name"}, 1, "{}", 1);
  EXPECT_EQ(namespaced.path(), "ns/name");
  EXPECT_EQ(namespaced.namespace_name(), "ns");
  EXPECT_EQ(namespaced.name(), "name");
  Record cluster(Key{"nodes", "", "name"}, 1, "{}", 1);
  EXPECT_EQ(cluster.path(), "name");
  EXPECT_EQ(cluster.namespace_name(), "");
  EXPECT_EQ(cluster.name(), "name");
}

TEST(StorageRecord, AValueIsDerivedOnceForAllThreads) {
  Derived derived;
  std::atomic<int> made{0};
  std::vector<const int*> seen(64);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t tag = 0; tag < 16; ++tag) {
          seen[static_cast<std::size_t>(thread) * 16 + tag] = &derived.get<int>(tag, [&] {
            ++made;
            return static_cast<int>(tag) + 100;
          });
        }
      });
    }
  }
  for (std::size_t tag = 0; tag < 16; ++tag) {
    EXPECT_EQ(*seen[tag], static_cast<int>(tag) + 100);
    for (std::size_t thread = 1; thread < 4; ++thread) EXPECT_EQ(seen[tag], seen[thread * 16 + tag]);
  }
  auto before = made.load();
  EXPECT_EQ(derived.get<int>(3, [&] { return ++made; }), 103);
  EXPECT_EQ(made, before) << "a value is not made again";
}

}  // namespace
}  // namespace fairway::apiserver::storage
