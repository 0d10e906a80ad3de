// SPDX-License-Identifier: Apache-2.0

// The tests, or in a process that they start, the operator that they are about.
#include <gtest/gtest.h>

#include <string_view>

#include "program/tiny_operator.h"

int main(int argc, char** argv) {
  const std::string_view role = argc > 2 ? argv[1] : "";
  if (role == "operate" || role == "command") return fairway::program::testing::run_role(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
