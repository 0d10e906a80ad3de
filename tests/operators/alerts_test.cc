// SPDX-License-Identifier: Apache-2.0

// The alert rules of deploy/monitoring, as Prometheus itself judges them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "k8s/documents.h"
#include "k8s/view.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::operators {
namespace {

TEST(Alerts, FireWhenTheyShould) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "promtool is absent: apt-get install prometheus";
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/deploy/monitoring/prometheusrule.yaml");
  ASSERT_TRUE(text) << text.error().message;
  const auto documents = k8s::read_documents(*text);
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 1U);
  const fairway::testing::TempDirectory folder;
  folder.write(
      "rules.yaml",
      json::to_text(json::Value(k8s::View(documents->front().value.get_object()).at("spec").json())));
  folder.write("alerts.yaml", read_file(FAIRWAY_SOURCE_DIR "/tests/operators/data/alerts.yaml").value());
  fairway::testing::Process promtool({"promtool", "test", "rules", (folder / "alerts.yaml").string()},
                                     (folder / "output").string());
  EXPECT_EQ(promtool.wait(), 0) << read_file(folder / "output").value_or("");
}

}  // namespace
}  // namespace fairway::operators
