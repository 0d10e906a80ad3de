// SPDX-License-Identifier: Apache-2.0

// Rules beside the answers of a real kube-apiserver (scripts/k8s/record-rules.py).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "schema/problem.h"

namespace fairway::validation_rules {

/// Returns the recorded cases: a schema, and what the real server says of it and of objects.
inline std::vector<json::Value> recorded() {
  std::vector<json::Value> cases;
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/validation_rules/data/rules.jsonl").value();
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) cases.push_back(json::parse(line).value());
  }
  return cases;
}

/// Returns an error without the parser's own words, which differ for faults of syntax and the place of an
/// operator's fault.
inline std::string without_parser_words(std::string text) {
  for (const char* own : {"Syntax error", "unexpected ", "found no matching overload"}) {
    if (text.find(own) != std::string::npos) text.resize(text.find("ERROR: <input>"));
  }
  return text;
}

/// Returns the expected causes, sorted: Kubernetes reports the members of an object in any order.
inline std::vector<std::string> expected_of(const json::Value& answer) {
  std::vector<std::string> texts;
  if (const json::Value* causes = json::find(answer, "causes")) {
    for (const json::Value& cause : causes->get_array()) {
      texts.push_back(std::string(json::find_string(cause, "reason").value_or("")) + " " +
                      std::string(json::find_string(cause, "field").value_or("")) + ": " +
                      without_parser_words(std::string(json::find_string(cause, "message").value_or(""))));
    }
  }
  std::ranges::sort(texts);
  return texts;
}

/// Returns problems as `expected_of` returns the answers.
inline std::vector<std::string> texts_of(const schema::Violations& problems) {
  std::vector<std::string> texts;
  for (const schema::Violation& problem : problems) {
    texts.push_back(std::string(problem.cause) + " " + without_parser_words(problem.to_string()));
  }
  std::ranges::sort(texts);
  return texts;
}

}  // namespace fairway::validation_rules
