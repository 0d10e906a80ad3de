// SPDX-License-Identifier: Apache-2.0

// docs/write-a-controller.md shows the example as it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"

namespace fairway {
namespace {

TEST(WriteAController, ShowsTheExampleAsItIs) {
  const std::string root = FAIRWAY_SOURCE_DIR;
  const std::string doc = read_file(root + "/docs/write-a-controller.md").value();
  const std::string code = read_file(root + "/examples/widgets/main.cc").value();
  int blocks = 0;
  const std::string fence = "```cpp\n";
  for (std::size_t at = doc.find(fence); at != std::string::npos; at = doc.find(fence, at)) {
    at += fence.size();
    const std::string block = doc.substr(at, doc.find("```", at) - at);
    EXPECT_NE(code.find(block), std::string::npos) << block;
    ++blocks;
  }
  EXPECT_GE(blocks, 4);
  EXPECT_LT(std::ranges::count(code, '\n'), 150);
}

}  // namespace
}  // namespace fairway
