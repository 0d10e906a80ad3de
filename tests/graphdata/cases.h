// SPDX-License-Identifier: Apache-2.0

// Files of cases: "## name", an input of any lines, "=> " and what is expected.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::graphdata {

struct Case {
  int line = 0;  ///< line of its name, for messages
  std::string name, input;
  std::vector<std::string> expected;  ///< one a "=> " line
};

/// Reads tests/graphdata/data/NAME. Lines before the first case, and blank lines after "=> ", are not part of
/// any.
inline std::vector<Case> read_cases(const std::string& name) {
  std::ifstream in(std::string(FAIRWAY_SOURCE_DIR) + "/tests/graphdata/data/" + name);
  std::vector<Case> cases;
  bool in_input = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("## ")) {
      cases.push_back({.line = number, .name = line.substr(3)});
      in_input = true;
    } else if (line.starts_with("=> ")) {
      cases.back().expected.push_back(line.substr(3));
      in_input = false;
    } else if (in_input) {
      cases.back().input += line + "\n";
    }
  }
  return cases;
}

}  // namespace fairway::graphdata
