// SPDX-License-Identifier: Apache-2.0

// Estimates as tests/conformance/apiserver/cel-estimates writes them, beside ours.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "cel/checker/checker.h"
#include "cel/cost/estimate.h"
#include "cel/syntax/parser.h"

namespace fairway::test {

/// Returns the type of a JSON object: {"max": SIZE} and "fields", "items", "keys" with "values", or "type".
inline cel::TypePtr read_shape(const json::Value& document) {
  const auto part = [&](const char* key) { return read_shape(document.at(key)); };
  cel::Type type;
  if (const json::Value* fields = json::find(document, "fields")) {
    type = {.kind = cel::TypeKind::object, .name = "selfType"};
    for (const auto& field : fields->as_object())
      type.fields[field.key()] = {field.key(), read_shape(field.value())};
    type.name += std::to_string(reinterpret_cast<std::uintptr_t>(fields));
  } else if (json::find(document, "items") != nullptr) {
    type = *cel::list_of(part("items"));
  } else if (json::find(document, "values") != nullptr) {
    type = *cel::map_of(part("keys"), part("values"));
  } else {
    type = *cel::parse_type(json::find_string(document, "type").value());
  }
  type.max_size = document.at("max").to_number<std::uint64_t>();
  return std::make_shared<const cel::Type>(std::move(type));
}

/// Compares a table's lines, given in their order.
class EstimateTable {
 public:
  /// Returns the difference between a line and our estimate; "" if there is none.
  std::string compare(std::string_view line) {
    if (line.starts_with('#')) return {};
    if (line.empty()) {
      in_cases_ = true;
      return {};
    }
    const std::string name(line.substr(0, line.find('\t')));
    line.remove_prefix(name.size() + 1);
    if (!in_cases_) {
      const cel::TypePtr self = read_shape(json::parse(line).value());
      cel::Environment& made = environments_.emplace(name, cel::kubernetes_functions()).first->second;
      made.declare("self", self);
      made.declare("oldSelf", self);
      return {};
    }
    ++count;
    const std::string expression(line.substr(0, line.rfind('\t')));
    const std::string wanted(line.substr(expression.size() + 1));
    const std::string made = estimate(environments_.at(name), expression);
    return made == wanted ? "" : name + ": " + expression + "\n  wanted " + wanted + "\n  made   " + made;
  }

  int count = 0;

 private:
  static std::string estimate(const cel::Environment& environment, const std::string& expression) {
    const auto tree = cel::parse(expression);
    if (!tree) return "refused";
    const auto checked = cel::check(**tree, environment);
    if (!checked) return "refused";
    const cel::CostEstimate made = cel::estimate_cost(**tree, environment, *checked);
    return std::to_string(made.min) + ".." + std::to_string(made.max);
  }

  bool in_cases_ = false;
  std::map<std::string, cel::Environment> environments_;
};

}  // namespace fairway::test
