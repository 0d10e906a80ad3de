// SPDX-License-Identifier: Apache-2.0

#include "cel/fixture.h"

#include <optional>

#include "cel/syntax/parser.h"

namespace fairway::test {

using namespace fairway::cel;

namespace {

TypePtr self_type() {
  auto widget = std::make_shared<Type>();
  widget->kind = TypeKind::object;
  widget->name = "widget";
  const auto field = [&](const char* name, const char* key, TypePtr type) {
    widget->fields.emplace(name, Field{key, std::move(type)});
  };
  auto tags = std::make_shared<Type>(*list_of(simple_type(TypeKind::string)));
  tags->equality = ListEquality::set;
  auto port = std::make_shared<Type>();
  port->kind = TypeKind::object;
  port->name = "port";
  port->fields.emplace("name", Field{"name", simple_type(TypeKind::string)});
  port->fields.emplace("port", Field{"port", simple_type(TypeKind::integer)});
  auto ports = std::make_shared<Type>(*list_of(port));
  ports->equality = ListEquality::map;
  ports->keys = {"name"};
  field("size", "size", simple_type(TypeKind::integer));
  field("ratio", "ratio", simple_type(TypeKind::floating));
  field("__namespace__", "namespace", simple_type(TypeKind::string));
  field("since", "since", simple_type(TypeKind::timestamp));
  field("wait", "wait", simple_type(TypeKind::duration));
  field("data", "data", simple_type(TypeKind::bytes));
  field("tags", "tags", tags);
  field("others", "others", tags);
  field("ports", "ports", ports);
  field("more", "more", ports);
  field("labels", "labels", map_of(simple_type(TypeKind::string), simple_type(TypeKind::string)));
  field("any", "any", simple_type(TypeKind::dyn));
  field("absent", "absent", simple_type(TypeKind::string));
  return widget;
}

}  // namespace

CelFixture::CelFixture() : environment(kubernetes_functions()) {
  struct Row {
    const char* name;
    TypePtr type;
    const char* document;
  };
  const auto sized = [](const TypePtr& type, std::uint64_t size) {
    auto copy = std::make_shared<Type>(*type);
    copy->max_size = size;
    return TypePtr(copy);
  };
  const TypePtr& text = simple_type(TypeKind::string);
  const TypePtr text_map = map_of(simple_type(TypeKind::string), simple_type(TypeKind::string));
  const Row rows[] = {
      {"s", sized(text, 50), R"("hello world")"},
      {"i", simple_type(TypeKind::integer), "5"},
      {"b", simple_type(TypeKind::boolean), "true"},
      {"ls", sized(list_of(sized(text, 20)), 100), R"(["a", "bb", "ccc"])"},
      {"li", sized(list_of(simple_type(TypeKind::integer)), 100), "[1, 2, 3, 4]"},
      {"m", sized(map_of(text, text_map), 100), R"({"a": {"x": "y"}})"},
      {"d", simple_type(TypeKind::dyn), R"({"a": {"b": [1, "x"]}})"},
      {"self", self_type(),
       R"({"size": 3, "ratio": 2, "namespace": "ns", "since": "2026-01-02T03:04:05Z", "wait": "1m30s", "data": "aGk=",
           "tags": ["x", "y"], "others": ["y", "x"], "labels": {"app": "web"}, "any": {"deep": [1, 2.5, null, true]},
           "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}],
           "more": [{"name": "https", "port": 443}, {"name": "http", "port": 80}]})"},
  };
  documents.reserve(std::size(rows));
  for (const Row& row : rows) {
    environment.declare(row.name, row.type);
    documents.push_back(json::parse(row.document).value());
    values.push_back(Value::of_json(documents.back(), *row.type, scratch));
  }
}

std::string evaluate_text(CelFixture& fixture, const std::string& expression, bool checked,
                          Outcome* outcome) {
  const auto parsed = parse(expression);
  if (!parsed) return "error: " + to_string(parsed.error(), expression);
  std::optional<Checked> types;
  if (checked) {
    auto result = check(**parsed, fixture.environment);
    if (!result) return "error: " + to_string(result.error().front(), expression);
    types = std::move(*result);
  }
  const Program program(**parsed, fixture.environment, types ? &*types : nullptr);
  const Outcome made = program.evaluate(fixture.values, fixture.scratch);
  if (outcome) *outcome = made;
  return to_string(made.value, fixture.scratch);
}

}  // namespace fairway::test
