// SPDX-License-Identifier: Apache-2.0

// What a real kube-apiserver was seen to be asked and to answer (tests/kube/data/recorded.json): read, and
// written again as the same.
#include <gtest/gtest.h>

#include "base/json_stream.h"
#include "k8s/data.h"
#include "k8s/wire/list.h"
#include "k8s/wire/options.h"
#include "k8s/wire/resource_path.h"
#include "k8s/wire/watch_event.h"

namespace fairway::k8s {
namespace {

/// Calls `visit` with each request and reply of the recording.
void for_each_exchange(const auto& visit) {
  const std::string path = std::string(FAIRWAY_SOURCE_DIR) + "/tests/kube/data/recorded.json";
  for (const json::Value& row : fairway::testing::read_cases(path)) {
    SCOPED_TRACE(testing::text(row, "case"));
    for (const json::Value& exchange : testing::field(row, "exchanges").as_array()) {
      visit(testing::field(exchange, "request"), testing::field(exchange, "reply"));
    }
  }
}

std::string body_text(const json::Value& message) {
  const json::Value* body = json::find(message, "body");
  if (body == nullptr) return "";
  return body->is_string() ? std::string(body->as_string()) : json::to_text(*body);
}

/// Parses a request, and writes it again.
std::string written_again(const std::string& method, const ResourcePath& path, const json::Value& request,
                          const Query& query) {
  const auto write = [](const auto& options) {
    return options ? to_query(*options).to_string() : std::string(options.error().message());
  };
  if (method == "POST") return write(parse_create_options(query));
  if (method == "PUT") return write(parse_update_options(query));
  if (method == "DELETE") return write(parse_delete_collection_options(query));
  if (method == "PATCH") {
    const auto type =
        parse_patch_type(testing::text(testing::field(request, "headers"), "Content-Type"),
                         {PatchType::json, PatchType::merge, PatchType::strategic, PatchType::apply});
    if (!type) return std::string(type.error().message());
    return *type == PatchType::apply ? write(parse_apply_options(query)) : write(parse_patch_options(query));
  }
  if (!path.name.empty()) return write(parse_get_options(query));
  const auto options = parse_list_options(query);
  if (!options) return std::string(options.error().message());
  return std::visit([](const auto& one) { return to_query(one).to_string(); }, *options);
}

TEST(Recording, RequestsAreReadAndWrittenAsTheyCame) {
  int checked = 0;
  for_each_exchange([&](const json::Value& request, const json::Value&) {
    const std::string method = testing::text(request, "method"), target = testing::text(request, "target");
    SCOPED_TRACE(method + " " + target);
    const std::size_t mark = std::min(target.find('?'), target.size());
    const auto path = ApiPath::parse(target.substr(0, mark));
    ASSERT_TRUE(path) << path.error().message();
    if (path->kind != ApiPath::Kind::resource) return;
    ++checked;
    EXPECT_EQ(path->resource.to_string(), target.substr(0, mark));
    const std::string query_text = mark < target.size() ? target.substr(mark + 1) : "";
    const auto query = Query::parse(query_text);
    ASSERT_TRUE(query) << query.error().message();
    EXPECT_EQ(written_again(method, path->resource, request, *query), query_text);
    if (method != "DELETE") return;
    const std::string body = body_text(request);
    const auto options = parse_delete_options({}, body);
    ASSERT_TRUE(options) << options.error().message();
    EXPECT_EQ(to_body(*options), body);
  });
  EXPECT_GT(checked, 30);
}

TEST(Recording, StatusesAreReadAndWrittenAsTheyCame) {
  int checked = 0;
  for_each_exchange([&](const json::Value&, const json::Value& reply) {
    const std::string body = body_text(reply);
    if (const auto status = Status::parse(body)) {
      ++checked;
      EXPECT_EQ(Status::of(status->fields()).to_text(), body);
    }
  });
  EXPECT_GT(checked, 5);
}

TEST(Recording, ListsAreReadAndWrittenAsTheSame) {
  int checked = 0;
  for_each_exchange([&](const json::Value&, const json::Value& reply) {
    const json::Value* body = json::find(reply, "body");
    const std::string kind(body != nullptr ? json::find_string(*body, "kind").value_or("") : "");
    if (!kind.ends_with("List")) return;
    ++checked;
    std::vector<Dynamic> items;
    ListReader reader([&](Dynamic item) -> Result<void> {
      items.push_back(std::move(item));
      return {};
    });
    ASSERT_TRUE(reader.feed(json::to_text(*body)));
    auto list = reader.finish();
    ASSERT_TRUE(list) << list.error().message;
    list->items = std::move(items);
    const auto of = GroupVersion::parse(testing::text(*body, "apiVersion")).value();
    // Items of built-in kinds do not say what they are; readers add it.
    for (Dynamic& item : list->items) {
      if (of.group.empty()) item.erase("kind"), item.erase("apiVersion");
    }
    const std::string text = to_text({of.group, of.version, kind}, *list);
    if (of.group.empty()) {
      EXPECT_EQ(text, json::to_text(*body));
    } else {
      // Lists of custom kinds have their members in another order, and an empty token on the last page.
      json::Value wanted = *body;
      json::Object& metadata = wanted.as_object()["metadata"].as_object();
      if (list->continue_token.empty()) metadata.erase("continue");
      EXPECT_EQ(json::parse(text).value(), wanted);
    }
  });
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace fairway::k8s
