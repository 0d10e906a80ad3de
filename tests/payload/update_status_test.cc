// SPDX-License-Identifier: Apache-2.0

#include "payload/update_status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "payload/internal/history.h"
#include "support/case_count.h"
#include "support/cases.h"
#include "support/shared_data.h"

namespace fairway::payload {
namespace {

using testing::field;
using testing::read_cases;
using testing::text;

const WallTime start = parse_time("2026-02-19T12:00:00Z").value();

std::string text_or(const json::Value& value, std::string_view key, std::string otherwise = "") {
  const auto found = json::find_string(value, key);
  return found ? std::string(*found) : std::move(otherwise);
}
bool flag(const json::Value& value, std::string_view key) {
  const json::Value* const found = json::find(value, key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

UpdateError error_of(const json::Value& value) {
  UpdateError error{
      .reason = text_or(value, "reason"), .message = text_or(value, "message"), .effect = UpdateEffect::fail};
  if (const auto plain = json::find_string(value, "plain")) error.message = *plain;
  const std::string effect = text_or(value, "updateEffect");
  if (effect == "None") error.effect = UpdateEffect::none;
  if (effect == "Report") error.effect = UpdateEffect::report;
  if (effect == "FailAfterInterval") error.effect = UpdateEffect::fail_after_interval;
  error.name = text_or(value, "name");
  if (const json::Value* names = json::find(value, "names"))
    for (const auto& name : names->as_array()) error.names.emplace_back(name.as_string());
  if (const json::Value* nested = json::find(value, "nested"))
    for (const auto& one : nested->as_array()) error.nested.push_back(error_of(one));
  return error;
}

LoadStep step_of(const std::string& name) {
  for (const LoadStep step :
       {LoadStep::retrieve_payload, LoadStep::verify_payload_version, LoadStep::load_payload,
        LoadStep::precondition_checks, LoadStep::payload_loaded})
    if (to_string(step) == name) return step;
  throw std::runtime_error("no step " + name);
}

UpdateStatus status_of(const json::Value& step, WallTime now) {
  UpdateStatus status;
  status.version = text(field(step, "actual"), "version");
  status.image = text(field(step, "actual"), "image");
  status.reconciling = flag(step, "reconciling");
  status.completed = field(step, "completed").as_int64() > 0;
  status.done = static_cast<std::size_t>(field(step, "done").as_int64());
  status.total = static_cast<std::size_t>(field(step, "total").as_int64());
  status.verified = flag(step, "verified");
  if (const json::Value* failure = json::find(step, "failure")) status.failure = error_of(*failure);
  if (const json::Value* load = json::find(step, "payloadLoad")) {
    status.load = LoadStatus{.step = step_of(text(*load, "step")),
                             .message = text_or(*load, "message"),
                             .failed = flag(*load, "failed"),
                             .image = text_or(*load, "image"),
                             .accepted_risks = text_or(*load, "acceptedRisks"),
                             .local = flag(*load, "local")};
  }
  if (const json::Value* since = json::find(step, "clusterOperatorUpdatingFor"))
    for (const auto& [name, duration] : since->as_object())
      status.operators_updating_since[name] = now - parse_duration(std::string(duration.as_string())).value();
  if (const json::Value* errors = json::find(step, "validationErrors")) {
    // The cases say what is wrong with the whole spec.
    for (const auto& one : errors->as_array())
      status.validation_errors.push_back("spec: Invalid value: \"\": " + std::string(one.as_string()));
  }
  return status;
}

/// Returns the status in the form of the cases: conditions by type without times, times of the history as
/// "set".
json::Object normalized(const openshift::ClusterVersion& object) {
  json::Array history;
  for (const auto& entry : object.history()) {
    json::Object one{{"state", entry.json().at("state")},
                     {"startedTime", entry.started() ? json::Value("set") : json::Value()},
                     {"completionTime", entry.completed() ? json::Value("set") : json::Value()},
                     {"version", std::string(entry.version())},
                     {"image", std::string(entry.image())},
                     {"verified", entry.flag("verified")}};
    if (entry.has("acceptedRisks")) one["acceptedRisks"] = std::string(entry.text("acceptedRisks"));
    history.push_back(std::move(one));
  }
  std::vector<json::Object> conditions;
  for (const auto& condition : object.items<k8s::Condition>("status.conditions")) {
    EXPECT_TRUE(condition.last_transition()) << condition.type();
    json::Object one = condition.json();
    one.erase("lastTransitionTime");
    conditions.push_back(std::move(one));
  }
  std::ranges::sort(conditions, {},
                    [](const json::Object& one) { return std::string(one.at("type").as_string()); });
  json::Array sorted;
  for (json::Object& one : conditions) sorted.emplace_back(std::move(one));
  return {{"history", std::move(history)}, {"conditions", std::move(sorted)}};
}

TEST(UpdateStatusTest, IsThatOfTheRecordedCases) {
  const auto path = testing::shared_path("data/operator/apply-status/conditions-and-history.json");
  FAIRWAY_NEEDS_SHARED(path);
  testing::CaseCount cases("conditions and history", 34);
  for (const auto& one : read_cases(path.string())) {
    SCOPED_TRACE(text(one, "name"));
    cases.begin();
    auto object = k8s::make<openshift::ClusterVersion>("version");
    const auto& steps = field(one, "steps").as_array();
    const auto& expected = field(one, "expected").as_array();
    ASSERT_EQ(steps.size(), expected.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      const WallTime now = start + std::chrono::minutes(i);
      write_update_status(object, status_of(steps[i], now), now);
      json::Object wanted{{"history", field(expected[i], "history")},
                          {"conditions", field(expected[i], "conditions")}};
      const json::Object written = normalized(object);
      EXPECT_TRUE(written == wanted) << json::to_text(written) << "\n" << json::to_text(wanted);
      // Written again it is the same.
      const std::string before = object.to_text();
      write_update_status(object, status_of(steps[i], now), now + std::chrono::seconds(30));
      EXPECT_EQ(object.to_text(), before);
    }
  }
}

/// Returns "False", "True REASON: MESSAGE".
std::string told(const openshift::ClusterVersion& object, std::string_view type) {
  const auto condition = object.condition(type);
  if (!condition) return "none";
  std::string text(k8s::to_string(condition->status()));
  if (!condition->reason().empty())
    text += " " + std::string(condition->reason()) + ": " + std::string(condition->message());
  return text;
}

TEST(UpdateStatusTest, TellsWhatAFailureComesTo) {
  for (const auto& one : read_cases(FAIRWAY_SOURCE_DIR "/tests/payload/data/failures.json")) {
    SCOPED_TRACE(text(one, "name"));
    auto object = k8s::make<openshift::ClusterVersion>("version");
    json::Object step = one.as_object();
    step["actual"] = json::Object{{"version", "4.6.43"}, {"image", "i@sha256:1"}};
    step["completed"] = 0;
    step["done"] = 800;
    step["total"] = 859;
    write_update_status(object, status_of(step, start), start);
    EXPECT_EQ(told(object, "Failing"), text(one, "failing"));
    EXPECT_EQ(told(object, "Progressing"), text(one, "progressing"));
  }
}

TEST(UpdateStatusTest, IsOfTheImageWhereTheVersionIsNotKnown) {
  auto object = k8s::make<openshift::ClusterVersion>("version");
  write_update_status(object, {.image = "i@sha256:1", .completed = true, .done = 53, .total = 100}, start);
  EXPECT_EQ(object.condition("Available")->message(), "Done applying i@sha256:1");
  // As today's operator rounds.
  EXPECT_EQ(object.condition("Progressing")->message(),
            "Working towards i@sha256:1: 53 of 100 done (52% complete)");
}

TEST(UpdateStatusTest, KeepsTimesAndWhatOthersWrote) {
  auto object = k8s::make<openshift::ClusterVersion>("version");
  object.append("status.conditions").set("type", "example.com/Mine");
  UpdateStatus status{.version = "4.7.4", .image = "i@sha256:1", .total = 10};
  write_update_status(object, status, start);
  status.done = 5;
  write_update_status(object, status, start + std::chrono::hours(1));
  const auto progressing = object.condition("Progressing");
  ASSERT_TRUE(progressing);
  EXPECT_EQ(progressing->message(), "Working towards 4.7.4: 5 of 10 done (50% complete)");
  EXPECT_EQ(progressing->last_transition(), start);
  EXPECT_TRUE(object.condition("example.com/Mine"));
}

TEST(HistoryTest, IsPrunedAsTheRecordedCases) {
  const auto path = testing::shared_path("data/operator/apply-status/history-prune.json");
  FAIRWAY_NEEDS_SHARED(path);
  testing::CaseCount cases("pruning of the history", 6);
  for (const auto& one : read_cases(path.string())) {
    SCOPED_TRACE(text(one, "name"));
    cases.begin();
    json::Array history;
    for (const auto& entry : field(one, "history").as_array()) {
      const std::string said(entry.as_string());
      history.push_back(json::Object{{"state", said.starts_with("C:") ? "Completed" : "Partial"},
                                     {"version", said.substr(2)},
                                     {"said", said}});
    }
    prune_history(history, static_cast<std::size_t>(field(one, "maxSize").as_int64()));
    json::Array left;
    for (const auto& entry : history) left.push_back(entry.at("said"));
    EXPECT_EQ(json::to_text(left), json::to_text(field(one, "expected")));
  }
}

TEST(HistoryTest, HasNoMoreThanAHundredAndNeverLosesTheFirst) {
  json::Array history;
  for (int i = 0; i < 250; ++i) {
    const HistoryRecord record{.version = "4." + std::to_string(i / 60) + "." + std::to_string(i % 60),
                               .image = "i@sha256:" + std::to_string(i),
                               .completed = i % 3 != 0};
    EXPECT_TRUE(record_history(history, record, start + std::chrono::hours(i)));
    EXPECT_FALSE(record_history(history, record, start + std::chrono::hours(i + 1))) << "nothing has changed";
  }
  EXPECT_EQ(history.size(), max_history);
  EXPECT_EQ(history.back().at("version").as_string(), "4.0.0");
  EXPECT_EQ(history.front().at("version").as_string(), "4.4.9");
  for (const auto& entry : history) EXPECT_FALSE(entry.at("startedTime").is_null());
}

TEST(HistoryTest, RecordsNothingThatCouldNotBeRepeated) {
  json::Array history;
  EXPECT_FALSE(record_history(history, {.version = "4.7.4"}, start));
  EXPECT_TRUE(history.empty());
  // What is learned later is filled in.
  EXPECT_TRUE(record_history(history, {.image = "i@sha256:1"}, start));
  EXPECT_TRUE(record_history(history, {.version = "4.7.4", .image = "i@sha256:1"}, start));
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].at("version").as_string(), "4.7.4");
  // The same version of another image is another release.
  EXPECT_TRUE(record_history(history, {.version = "4.7.4", .image = "i@sha256:2"}, start));
  ASSERT_EQ(history.size(), 2U);
  EXPECT_FALSE(history[1].at("completionTime").is_null());
}

}  // namespace
}  // namespace fairway::payload
