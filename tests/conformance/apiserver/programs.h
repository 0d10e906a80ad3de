// The Go programs that judge: built by ./dev conformance apiserver.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::conformance {

/// Runs the program `name` of $FAIRWAY_JUDGES and hands on what it writes. An exception if it fails.
void run_judge(const std::string& name, const std::vector<std::string>& arguments,
               const std::function<void(std::string_view)>& output);
/// Of random cases: $FAIRWAY_SEED, by default 1.
std::uint64_t seed();
/// Whether more cases are wanted than there is time for in each run: $FAIRWAY_ALL is set.
bool everything();

}  // namespace fairway::conformance
