// SPDX-License-Identifier: Apache-2.0

#include "payload/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "support/cases.h"
#include "support/shared_data.h"

namespace fairway::payload {
namespace {

/// Returns "a b | c / d": chains of a level beside each other, levels one after the other.
std::string shown(const std::vector<Level>& levels, const std::vector<std::string>& files) {
  std::vector<std::string> texts;
  for (const Level& level : levels) {
    std::vector<std::string> chains;
    for (const Chain& chain : level) {
      std::vector<std::string> names;
      for (const std::size_t i : chain) names.push_back(files[i]);
      chains.push_back(join(names, " "));
    }
    texts.push_back(join(chains, " | "));
  }
  return join(texts, " / ");
}

std::vector<Level> arranged(const std::vector<std::string>& files, Mode mode) {
  std::vector<OrderedTask> tasks;
  for (const std::string& file : files)
    tasks.push_back({.file = file, .is_job = file.ends_with("_job.yaml")});
  return run_levels(tasks, mode);
}

TEST(RunLevelsTest, AreInTheNamesOfFiles) {
  EXPECT_EQ(run_level("0000_50_dns_02.yaml"), (RunLevel{"50", "dns"}));
  EXPECT_EQ(run_level("0000_05_kube-apiserver-operator_x_y.yaml"),
            (RunLevel{"05", "kube-apiserver-operator"}));
  EXPECT_EQ(run_level("0000_9_a_"), (RunLevel{"9", "a"}));
  for (const char* file : {"", "0000_", "0000_50_", "0000_50_dns", "0000_50_dns.yaml", "0000_a_dns_x",
                           "0000__dns_x", "0001_50_dns_x", "0000_50_-dns_x", "0000_50_dns-_x",
                           "0000_50_d--s_x", "0000_50_d.s_x", "zz_other.yaml"})
    EXPECT_EQ(run_level(file), std::nullopt) << file;
}

/// Returns the graph of a case as levels: each node with work, by the number of such nodes before it on the
/// longest path.
std::string levels_of_case(const json::Value& one) {
  const auto& nodes = testing::field(one, "expectedNodes").as_array();
  std::vector<int> depth(nodes.size(), 0);
  const auto has_work = [&](std::size_t i) { return json::find(nodes[i], "tasks") != nullptr; };
  for (std::size_t round = 0; round < nodes.size(); ++round) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const json::Value* const in = json::find(nodes[i], "in");
      if (in == nullptr) continue;
      for (const auto& from : in->as_array()) {
        const auto index = static_cast<std::size_t>(from.as_int64());
        depth[i] = std::max(depth[i], depth[index] + (has_work(index) ? 1 : 0));
      }
    }
  }
  std::map<int, std::vector<std::string>> levels;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!has_work(i)) continue;
    std::vector<std::string> names;
    for (const auto& task : testing::field(nodes[i], "tasks").as_array())
      names.emplace_back(task.as_string());
    levels[depth[i]].push_back(join(names, " "));
  }
  std::vector<std::string> texts;
  for (auto& [number, chains] : levels) {
    std::ranges::sort(chains);
    texts.push_back(join(chains, " | "));
  }
  return join(texts, " / ");
}

TEST(RunLevelsTest, AreThoseOfTheRecordedCases) {
  const auto path = testing::shared_path("data/operator/apply-status/task-graph.json");
  FAIRWAY_NEEDS_SHARED(path);
  std::size_t cases = 0;
  for (const auto& one : testing::read_cases(path.string())) {
    SCOPED_TRACE(testing::text(one, "name"));
    ++cases;
    std::vector<std::string> files;
    for (const auto& file : testing::field(one, "files").as_array()) files.emplace_back(file.as_string());
    const Mode mode = testing::text(one, "mode") == "updating" ? Mode::updating : Mode::initializing;
    EXPECT_EQ(shown(arranged(files, mode), files), levels_of_case(one));
  }
  EXPECT_GE(cases, 4U);
}

TEST(RunLevelsTest, ArrangeComponentsAndJobs) {
  const std::vector<std::string> files{"0000_05_a_1", "0000_05_a_2", "0000_05_b_1",        "0000_10_c_1",
                                       "0000_20_c_1", "other",       "0000_30_a_job.yaml", "0000_30_b_1"};
  EXPECT_EQ(shown(arranged(files, Mode::updating), files),
            "0000_05_a_1 0000_05_a_2 | 0000_05_b_1 / 0000_10_c_1 0000_20_c_1 other / 0000_30_a_job.yaml / "
            "0000_30_b_1");
  EXPECT_EQ(
      shown(arranged(files, Mode::reconciling), files),
      "0000_05_a_1 0000_05_a_2 | 0000_05_b_1 | 0000_10_c_1 | 0000_20_c_1 | other / 0000_30_a_job.yaml / "
      "0000_30_b_1");
  EXPECT_TRUE(arranged({}, Mode::updating).empty());
}

