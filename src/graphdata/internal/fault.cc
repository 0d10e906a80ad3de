// SPDX-License-Identifier: Apache-2.0

#include "graphdata/internal/fault.h"

#include <tuple>

namespace fairway::graphdata {

bool precedes(const Fault& a, const Fault& b) {
  return std::tie(a.place.file, a.place.line, a.place.column, a.rule, a.message) <
         std::tie(b.place.file, b.place.line, b.place.column, b.rule, b.message);
}

graph::Place place_at(const std::string& file, const yaml::Mark& mark) {
  return {.file = file, .line = mark.line, .column = mark.column};
}

graph::Place place_of_value(const std::string& file, const yaml::Entry& entry) {
  return place_at(file, entry.value.kind == yaml::Node::Kind::null ? entry.key.mark : entry.value.mark);
}

std::string_view describe(yaml::Node::Kind kind) {
  switch (kind) {
    case yaml::Node::Kind::null:
      return "nothing";
    case yaml::Node::Kind::scalar:
      return "a scalar";
    case yaml::Node::Kind::sequence:
      return "a list";
    case yaml::Node::Kind::mapping:
      return "a mapping";
  }
  return "nothing";
}

const yaml::Entry* find_entry(const yaml::Node& mapping, std::string_view key) {
  for (const auto& entry : mapping.entries) {
    if (entry.key.is_scalar() && entry.key.scalar == key) return &entry;
  }
  return nullptr;
}

}  // namespace fairway::graphdata
