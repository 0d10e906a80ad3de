// SPDX-License-Identifier: Apache-2.0

// Each kind of data that a test reads, and that is not part of this repository, has a line that says where it
// comes from.
#include "support/shared_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace fairway::testing {
namespace {

namespace fs = std::filesystem;

std::set<std::string> places_in_tests() {
  const std::regex named(R"re(shared_path\("([^"]+)"\)(?: / "([^"]+)")?)re");
  std::set<std::string> places;
  for (const auto& entry : fs::recursive_directory_iterator(FAIRWAY_SOURCE_DIR "/tests")) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) {
      places.insert((*at)[1].str() + ((*at)[2].matched ? "/" + (*at)[2].str() : ""));
    }
  }
  return places;
}

TEST(SharedData, IsDescribedWhereATestReadsIt) {
  const auto places = places_in_tests();
  EXPECT_GT(places.size(), 10u);
  for (const std::string& place : places) {
    const std::string why = absent_data(shared_path(place));
    EXPECT_NE(why.find(": "), std::string::npos) << place << ": " << why;
    EXPECT_NE(why.find("set FAIRWAY_SHARED to that folder"), std::string::npos) << place << ": " << why;
  }
}

}  // namespace
}  // namespace fairway::testing
