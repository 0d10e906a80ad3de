// SPDX-License-Identifier: Apache-2.0

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
  std::string message;  ///< description of the fault; names no version, so that it fits the risk of any
                        ///< target
  std::string fix;      ///< correction: the text to write instead
};

/// Returns whether one fault comes before another, by their places.
bool precedes(const Fault& a, const Fault& b);

graph::Place place_at(const std::string& file, const yaml::Mark& mark);

/// Returns the place of the value of a mapping's entry; without a value, that of its key.
graph::Place place_of_value(const std::string& file, const yaml::Entry& entry);

/// Returns "a scalar", "a list", ...: for messages about a value of the wrong type.
std::string_view describe(yaml::Node::Kind kind);

/// Returns the whole entry (key and value) of the first `key` in a mapping; nullptr if there is none.
const yaml::Entry* find_entry(const yaml::Node& mapping, std::string_view key);

}  // namespace fairway::graphdata
