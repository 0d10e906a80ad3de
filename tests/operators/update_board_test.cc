// SPDX-License-Identifier: Apache-2.0

// What the status port says of the update machine, held against the OpenAPI document.
#include "operators/internal/update_board.h"

#include <gtest/gtest.h>

#include "k8s/status.h"
#include "k8s/view.h"
#include "kube/memory_api.h"
#include "operators/internal/bounded_list.h"
#include "operators/internal/status_openapi_text.h"
#include "payload/apply_plan.h"
#include "payload/manifest.h"
#include "support/json_schema.h"

namespace fairway::operators {
namespace {

using namespace std::chrono_literals;
using payload::StepStage;

payload::Manifest manifest(const std::string& file, const std::string& name) {
  payload::Manifest one;
  one.file = file;
  one.object = k8s::Dynamic(json::Object{{"apiVersion", "v1"},
                                         {"kind", "ConfigMap"},
                                         {"metadata", json::Object{{"name", name}, {"namespace", "n"}}}});
  return one;
}

class UpdateBoardTest : public ::testing::Test {
 protected:
  UpdateBoardTest() {
    board_.on_change([this] { ++changes_; });
  }

  /// Returns the part, which has to fit its schema.
  json::Object part() const {
    const json::Value document = json::parse(status_openapi_text).value();
    // As a reader has it, whose numbers are of one type.
    const json::Value part = json::parse(json::to_text(board_.part())).value();
    EXPECT_EQ(fairway::testing::Schemas(document).check(
                  part, document.at_pointer("/components/schemas/Update"), "Update"),
              "")
        << json::to_text(part);
    return part.as_object();
  }
  void begin(std::vector<std::pair<std::string, std::string>> files) {
    std::vector<payload::Manifest> manifests;
    for (auto& [file, name] : files) manifests.push_back(manifest(file, name));
    plan_ = payload::make_plan("4.7.4", std::move(manifests), payload::Mode::updating);
    board_.begin(plan_);
  }
  /// Records a change of the step of a file.
  void record(const std::string& file, StepStage stage, const std::string& why = "") {
    const payload::UpdateError error{.reason = "Because", .message = why};
    for (const payload::PlanStep& step : plan_.steps) {
      if (!step.name.starts_with(file)) continue;
      board_.record({.step = step.name,
                     .stage = stage,
                     .error = stage == StepStage::waiting || stage == StepStage::failed ? &error : nullptr});
    }
  }

