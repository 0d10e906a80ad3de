// SPDX-License-Identifier: Apache-2.0

#include "console/internal/host_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "base/text.h"

namespace fairway::console {
namespace {

TEST(HostCheck, AcceptsAddressesAndOwnNamesOnly) {
  std::ifstream table(FAIRWAY_SOURCE_DIR "/tests/console/data/hosts.tsv");
  const std::vector<std::string> own{"updates.example.com"};
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    EXPECT_EQ(accepts_host(line.substr(tab + 1), own), line.substr(0, tab) == "yes") << line;
    ++rows;
  }
  EXPECT_EQ(rows, 22U);
}

}  // namespace
}  // namespace fairway::console
