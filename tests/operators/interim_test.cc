// SPDX-License-Identifier: Apache-2.0

// What is told while risks are evaluated.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "operators/updates.h"
#include "risk/scripted_evaluator.h"
#include "support/fake_service.h"

namespace fairway::operators {
namespace {

using fairway::testing::FakeService;

/// Record of what was told, with a wait for it.
class Told {
 public:
  void add(const UpdateInputs& inputs) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::to_string(inputs.available->unconditional.size()) + " unconditional, " +
                   inputs.verdicts.front().risks.front().error);
    changed_.notify_all();
  }
  /// Waits until something was told; false if nothing was within a time.
  bool wait_for(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return !all_.empty(); });
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};

class InterimTest : public ::testing::Test {
 protected:
  openshift::ClusterVersion cluster(const std::string& status) const {
    return openshift::ClusterVersion(
        json::parse(R"({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
                        "metadata": {"name": "version"},
                        "spec": {"channel": "stable-4.6", "clusterID": "6d3c1f5e-0000-4000-8000-000000000000",
                                 "upstream": ")" +
                    service_.url("/graph") + R"("}, "status": )" + status + "}")
            .value()
            .as_object());
  }
  Result<UpdateInputs> run(risk::Evaluator& evaluator, const std::string& status) {
    Updates updates({.query = {.architecture = "amd64"}}, registry_, evaluator, clock_, [] { return 0.0; });
    return updates.run(cluster(status), {.version = "4.6.23", .image = "a", .url = {}, .channels = {}}, {},
                       [this](const UpdateInputs& inputs) { told_.add(inputs); });
  }

  Told told_;
  FakeClock clock_{parse_time("2026-11-29T12:00:00Z").value()};
  const risk::Registry registry_ = risk::standard_registry();
  const FakeService service_{[](const http::Request&) {
    return http::Response::json(200, R"({"nodes": [{"version": "4.6.23", "payload": "a"},
        {"version": "4.6.24", "payload": "b"}, {"version": "4.6.25", "payload": "c"}], "edges": [[0, 1]],
        "conditionalEdges": [{"edges": [{"from": "4.6.23", "to": "4.6.25"}], "risks": [
          {"url": "https://example.com/R", "name": "R", "message": "M.",
           "matchingRules": [{"type": "PromQL", "promql": {"promql": "q"}}]}]}]})");
  }};
};

TEST_F(InterimTest, IsToldWhenAnEvaluationTakesLong) {
  risk::testing::ScriptedEvaluator evaluator([this](const std::string&) {
    EXPECT_TRUE(told_.wait_for(std::chrono::seconds(60)));
    return risk::testing::sample(0);
  });
  ASSERT_TRUE(run(evaluator, "{}"));
  EXPECT_EQ(told_.all(), std::vector<std::string>{"1 unconditional, evaluation has not ended yet"});
}

TEST_F(InterimTest, TakesNothingFromTheListsOfBeforeARestart) {
  risk::testing::ScriptedEvaluator evaluator([this](const std::string&) {
    EXPECT_FALSE(told_.wait_for(std::chrono::milliseconds(1500)));
    return risk::testing::sample(0);
  });
  const auto inputs = run(
      evaluator, R"({"availableUpdates": [{"version": "4.6.25", "image": "c"}], "conditionalUpdates": []})");
  ASSERT_TRUE(inputs);
  EXPECT_EQ(evaluator.calls(), 1);
}

}  // namespace
}  // namespace fairway::operators
