// SPDX-License-Identifier: Apache-2.0

// Lists and watch events: what is written is read as the same.
#include <gtest/gtest.h>

#include "base/json_stream.h"
#include "k8s/data.h"
#include "k8s/wire/list.h"
#include "k8s/wire/status_errors.h"
#include "k8s/wire/watch_event.h"

namespace fairway::k8s {
namespace {

Dynamic object(std::string_view text) {
  return Dynamic(json::parse(text).value().as_object());
}

Result<ObjectList> read_list(std::string_view text) {
  std::vector<Dynamic> items;
  ListReader reader([&](Dynamic item) -> Result<void> {
    items.push_back(std::move(item));
    return {};
  });
  if (auto fed = reader.feed(text); !fed) return fail(fed.error());
  auto list = reader.finish();
  if (list) list->items = std::move(items);
  return list;
}

TEST(List, IsWrittenAndReadAsTheSame) {
  const GroupVersionKind kind{"example.com", "v1", "WidgetList"};
  ObjectList list;
  list.resource_version = "10";
  list.continue_token = "t/=";
  list.remaining = 3;
  list.items.push_back(object(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}})"));
  list.items.push_back(object(R"({"metadata":{"name":"b"},"spec":{"size":1.50}})"));
  const std::string text = to_text(kind, list);
  EXPECT_EQ(
      text,
      R"({"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"10","continue":"t/=",)"
      R"("remainingItemCount":3},"items":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}},)"
      R"({"metadata":{"name":"b"},"spec":{"size":1.5}}]})");
  const auto read = read_list(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->resource_version, "10");
  EXPECT_EQ(read->continue_token, "t/=");
  EXPECT_EQ(read->remaining, 3);
  ASSERT_EQ(read->items.size(), 2U);
  EXPECT_EQ(read->items[1].kind(), "Widget");
  EXPECT_EQ(read->items[1].api_version(), "example.com/v1");
}

TEST(List, OfNothingHasItemsAllTheSame) {
  const std::string text = to_text({"", "v1", "PodList"}, {.resource_version = "7"});
  EXPECT_EQ(text, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]})");
  const auto read = read_list(text);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->items.empty());
  EXPECT_FALSE(read->remaining);
  EXPECT_EQ(read->continue_token, "");
}

TEST(List, TakesObjectsThatAreTextAlready) {
  std::string text;
  ListWriter writer(text, {"", "v1", "PodList"}, {});
  writer.add(R"({"metadata":{"name":"a"}})");
  writer.add(json::Object{{"metadata", json::Object{{"name", "b"}}}});
  writer.end();
  EXPECT_EQ(text, R"({"kind":"PodList","apiVersion":"v1","metadata":{},)"
                  R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
}

TEST(List, ThatIsNoneIsAnError) {
  for (const std::string_view text :
       {"[]", R"({"kind":"Pod","items":[]})", R"({"kind":"PodList","items":{}})",
        R"({"kind":"PodList","items":[1]})", R"({"kind":"PodList","items":[)"}) {
    EXPECT_FALSE(read_list(text)) << text;
  }
}

std::vector<std::variant<WatchEvent, Status>> read_stream(std::string_view text) {
  std::vector<std::variant<WatchEvent, Status>> events;
  json::StreamReader reader(1 << 20, [&](json::Value value) -> Result<void> {
    auto event = read_watch_event(std::move(value));
    if (!event) return fail(event.error());
    events.push_back(*std::move(event));
    return {};
  });
  const auto fed = reader.feed(text);
  EXPECT_TRUE(fed) << fed.error().message;
  EXPECT_TRUE(reader.finish());
  return events;
}

TEST(WatchEvent, IsWrittenAndReadAsTheSame) {
  const Dynamic pod =
      object(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"}})");
  std::string text;
  append_watch_event(text, WatchEvent::Type::added, pod.json());
  append_watch_event(text, WatchEvent::Type::modified, pod.to_text());
  append_watch_event(text, WatchEvent::Type::deleted, pod.json());
  append_watch_event(text, WatchEvent::Type::bookmark, make_bookmark({"", "v1", "Pod"}, "6", true).json());
  append_watch_event(text, WatchEvent::Type::bookmark,
                     make_bookmark({"apps", "v1", "Deployment"}, "7").json());
  append_watch_error(text, answer::expired("too old resource version: 1"));
  EXPECT_EQ(
      text,
      R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"}}})"
      "\n"
      R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"}}})"
      "\n"
      R"({"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"}}})"
      "\n"
      R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"6",)"
      R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
      "\n"
      R"({"type":"BOOKMARK","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"7"}}})"
      "\n"
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"too old resource version: 1","reason":"Expired","code":410}})"
      "\n");
  const auto events = read_stream(text);
  ASSERT_EQ(events.size(), 6U);
  std::string again;
  for (const auto& event : events) {
    if (const auto* status = std::get_if<Status>(&event)) {
      append_watch_error(again, *status);
    } else {
      append_watch_event(again, std::get<WatchEvent>(event).type, std::get<WatchEvent>(event).object.json());
    }
  }
  EXPECT_EQ(again, text);
  EXPECT_TRUE(std::get<WatchEvent>(events[3]).ends_initial_events());
  EXPECT_FALSE(std::get<WatchEvent>(events[4]).ends_initial_events());
}

TEST(WatchEvent, OfAnErrorAlwaysHasACode) {
  const auto event =
      read_watch_event(json::parse(R"({"type":"ERROR","object":{"kind":"Status","message":"m"}})").value());
  ASSERT_TRUE(event);
  EXPECT_EQ(std::get<Status>(*event).code(), 500);
  EXPECT_EQ(std::get<Status>(*event).message(), "m");
}

TEST(WatchEvent, ThatIsNoneIsAnError) {
  for (const std::string_view text :
       {"[]", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":[]})",
        R"({"type":"added","object":{}})", R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"5"}}})",
        R"({"type":"BOOKMARK","object":{"metadata":{}}})"}) {
    const auto event = read_watch_event(json::parse(text).value());
    ASSERT_FALSE(event) << text;
    EXPECT_EQ(event.error().code, ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace fairway::k8s
