// SPDX-License-Identifier: Apache-2.0

// OpenShift's own tests of the definition of ClusterVersion: objects that are created or updated, what
// becomes of them, or why they are refused.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/apiserver/judged_server.h"
#include "k8s/equality.h"
#include "support/shared_data.h"

namespace fairway::conformance {
namespace {

namespace fs = std::filesystem;

k8s::Dynamic object_of(const json::Value& test, const char* member) {
  const auto documents = k8s::read_documents(json::find_string(test, member).value_or(""));
  if (!documents || documents->size() != 1) throw std::runtime_error(std::string(member) + " is no object");
  return k8s::Dynamic(documents->front().value.get_object());
}

class ClusterVersion : public ::testing::TestWithParam<const char*> {
 protected:
  /// Returns the fault of the answer to a write; empty if it is as expected.
  static std::string compare(const kube::ApiResult<k8s::Dynamic>& written, std::string_view error) {
    if (written) return error.empty() ? "" : "accepted, in place of: " + std::string(error);
    if (error.empty()) return "refused: " + written.error().message;
    // As releases before Kubernetes 1.34 wrote a value in a message.
    if (error.starts_with("Duplicate value: map[string]interface {}") &&
        written.error().message.contains("Duplicate value: {"))
      return "";
    return written.error().message.contains(error) ? ""
                                                   : "refused with other words: " + written.error().message;
  }

  /// Writes an object and then its status, if it has one. Returns the unexpected part; empty: none.
  std::string write(k8s::Dynamic wanted, const json::Value& test, bool create, k8s::Dynamic& stored) {
    const std::string_view error = json::find_string(test, "expectedError").value_or(""),
                           status_error = json::find_string(test, "expectedStatusError").value_or("");
    const bool last = create == (json::find(test, "updated") == nullptr);
    wanted.set_name("version");
    if (!create) wanted.set_resource_version(stored.resource_version());
    auto written =
        create ? served_.client->create(resource_, wanted) : served_.client->replace(resource_, wanted);
    std::string wrong = compare(written, last ? error : "");
    if (!written) return wrong;
    stored = *written;
    const json::Value* status = wanted.find("status");
    if (wrong.empty() && status != nullptr) {
      stored.set("status", *status);
      written = served_.client->replace(resource_, stored, "status");
      wrong = compare(written, last ? status_error : "");
      if (written) stored = *written;
    } else if (wrong.empty() && last && !status_error.empty()) {
      wrong = "there is no status to refuse";
    }
    return wrong;
  }

  std::string run(const json::Value& test) {
    k8s::Dynamic stored;
    std::string wrong = write(object_of(test, "initial"), test, true, stored);
    if (wrong.empty() && json::find(test, "updated") != nullptr)
      wrong = write(object_of(test, "updated"), test, false, stored);
    if (wrong.empty() && json::find_string(test, "expected")) {
      const k8s::Dynamic expected = object_of(test, "expected");
      for (const char* part : {"spec", "status"}) {
        const json::Value* is = stored.find(part);
        const json::Value* should_be = expected.find(part);
        if (should_be != nullptr && (is == nullptr || !k8s::equal(*is, *should_be)))
          wrong = std::string(part) + " is " + (is == nullptr ? "missing" : json::to_text(*is));
      }
    }
    const auto removed = served_.client->remove(resource_, {"", "version"});
    EXPECT_TRUE(removed || removed.error().is_not_found());
    return wrong;
  }

  JudgedServer served_;
  const k8s::GroupVersionResource resource_{"config.openshift.io", "v1", "clusterversions"};
};

TEST_P(ClusterVersion, PassesTheTestsOfItsDefinition) {
  const fs::path folder = testing::shared_path("data/operator/crd");
  FAIRWAY_NEEDS_SHARED(folder);
  const bool all_gates = std::string_view(GetParam()) == "CustomNoUpgrade";
  served_.create_all({folder / ("0000_00_cluster-version-operator_01_clusterversions-" +
                                std::string(GetParam()) + ".crd.yaml")});
  int passed = 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder / "tests")) {
    // Those of a feature gate are for the definition that has it.
    if (entry.path().extension() == ".yaml" && (all_gates || entry.path().stem() == "AAA_ungated"))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const k8s::Dynamic suite = read_objects(file).front();
    for (const char* kind : {"onCreate", "onUpdate"}) {
      const json::Value* tests = suite.find("tests." + std::string(kind));
      if (tests == nullptr) continue;
      for (const json::Value& test : tests->get_array()) {
        const std::string wrong = run(test);
        passed += wrong.empty() ? 1 : 0;
        EXPECT_EQ(wrong, "") << file << ": " << json::find_string(test, "name").value_or("");
      }
    }
  }
  std::printf("ClusterVersion, feature set %s: %d of OpenShift's tests pass\n", GetParam(), passed);
  EXPECT_GT(passed, 10);
}

INSTANTIATE_TEST_SUITE_P(FeatureSets, ClusterVersion, ::testing::Values("Default", "CustomNoUpgrade"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace fairway::conformance
