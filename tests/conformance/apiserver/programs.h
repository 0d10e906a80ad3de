// SPDX-License-Identifier: Apache-2.0

// The Go programs that judge: built by ./dev conformance apiserver.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::conformance {

/// Runs the program `name` of $FAIRWAY_JUDGES and passes its output on. Throws if it fails.
void run_judge(const std::string& name, const std::vector<std::string>& arguments,
               const std::function<void(std::string_view)>& output);
/// The results of the cases of a judge: the number of each sort, and of those that differ.
struct ComparedCases {
  std::map<std::string, int> counts;
  int differences = 0;
};
/// Runs the judge, which writes a JSON object a case, and compares each with ours: `compare` returns the
/// difference, or "", and counts the case. Prints the counts; the first differences are failures of the test,
/// named by these members of the case.
ComparedCases compare_cases(
    const std::string& judge, const std::vector<std::string>& arguments,
    const std::vector<std::string>& names,
    const std::function<std::string(const json::Value& test, std::map<std::string, int>& counts)>& compare);
/// Returns both texts from shortly before the first byte in which they differ.
std::string first_difference(const std::string& made, const std::string& wanted);

/// Returns the seed of random cases: $FAIRWAY_SEED, by default 1.
std::uint64_t seed();
/// Returns whether more cases are wanted than there is time for in each run: $FAIRWAY_ALL is set.
bool everything();

}  // namespace fairway::conformance
