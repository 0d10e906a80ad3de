// SPDX-License-Identifier: Apache-2.0

#include "conformance/apiserver/programs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/json_stream.h"

namespace fairway::conformance {

void run_judge(const std::string& name, const std::vector<std::string>& arguments,
               const std::function<void(std::string_view)>& output) {
  const char* folder = std::getenv("FAIRWAY_JUDGES");
  if (folder == nullptr) {
    throw std::runtime_error(
        "FAIRWAY_JUDGES names no folder with programs: start this by ./dev conformance apiserver");
  }
  std::string command = "'" + std::string(folder) + "/" + name + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::array<char, 1 << 16> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
    output(std::string_view(piece.data(), size));
  }
  if (const int status = ::pclose(pipe); status != 0) {
    throw std::runtime_error(command + " failed: " + std::to_string(status));
  }
}

ComparedCases compare_cases(
    const std::string& judge, const std::vector<std::string>& arguments,
    const std::vector<std::string>& names,
    const std::function<std::string(const json::Value& test, std::map<std::string, int>& counts)>& compare) {
  ComparedCases compared;
  json::StreamReader reader(std::size_t{64} << 20, [&](const json::Value& test) -> Result<void> {
    const std::string difference = compare(test, compared.counts);
    constexpr int most_shown = 20;
    if (!difference.empty() && ++compared.differences <= most_shown) {
      std::string name;
      for (const std::string& member : names)
        name.append(json::find_string(test, member).value_or("")).append(": ");
      ADD_FAILURE() << name << difference;
    }
    return {};
  });
  run_judge(judge, arguments, [&](std::string_view piece) {
    const auto fed = reader.feed(piece);
    if (!fed) throw std::runtime_error(fed.error().message);
  });
  EXPECT_TRUE(reader.finish());
  for (const auto& [what, count] : compared.counts) std::printf("%7d %s\n", count, what.c_str());
  return compared;
}

std::string first_difference(const std::string& made, const std::string& wanted) {
  std::size_t at = 0;
  while (at < made.size() && at < wanted.size() && made[at] == wanted[at]) ++at;
  const std::size_t from = at < 150 ? 0 : at - 150;
  return "\n made:   ..." + made.substr(from, 300) + "\n wanted: ..." + wanted.substr(from, 300);
}

std::uint64_t seed() {
  const char* text = std::getenv("FAIRWAY_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

bool everything() {
  return std::getenv("FAIRWAY_ALL") != nullptr;
}

}  // namespace fairway::conformance
