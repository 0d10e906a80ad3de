// SPDX-License-Identifier: Apache-2.0

// Gauges whose series go away.
#include "base/gauge_families.h"

#include <gtest/gtest.h>

namespace fairway::metrics {
namespace {

TEST(GaugeFamilies, SeriesThatAreNoLongerListedAreGone) {
  GaugeFamilies families;
  EXPECT_EQ(families.text(), "");
  families.set("fairway_test_version", "What is on offer.",
               {{{{"version", "4.7.4"}}, 1}, {{{"version", "a\"b\\\n"}}, 2}, {{{"version", "4.7.4"}}, 3}});
  families.set("fairway_test_up", "Whether it is up.", {{{}, 0.5}});
  EXPECT_EQ(families.text(),
            "# HELP fairway_test_up Whether it is up.\n# TYPE fairway_test_up gauge\nfairway_test_up 0.5\n"
            "# HELP fairway_test_version What is on offer.\n# TYPE fairway_test_version gauge\n"
            "fairway_test_version{version=\"4.7.4\"} 3\n"
            "fairway_test_version{version=\"a\\\"b\\\\\\n\"} 2\n");
  families.set("fairway_test_version", "What is on offer.", {{{{"version", "4.7.5"}}, 1'763'866'800}});
  families.set("fairway_test_up", "Whether it is up.", {});
  EXPECT_EQ(families.text(),
            "# HELP fairway_test_version What is on offer.\n# TYPE fairway_test_version gauge\n"
            "fairway_test_version{version=\"4.7.5\"} 1763866800\n");
}

}  // namespace
}  // namespace fairway::metrics
