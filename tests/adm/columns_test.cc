// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/columns.h"

#include <gtest/gtest.h>

namespace fairway::adm {
namespace {

TEST(Columns, are_as_wide_as_their_widest_cell) {
  EXPECT_EQ(lay_out_columns("NAME\tPHASE\nnode-1\tPending\n"), "NAME     PHASE\nnode-1   Pending\n");
}

TEST(Columns, have_a_least_width) {
  EXPECT_EQ(lay_out_columns("  4.7.4\tx\n", {.min_width = 14, .padding = 1}), "  4.7.4       x\n");
  EXPECT_EQ(lay_out_columns("  4.19.0-okd-scos.17\tx\n", {.min_width = 14, .padding = 1}),
            "  4.19.0-okd-scos.17 x\n");
}

TEST(Columns, begin_anew_after_a_line_without_them) {
  EXPECT_EQ(lay_out_columns("long name\ta\nsecond line of a\nb\tc\n"),
            "long name   a\nsecond line of a\nb   c\n");
}

TEST(Columns, keep_the_place_of_empty_cells) {
  EXPECT_EQ(lay_out_columns("worker\tPending\t0%\tx\nempty\tEmpty\t\ty\n"),
            "worker   Pending   0%   x\nempty    Empty          y\n");
  EXPECT_EQ(lay_out_columns("a\tb\t\n"), "a   b   \n");
}

TEST(Columns, count_characters_and_not_bytes) {
  EXPECT_EQ(lay_out_columns("\u00e9\tx\nab\ty\n"), "\u00e9    x\nab   y\n");
}

}  // namespace
}  // namespace fairway::adm
