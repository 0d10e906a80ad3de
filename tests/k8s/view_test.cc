// SPDX-License-Identifier: Apache-2.0

#include "k8s/view.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::k8s {
namespace {

json::Object object(std::string_view text) {
  return json::parse(text).value().as_object();
}

TEST(View, ReadsMembersByPath) {
  const json::Object json = object(
      R"({"spec":{"color":"red","count":3,"on":true,"at":"2026-02-19T23:09:12Z","names":["a",1,"b"],
          "ports":[{"port":80},7,{"port":443}],"labels":{"a.b/c":"x","n":1,"d":"y"},"none":null}})");
  const View view(json);
  EXPECT_EQ(view.text("spec.color"), "red");
  EXPECT_EQ(view.integer("spec.count"), 3);
  EXPECT_TRUE(view.flag("spec.on"));
  EXPECT_EQ(format_time(view.find_time("spec.at").value()), "2026-02-19T23:09:12Z");
  EXPECT_EQ(view.texts("spec.names"), (std::vector<std::string_view>{"a", "b"}));
  std::vector<std::int64_t> ports;
  for (const View& port : view.items("spec.ports")) ports.push_back(port.integer("port"));
  EXPECT_EQ(ports, (std::vector<std::int64_t>{80, 443}));
  EXPECT_EQ(view.at("spec.labels").text("d"), "y");
  std::string labels;
  for (const auto& [key, value] : view.map("spec.labels")) {
    labels.append(key).append("=").append(value).append(";");
  }
  EXPECT_EQ(labels, "a.b/c=x;d=y;");
  EXPECT_EQ(view.map("spec.labels").find("a.b/c"), "x");
  EXPECT_TRUE(view.has("spec"));
}

TEST(View, ReadsWhatIsNotThereOrOfAnotherTypeAsAbsent) {
  const json::Object json = object(R"({"a":{"n":null,"t":"x","i":1,"l":[1],"at":"yesterday"}})");
  const View view(json);
  EXPECT_FALSE(view.has("a.n"));
  EXPECT_NE(view.find("a.n"), nullptr);
  EXPECT_FALSE(view.has("a.b.c"));
  EXPECT_FALSE(view.has("a.t.c"));
  EXPECT_FALSE(view.has(""));
  EXPECT_EQ(view.text("a.i", "otherwise"), "otherwise");
  EXPECT_EQ(view.integer("a.t", 7), 7);
  EXPECT_TRUE(view.flag("a.t", true));
  EXPECT_FALSE(view.find_time("a.at"));
  EXPECT_TRUE(view.map("a.t").empty());
  EXPECT_TRUE(view.map("missing").empty());
  EXPECT_FALSE(view.map("missing").contains("x"));
  EXPECT_TRUE(view.texts("a.l").empty());
  EXPECT_TRUE(view.items("a").empty());
  EXPECT_TRUE(view.at("a.t").json().empty());
}

TEST(View, ReadsIntegersExactly) {
  const json::Object json = object(
      R"({"least":-9223372036854775808,"greatest":9223372036854775807,"beyond":9223372036854775808,
          "whole":3.0,"huge":1e300,"part":0.5,"edge":9.223372036854775807e18})");
  const View view(json);
  EXPECT_EQ(view.find_integer("least"), INT64_MIN);
  EXPECT_EQ(view.find_integer("greatest"), INT64_MAX);
  EXPECT_EQ(view.find_integer("beyond"), std::nullopt);
  EXPECT_EQ(view.find_integer("whole"), 3);
  EXPECT_EQ(view.find_integer("huge"), std::nullopt);
  EXPECT_EQ(view.find_integer("part"), std::nullopt);
  EXPECT_EQ(view.find_integer("edge"), std::nullopt);
}

TEST(Editor, WritesWhatIsNamedAndLeavesTheRestAsItWas) {
  json::Object json =
      object(R"({"z":18446744073709551615,"spec":{"b":1,"a":{"x":"y"}},"k":[{"n":"1"},{"n":"2"}]})");
  Editor editor(json);
  editor.set("spec.a.x", "changed");
  editor.set("spec.new.deep", 5);
  editor.set("spec.b", true);
  editor.set_time("at", parse_time("2026-02-19T23:09:12.9Z").value());
  editor.set_entry("labels", "a.b/c", "v");
  editor.append("k").set("n", std::string("3"));
  for (Editor& one : editor.edit_items("k")) {
    if (one.text("n") == "2") one.set("seen", true);
  }
  EXPECT_EQ(
      json::to_text(json),
      R"({"z":18446744073709551615,"spec":{"b":true,"a":{"x":"changed"},"new":{"deep":5}},)"
      R"("k":[{"n":"1"},{"n":"2","seen":true},{"n":"3"}],"at":"2026-02-19T23:09:12Z","labels":{"a.b/c":"v"}})");
  EXPECT_TRUE(editor.erase("spec.b"));
  EXPECT_FALSE(editor.erase("spec.b"));
  EXPECT_FALSE(editor.erase("nowhere.b"));
  EXPECT_FALSE(editor.erase("z.b"));
  EXPECT_TRUE(editor.erase("spec.a"));
  EXPECT_FALSE(editor.erase_entry("labels", "other"));
  EXPECT_TRUE(editor.erase_entry("labels", "a.b/c"));
  EXPECT_FALSE(editor.has("labels"));
  EXPECT_TRUE(editor.edit_items("spec").empty());
  editor.set("z.y", "object");
  EXPECT_EQ(json::to_text(json),
            R"({"z":{"y":"object"},"spec":{"new":{"deep":5}},)"
            R"("k":[{"n":"1"},{"n":"2","seen":true},{"n":"3"}],"at":"2026-02-19T23:09:12Z"})");
}

}  // namespace
}  // namespace fairway::k8s
