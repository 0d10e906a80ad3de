// SPDX-License-Identifier: Apache-2.0

// Server-side apply: structured-merge-diff's own tests, and the field manager of k8s.io/apimachinery.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "conformance/apiserver/programs.h"
#include "k8s/equality.h"

namespace fairway::conformance {
namespace {

TEST(StructuredMergeDiff, PassesItsOwnTestsWithOurFunctions) {
  const char* go = std::getenv("FAIRWAY_GO");
  const char* work = std::getenv("FAIRWAY_JUDGES");
  ASSERT_TRUE(go != nullptr && work != nullptr) << "start this by ./dev conformance apiserver";
  const std::string folder = std::filesystem::path(FAIRWAY_BINARY).parent_path().string();
  const std::string command = "'" FAIRWAY_SOURCE_DIR
                              "/tests/conformance/apiserver/structured-merge-diff/run.sh' '" +
                              std::string(go) + "' '" + folder + "/bridge_structured_merge_diff' '" + work +
                              "'" + (everything() ? "" : " 4 " + std::to_string(seed()));
  EXPECT_EQ(std::system(command.c_str()), 0) << "the failed tests are above";
}

TEST(FieldManager, HasTheAnswersOfKubernetesInItsTable) {
  const std::string path = FAIRWAY_SOURCE_DIR "/tests/apiserver/data/field_manager.json";
  const auto table = json::parse(read_file(path).value());
  ASSERT_TRUE(table) << table.error().message;
  std::string written;
  run_judge("field-manager", {path}, [&](std::string_view piece) { written += piece; });
  const auto answers = json::parse(written);
  ASSERT_TRUE(answers) << answers.error().message;
  ASSERT_EQ(answers->as_array().size(), table->as_array().size());
  for (std::size_t i = 0; i < table->as_array().size(); ++i) {
    const json::Value& one = table->as_array()[i];
    EXPECT_TRUE(k8s::equal(one, answers->as_array()[i])) << json::find_string(one, "case").value_or("");
  }
}

}  // namespace
}  // namespace fairway::conformance