Manifest manifest(const std::string& file, const std::string& api_version, const std::string& kind,
                  const std::string& name, const std::string& annotation = "") {
  std::string text = R"({"apiVersion":")" + api_version + R"(","kind":")" + kind +
                     R"(","metadata":{"name":")" + name + R"(","namespace":"n")";
  if (!annotation.empty()) text += R"(,"annotations":{")" + annotation + R"(":"true"})";
  return {.file = file, .object = k8s::Dynamic::parse(text + "}}").value()};
}

/// Returns "name <- needs: action, wait" of each step.
std::vector<std::string> shown(const Plan& plan) {
  std::vector<std::string> all;
  for (const PlanStep& step : plan.steps) {
    all.push_back(step.name + " <- " + join(step.needs, ", ") + ": " + std::string(to_string(step.action)) +
                  ", " + std::string(to_string(step.wait)));
  }
  return all;
}

TEST(PlanTest, SaysWhatIsDoneAfterWhatAndWhatIsWaitedFor) {
  const Plan plan = make_plan(
      "4.7.4",
      {manifest("0000_05_a_1", "apiextensions.k8s.io/v1", "CustomResourceDefinition", "ws.example.com"),
       manifest("0000_05_a_2", "config.openshift.io/v1", "ClusterOperator", "a"),
       manifest("0000_05_b_1", "apps/v1", "Deployment", "b"),
       manifest("0000_10_a_1", "v1", "ConfigMap", "c", "release.openshift.io/delete"),
       manifest("0000_10_a_1", "v1", "Secret", "c", "release.openshift.io/create-only"),
       manifest("0000_20_a_1", "batch/v1", "Job", "j"),
       manifest("0000_30_a_1", "apiextensions.k8s.io/v1", "CustomResourceDefinition", "old.example.com",
                "release.openshift.io/delete")},
      Mode::updating);
  const std::string definition =
      "0000_05_a_1: customresourcedefinition.apiextensions.k8s.io \"n/ws.example.com\"";
  EXPECT_EQ(shown(plan),
            (std::vector<std::string>{
                definition + " <- : apply, established",
                "0000_05_a_2: clusteroperator.config.openshift.io \"n/a\" <- " + definition +
                    ": apply, cluster operator",
                "0000_05_b_1: deployment.apps \"n/b\" <- : apply, rolled out",
                ("after level 1 <- 0000_05_a_2: clusteroperator.config.openshift.io \"n/a\", 0000_05_b_1: "
                 "deployment.apps "
                 "\"n/b\": join, nothing"),
                "0000_10_a_1: configmap \"n/c\" <- after level 1: remove, nothing",
                "0000_10_a_1: secret \"n/c\" <- 0000_10_a_1: configmap \"n/c\": create, nothing",
                "after level 2 <- 0000_10_a_1: secret \"n/c\": join, nothing",
                "0000_20_a_1: job.batch \"n/j\" <- after level 2: apply, complete",
                "after level 3 <- 0000_20_a_1: job.batch \"n/j\": join, nothing",
                ("0000_30_a_1: customresourcedefinition.apiextensions.k8s.io \"n/old.example.com\" <- after "
                 "level 3: "
                 "remove, nothing"),
                ("after level 4 <- 0000_30_a_1: customresourcedefinition.apiextensions.k8s.io "
                 "\"n/old.example.com\": join, "
                 "nothing"),
                "migration of ws.example.com <- after level 4: migrate, nothing"}));
  EXPECT_EQ(plan.total(), 7U);
}

TEST(PlanTest, PutsItsOwnDeploymentFirstInItsLevel) {
  const std::vector<Manifest> manifests{
      manifest("0000_05_a_1", "v1", "ConfigMap", "a"),
      manifest("0000_05_b_1", "v1", "ConfigMap", "b"),
      manifest("0000_10_op_1", "v1", "ConfigMap", "x"),
      manifest("0000_10_op_2", "apps/v1", "Deployment", "op"),
      manifest("0000_10_other_1", "v1", "ConfigMap", "c"),
  };
  const auto order = [&](const std::optional<k8s::Key>& own) {
    std::vector<std::string> names;
    for (const PlanStep& step : make_plan("1.0.0", manifests, Mode::updating, {.own_deployment = own}).steps)
      names.push_back(step.action == Action::join ? "/"
                                                  : std::string(manifests[step.manifest].object.name()));
    return join(names, " ");
  };
  EXPECT_EQ(order(std::nullopt), "a b / x op c /");
  EXPECT_EQ(order(k8s::Key{"n", "op"}), "a b / op / x c /");
  EXPECT_EQ(order(k8s::Key{"m", "op"}), "a b / x op c /") << "it is not of the release";
}

TEST(PlanTest, OfNothingIsEmpty) {
  const Plan plan = make_plan("1.0.0", {}, Mode::reconciling);
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(plan.total(), 0U);
}

}  // namespace
}  // namespace fairway::payload
