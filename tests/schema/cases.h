// SPDX-License-Identifier: Apache-2.0

// The tables of tests/schema/data. What they expect is what k8s.io/apiextensions-apiserver v0.36.3 answers.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/problem.h"
#include "support/cases.h"

namespace fairway::schema::testing {

inline json::Array read_cases(const std::string& name) {
  return fairway::testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) + "/tests/schema/data/" + name);
}

inline const json::Value& field(const json::Value& one, std::string_view key) {
  const json::Value* value = json::find(one, key);
  if (value == nullptr) throw std::runtime_error("no \"" + std::string(key) + "\" in " + json::to_text(one));
  return *value;
}

inline std::string text(const json::Value& one, std::string_view key) {
  return std::string(json::find_string(one, key).value_or(""));
}

/// Joins texts, one a line, sorted: the order in which the API server reports members is random.
inline std::string lines(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  std::string all;
  for (const std::string& one : texts) all += one + '\n';
  return all;
}

inline std::string lines(const json::Value& texts) {
  std::vector<std::string> all;
  for (const json::Value& one : texts.as_array()) all.emplace_back(one.as_string());
  return lines(std::move(all));
}

inline std::string lines(const Violations& problems) {
  std::vector<std::string> all;
  for (const Violation& one : problems)
    all.push_back(one.path + " | " + std::string(one.cause) + " | " + one.message);
  return lines(std::move(all));
}

}  // namespace fairway::schema::testing
