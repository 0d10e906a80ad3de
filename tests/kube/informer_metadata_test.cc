// SPDX-License-Identifier: Apache-2.0

// Lists, watches and informers of the metadata of objects alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <string>
#include <vector>

#include "k8s/partial_object_metadata.h"
#include "kube/controller_kinds.h"
#include "kube/informer_account.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using fairway::testing::eventually;
using k8s::PartialObjectMetadata;
using testing::ChurningApi;
using testing::client_for;
using testing::short_timings;

template <class T>
concept HasFields =
    requires(const T& object) { object.text("spec.color"); } ||
    requires(const T& object) { object.has("spec"); } || requires(const T& object) { object.json(); } ||
    std::convertible_to<T, k8s::Dynamic> || std::convertible_to<const T&, const k8s::Dynamic&>;
static_assert(HasFields<k8s::ConfigMap>);
static_assert(!HasFields<PartialObjectMetadata>, "a spec that was not sent would read as an empty one");

const k8s::GroupVersionResource config_maps = k8s::ConfigMap::resource.group_version_resource();

TEST(PartialObjectMetadata, KeepsWhatIsSaidOfAnObject) {
  auto map = k8s::make<k8s::ConfigMap>("one", "a");
  map.set_label("app", "x");
  map.set_data("k", "v");
  const PartialObjectMetadata metadata(map);
  EXPECT_EQ(metadata.key().to_string(), "a/one");
  EXPECT_EQ(metadata.label("app"), "x");
  EXPECT_EQ(metadata.to_text(), R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                                R"("metadata":{"name":"one","namespace":"a","labels":{"app":"x"}}})");
}

/// Tests with a server that sends metadata on request, and with one that always sends whole objects.
class MetadataTest : public ::testing::TestWithParam<bool> {
 protected:
  MetadataTest() {
    for (const char* name : {"one", "two", "three"}) api_.put("a", name, "x");
  }

  ChurningApi api_{1, {.streaming = true, .ignore_accept = GetParam()}};
};

TEST_P(MetadataTest, IsAllThatListsAndWatchesDeliver) {
  const auto client = client_for(api_);
  const auto expect_metadata = [](const k8s::Dynamic& object) {
    EXPECT_EQ(object.kind(), "PartialObjectMetadata");
    EXPECT_EQ(object.api_version(), "meta.k8s.io/v1");
    EXPECT_FALSE(object.has("data")) << object.to_text();
  };
  const auto list = client->list(config_maps, "a", {}, {}, Content::metadata);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->items.size(), 3U);
  for (const auto& object : list->items) expect_metadata(object);
  std::size_t listed = 0;
  ASSERT_TRUE(client->list_each(
      config_maps, "", {},
      [&](const k8s::Dynamic& object) -> Result<void> {
        expect_metadata(object);
        ++listed;
        return {};
      },
      {}, Content::metadata));
  EXPECT_EQ(listed, 3U);
  std::vector<std::string> events;
  const auto watched = client->watch(
      config_maps, "a", {.initial_events = true, .timeout = 60s},
      [&](const WatchEvent& event) -> Result<void> {
        expect_metadata(event.object);
        events.push_back(std::string(to_string(event.type)) + " " + event.object.key().to_string());
        if (event.ends_initial_events()) return fail(ErrorCode::cancelled, "enough");
        return {};
      },
      Limits::within(Clock::system(), 120s), Content::metadata);
  EXPECT_EQ(watched.error().code, ErrorCode::cancelled) << watched.error().message;
  EXPECT_EQ(events, (std::vector<std::string>{"ADDED a/one", "ADDED a/three", "ADDED a/two", "BOOKMARK "}));
  EXPECT_EQ(api_.accepts(),
            (std::vector<std::string>{
                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json",
                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json",
                "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io, application/json"}));
}

TEST_P(MetadataTest, IsAllThatItsInformersKeep) {
  std::mutex mutex;
  std::map<std::string, std::string> told;
  Informers informers(client_for(api_), {.timings = short_timings()});
  auto metadata = informers.get_metadata<k8s::ConfigMap>();
  const auto whole = informers.get<k8s::ConfigMap>();
  metadata.add_index("name", [](const PartialObjectMetadata& object) -> std::vector<std::string> {
    return {std::string(object.name())};
  });
  const auto record = [&](const std::shared_ptr<const PartialObjectMetadata>& object) {
    const std::lock_guard lock(mutex);
    told[object->key().to_string()] = object->resource_version();
  };
  metadata.add_handler({.added = [&](const auto& object, bool) { record(object); },
                        .updated = [&](const auto&, const auto& now) { record(now); },
                        .deleted =
                            [&](const auto& last) {
                              const std::lock_guard lock(mutex);
                              told.erase(last->key().to_string());
                            }});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s));
  EXPECT_EQ(whole.find({"a", "one"}).value()->data().find("text"), "x");
  const auto one = metadata.find({"a", "one"}).value();
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->resource_version(), "101");
  EXPECT_EQ(one->uid(), "u1");
  EXPECT_EQ(one->to_text(),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
            R"("metadata":{"name":"one","namespace":"a","uid":"u1","resourceVersion":"101"}})");
  EXPECT_EQ(metadata.by_index("name", "two").value().size(), 1U);
  EXPECT_EQ(metadata.list("a").value().size(), 3U);
  EXPECT_EQ(metadata.find({"a", "none"}).value(), nullptr);
  // Nobody can take it for a whole object.
  const auto untyped = metadata.untyped_informer().find({"a", "one"}).value();
  EXPECT_FALSE(k8s::as<k8s::ConfigMap>(*untyped));
  EXPECT_EQ(informers.get(config_maps).find({"a", "one"}).value(),
            SharedObject(whole.find({"a", "one"}).value()));

  const auto has = [&](const std::function<bool()>& reached) {
    return eventually([&] {
      const std::lock_guard lock(mutex);
      return reached();
    });
  };
  const std::string changed = std::to_string(api_.put("a", "one", "y"));
  EXPECT_TRUE(has([&] { return told["a/one"] == changed; }));
  api_.remove("a", "two");
  EXPECT_TRUE(has([&] { return !told.contains("a/two"); }));
  // A relist.
  api_.compact();
  api_.end_watches(true);
  api_.remove("a", "three");
  api_.compact();
  const std::string added = std::to_string(api_.put("a", "four"));
  EXPECT_TRUE(has([&] { return told.size() == 2 && told["a/four"] == added; }));
  EXPECT_EQ(metadata.find({"a", "four"}).value()->resource_version(), added);
}

TEST_P(MetadataTest, BeginsWithAStreamToo) {
  Informers informers(client_for(api_), {.streaming_list = true});
  const auto metadata = informers.get_metadata(config_maps, {.namespaces = {"a", "b"}});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s));
  EXPECT_EQ(metadata.list().value().size(), 3U);
  EXPECT_EQ(metadata.find({"a", "one"}).value()->resource_version(), "101");
  for (const std::string& request : api_.requests())
    EXPECT_NE(request.find("sendInitialEvents=true"), std::string::npos) << request;
}

INSTANTIATE_TEST_SUITE_P(Servers, MetadataTest, ::testing::Bool(), [](const auto& info) {
  return info.param ? "ThatIgnoreAccept" : "ThatSendMetadata";
});

}  // namespace
}  // namespace fairway::kube
