// Something in graph data that is not as the schema has it: what loading acts on and lint reports.
#pragma once

#include <string>

#include "base/yaml.h"
#include "graph/problem.h"

namespace fairway::graphdata {

struct Fault {
  std::string rule;  ///< the lint rule's id
  graph::Place place;
  std::string text;     ///< the offending text, one line; "" if there is none
  std::string message;  ///< what is wrong; names no version, so that it may stand in the risk of any target
  std::string fix;      ///< what to write instead
};

/// Orders faults by where they stand.
bool precedes(const Fault& a, const Fault& b);

graph::Place place_at(const std::string& file, const yaml::Mark& mark);

/// Where the value of an entry of a mapping stands; where there is no value, its key.
graph::Place place_of_value(const std::string& file, const yaml::Entry& entry);

/// "a scalar", "a list", ...: for messages about a value of the wrong type.
std::string_view describe(yaml::Node::Kind kind);

/// The whole entry (key and value) of the first `key` in a mapping; nullptr if there is none.
const yaml::Entry* find_entry(const yaml::Node& mapping, std::string_view key);

}  // namespace fairway::graphdata