  FakeClock clock_{parse_time("2026-11-29T12:00:00Z").value()};
  UpdateBoard board_{clock_};
  payload::Plan plan_;
  int changes_ = 0;
};

/// Returns each level: "10: 1 of 2, 0 failed, 1 active, a b".
std::vector<std::string> levels_of(const json::Object& part) {
  std::vector<std::string> all;
  for (const k8s::View& level : k8s::View(part).items("plan.levels")) {
    std::string line = std::string(level.text("level")) + ": " + std::to_string(level.integer("done")) +
                       " of " + std::to_string(level.integer("total")) + ", " +
                       std::to_string(level.integer("failed")) + " failed, " +
                       std::to_string(level.integer("active")) + " active,";
    for (const std::string_view component : level.texts("components")) line += " " + std::string(component);
    all.push_back(line);
  }
  return all;
}

std::vector<std::string> steps_of(const json::Object& part) {
  std::vector<std::string> all;
  for (const k8s::View& step : k8s::View(part).items("plan.steps")) {
    all.push_back(std::string(step.text("stage")) + " " + std::string(step.text("object")) + " " +
                  std::string(step.text("since")) + " " + std::string(step.text("message")));
  }
  return all;
}

TEST_F(UpdateBoardTest, IsEmptyBeforeTheMachineRuns) {
  EXPECT_EQ(json::to_text(part()), R"({"states":[]})");
}

TEST_F(UpdateBoardTest, HasTheStatesThatWereEnteredAndUntilWhenItWaits) {
  board_.enter(UpdateState::deciding);
  clock_.advance(2s);
  board_.enter(UpdateState::resting);
  board_.wait_until(clock_.now() + 90s);
  EXPECT_EQ(json::to_text(part()),
            R"({"states":[{"state":"deciding","since":"2026-11-29T12:00:00Z"},)"
            R"({"state":"resting","since":"2026-11-29T12:00:02Z"}],"until":"2026-11-29T12:01:32Z"})");
  board_.enter(UpdateState::deciding);
  EXPECT_FALSE(k8s::View(part()).has("until"));
  EXPECT_EQ(changes_, 4);
  for (std::size_t i = 0; i < 2 * UpdateBoard::max_states; ++i) board_.enter(UpdateState::resting);
  EXPECT_EQ(k8s::View(part()).items("states").size(), UpdateBoard::max_states);
}

TEST_F(UpdateBoardTest, CountsRunLevelsAndShowsWhatIsInTheWayFirst) {
  board_.set_releases({"4.7.4", "b"}, false, {"4.7.4", "b"});
  begin({{"0000_05_a_1.yaml", "one"},
         {"0000_10_a_1.yaml", "two"},
         {"0000_10_b_1.yaml", "three"},
         {"0000_10_b_2.yaml", "four"},
         {"without-level.yaml", "five"}});
  record("0000_05_a_1.yaml", StepStage::running);
  record("0000_05_a_1.yaml", StepStage::done);
  record("0000_10_b_1.yaml", StepStage::running);
  clock_.advance(1s);
  record("0000_10_a_1.yaml", StepStage::running);
  record("0000_10_a_1.yaml", StepStage::waiting, "not yet");
  clock_.advance(1s);
  record("0000_10_a_1.yaml", StepStage::waiting, "nearly");
  const json::Object now = part();
  EXPECT_EQ(levels_of(now),
            (std::vector<std::string>{": 0 of 1, 0 failed, 0 active,", "05: 1 of 1, 0 failed, 0 active,",
                                      "10: 0 of 3, 0 failed, 2 active, a b"}));
  EXPECT_EQ(steps_of(now),
            (std::vector<std::string>{"waiting configmap \"n/two\" 2026-11-29T12:00:01Z nearly",
                                      "running configmap \"n/three\" 2026-11-29T12:00:00Z "}));
  EXPECT_EQ(k8s::View(now).integer("plan.total"), 5);
  EXPECT_EQ(k8s::View(now).integer("plan.done"), 1);
  EXPECT_EQ(k8s::View(now).text("plan.mode"), "updating");

  // What has failed comes first, and stays when the plan ends.
  record("0000_10_b_1.yaml", StepStage::failed, "refused");
  record("0000_10_a_1.yaml", StepStage::failed, "the wait was too long");
  board_.end("failed");
  const json::Object ended = part();
  EXPECT_EQ(steps_of(ended),
            (std::vector<std::string>{"failed configmap \"n/two\" 2026-11-29T12:00:02Z the wait was too long",
                                      "failed configmap \"n/three\" 2026-11-29T12:00:02Z refused"}));
  EXPECT_EQ(k8s::View(ended).text("plan.outcome"), "failed");
  EXPECT_EQ(k8s::View(ended).text("plan.ended"), "2026-11-29T12:00:02Z");
  // A plan of another release says nothing of this one.
  board_.set_releases({"4.7.5", "c"}, false, {"4.7.5", "c"});
  EXPECT_FALSE(k8s::View(part()).has("plan"));
}

TEST_F(UpdateBoardTest, IsBounded) {
  std::vector<std::pair<std::string, std::string>> files;
  const std::size_t more = 7;
  for (std::size_t i = 0; i < UpdateBoard::max_steps + more; ++i)
    files.emplace_back("0000_10_c" + std::to_string(i) + "_1.yaml", "m" + std::to_string(i));
  begin(files);
  for (const auto& [file, name] : files) {
    record(file, StepStage::running);
    record(file, StepStage::waiting, std::string(10'000, 'x'));
  }
  const json::Object now = part();
  EXPECT_EQ(steps_of(now).size(), UpdateBoard::max_steps);
  EXPECT_EQ(k8s::View(now).integer("plan.leftOut"), static_cast<std::int64_t>(more));
  const k8s::View level = k8s::View(now).items("plan.levels").at(0);
  EXPECT_EQ(level.texts("components").size(), UpdateBoard::max_components);
  EXPECT_EQ(level.integer("moreComponents"),
            static_cast<std::int64_t>(files.size() - UpdateBoard::max_components));
  EXPECT_LT(json::to_text(now).size(), UpdateBoard::max_steps * (max_message + 1'000));
}

TEST_F(UpdateBoardTest, IsBoundedInBytes) {
  // Names of files that nobody has tamed, and messages of which each byte takes six in JSON.
  std::vector<std::pair<std::string, std::string>> files;
  const std::string name(10'000, 'n'), message(10'000, '\1');
  for (std::size_t i = 0; i < UpdateBoard::max_steps; ++i)
    files.emplace_back("0000_10_c_" + std::to_string(i) + "_" + name + ".yaml", "m" + std::to_string(i));
  begin(files);
  for (const auto& [file, object] : files) record(file, StepStage::waiting, message);
  const json::Object now = part();
  EXPECT_LT(json::to_text(now).size(), 600'000U);
  const std::size_t shown = steps_of(now).size();
  EXPECT_GT(shown, 10U);
  EXPECT_EQ(k8s::View(now).integer("plan.leftOut"), static_cast<std::int64_t>(files.size() - shown));
}

TEST_F(UpdateBoardTest, AnInterruptedStepHasNotFailedAndSaysNothingOfASecret) {
  kube::testing::MemoryApi server;
  server.respond([this](const http::Request& request) -> std::optional<http::Response> {
    if (request.path == "/api")
      return http::Response::json(200, R"({"kind":"APIVersions","versions":["v1"]})");
    if (request.path == "/apis") return http::Response::json(200, R"({"kind":"APIGroupList","groups":[]})");
    if (request.path == "/api/v1") {
      return http::Response::json(
          200, R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[)"
               R"({"name":"secrets","singularName":"secret","kind":"Secret","namespaced":true,)"
               R"("verbs":["create","get","patch"]}]})");
    }
    if (request.method != "PATCH") return std::nullopt;
    // The plan's time is over when the answer comes.
    clock_.advance(1h);
    const auto status = k8s::Status::failure(k8s::reason::internal_error, "a webhook: password is hunter2");
    return http::Response::json(status.code(), status.to_text());
  });
  payload::Manifest secret = manifest("0000_10_a_1.yaml", "s");
  secret.object.set("kind", "Secret");
  plan_ = payload::make_plan("4.7.4", {std::move(secret)}, payload::Mode::updating);
  board_.begin(plan_);
  std::size_t told = 0;
  payload::ApplyPlanOptions options{.attempts = 1};
  options.on_step = [&](const payload::StepChange& change) {
    ++told;
    board_.record(change);
  };
  const auto client = server.client(&clock_);
  const auto report = payload::apply_plan({client, std::make_shared<kube::ResourceMapper>(client), "n"},
                                          plan_, options, Limits::within(clock_, 10min));
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(report->ended);
  EXPECT_GE(told, 2U);
  for (const bool ended : {false, true}) {
    if (ended) board_.end("interrupted");
    const json::Object now = part();
    EXPECT_FALSE(json::to_text(now).contains("hunter2")) << json::to_text(now);
    EXPECT_EQ(steps_of(now), std::vector<std::string>{});
    EXPECT_EQ(levels_of(now), std::vector<std::string>{"10: 0 of 1, 0 failed, 0 active, a"});
  }
}

TEST_F(UpdateBoardTest, NothingIsUnderWayWhenAPlanHasEnded) {
  begin({{"0000_10_a_1.yaml", "one"}, {"0000_10_b_1.yaml", "two"}});
  record("0000_10_a_1.yaml", StepStage::waiting, "not yet");
  record("0000_10_b_1.yaml", StepStage::running);
  board_.end("interrupted");
  EXPECT_EQ(levels_of(part()), std::vector<std::string>{"10: 0 of 2, 0 failed, 0 active, a b"});
  EXPECT_EQ(steps_of(part()), std::vector<std::string>{});
}

}  // namespace
}  // namespace fairway::operators
