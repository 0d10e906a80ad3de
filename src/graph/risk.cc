// SPDX-License-Identifier: Apache-2.0

#include "graph/risk.h"

#include <string_view>

namespace fairway::graph {
namespace {

/// Renames a key in place; the order of keys stays. If the new name exists already, nothing changes:
/// contradicting rules are refused on evaluation.
void rename_key(json::Object& object, std::string_view from, std::string_view to) {
  if (!object.contains(from) || object.contains(to)) return;
  json::Object renamed;
  renamed.reserve(object.size());
  for (auto& entry : object) {
    const std::string_view key = entry.key();
    renamed.emplace(key == from ? to : key, std::move(entry.value()));
  }
  object = std::move(renamed);
}

void append_value(std::string& out, const json::Value& value);

void append_items(std::string& out, const json::Array& array) {
  out += '[';
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i > 0) out += ',';
    append_value(out, array[i]);
  }
  out += ']';
}

/// Appends a value to the text of a whole graph directly: temporary strings would cost most of the time.
void append_value(std::string& out, const json::Value& value) {
  if (const auto* text = value.if_string()) {
    json::append_quoted(out, *text);
  } else if (const auto* array = value.if_array()) {
    append_items(out, *array);
  } else if (const auto* object = value.if_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ',';
      first = false;
      json::append_quoted(out, key);
      out += ':';
      append_value(out, member);
    }
    out += '}';
  } else {
    out += json::to_text(value);
  }
}

}  // namespace

std::string Risk::body() const {
  std::string out;
  out.reserve(url.size() + name.size() + message.size() + 256);
  append_json(out);
  return out;
}

void Risk::append_json(std::string& out) const {
  out += R"({"url":)";
  json::append_quoted(out, url);
  out += R"(,"name":)";
  json::append_quoted(out, name);
  out += R"(,"message":)";
  json::append_quoted(out, message);
  out += R"(,"matchingRules":)";
  append_items(out, matching_rules);
  out += '}';
}

json::Array always_rule() {
  json::Array rules;
  rules.emplace_back(json::Object{{"type", "Always"}});
  return rules;
}

void canonicalize_rules(json::Array& matching_rules) {
  for (auto& rule : matching_rules) {
    // The enhancement of docs/risks.md, section PromQL: the registry says `PromQL`, every
    // example and consumer `promql`.
    if (json::find_string(rule, "type") != "PromQL") continue;
    auto& object = rule.as_object();
    rename_key(object, "PromQL", "promql");
    auto* query = object.if_contains("promql");
    if (query != nullptr && query->is_object()) rename_key(query->as_object(), "PromQL", "promql");
  }
}

}  // namespace fairway::graph
