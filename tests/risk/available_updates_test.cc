// SPDX-License-Identifier: Apache-2.0

// The cases of data/operator/available-updates, as far as they are about risks: the answer of an update
// service and those of Prometheus (a server of the test's own, asked by the remote evaluator) go in, and
// conditions and the order of queries come out. What another part decides is left to it, case by case with
// its reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/evaluated_graph.h"
#include "graph/update_graph.h"
#include "risk/asked.h"
#include "risk/evaluators/remote.h"
#include "risk/rounds.h"
#include "support/fake_service.h"
#include "support/shared_data.h"

namespace fairway::risk {
namespace {

using fairway::testing::FakeService;

std::filesystem::path cases_folder() {
  return fairway::testing::shared_path("data/operator/available-updates/cases");
}

std::string text(const json::Value& object, std::string_view key) {
  return std::string(json::find_string(object, key).value_or(""));
}

/// Returns the list in a member; empty if it is missing or null.
json::Array list(const json::Value& object, std::string_view key) {
  const json::Value* found = json::find(object, key);
  return found != nullptr && found->is_array() ? found->as_array() : json::Array{};
}

/// Returns the reason why a case is not for this code to decide; empty: it is. With the feature gate the
/// cluster adds risks, and its administrators accept some, which is the operator's task. Cases that
/// contradict the specification, or are not in it, are known by name, or judged there.
std::string left_to_operator(const json::Value& one) {
  const json::Value* gate = json::find(*json::find(one, "input"), "acceptRisksFeatureGate");
  if (gate != nullptr && *gate == true) return "the feature gate for accepted risks is on";
  for (const json::Value& round : list(*json::find(one, "input"), "rounds")) {
    const json::Value* spec = json::find(round, "spec");
    const json::Value* wanted = spec == nullptr ? nullptr : json::find(*spec, "desiredUpdate");
    if (wanted != nullptr && text(*wanted, "architecture") == "Multi")
      return "another architecture is asked for";
  }
  const json::Value* conformance = json::find(one, "conformance");
  const std::string status = conformance == nullptr ? "ok" : text(*conformance, "status");
  return status == "ok" ? "" : "the specification does not say so: " + status;
}

/// Returns the cases that are not about risks, or not for this code to decide.
const std::map<std::string, std::string>& left_to_others() {
  static const std::map<std::string, std::string> reasons{
      {"cincinnati-multiple-conditional-updates-with-a-single-target",
       "the anchor drops targets that two entries name; here the reader of the answer joins their risks"},
      {"cincinnati-multiple-conditional-updates-with-a-single-target-promql-match",
       "the anchor drops targets that two entries name; here the reader of the answer joins their risks"},
      {"dup-conditional-entries",
       "the anchor drops targets that two entries name; here the reader of the answer joins their risks"},
  };
  return reasons;
}

constexpr const char* throttled_alone = "rounds-throttled-single-ok-query-each-poll";

/// The expected result if the spec is followed, and not the anchor: per target status and reason, and the
/// queries that are evaluated.
struct Deviation {
  std::map<std::string, std::pair<std::string, std::string>> conditions;
  std::vector<std::string> evaluated;
};
const std::map<std::string, Deviation>& deviations() {
  static const std::string proxy = "max(cluster_proxy_enabled{type=~\"https?\"})";
  static const std::map<std::string, Deviation> known{
      // Only recommended if there is at least one risk; the reader of the answer says that it is concerned.
      {"eval-no-risks", {{{"4.6.30", {"False", "GraphDataNotUnderstood"}}}, {}}},
      // Each risk has its own rules.
      {"eval-shared-name-different-rules",
       {{{"4.6.31", {"True", "NotExposedToRisks"}}, {"4.6.30", {"False", "Shared"}}}, {"q1"}}},
      // Two bodies of one name: the reader of the answer makes one risk that concerns all.
      {"eval-same-target-same-name-twice", {{{"4.6.30", {"False", "Dup"}}}, {}}},
      // Nothing that is not understood is dropped in silence.
      {"rules-only-unknown-type", {{{"4.6.30", {"Unknown", "EvaluationFailed"}}}, {}}},
      {"rules-promql-empty-query", {{{"4.6.30", {"Unknown", "PromQLError"}}}, {}}},
      {"rules-always-with-promql-property", {{{"4.6.30", {"Unknown", "EvaluationFailed"}}}, {}}},
      {"rules-empty", {{{"4.6.30", {"False", "R"}}}, {}}},
      {"cincinnati-condition-with-risks-after-invalid-risk-promql-match",
       {{{"4.1.1", {"False", "MultipleReasons"}}}, {}}},
      {"cincinnati-conditional-updates-available-but-have-no-recognized-rules-promql-match",
       {{{"4.1.1", {"False", "MultipleReasons"}}}, {proxy}}},
  };
  return known;
}

/// Returns whether the expected result of a case here is known by its name.
bool is_known(const std::string& name) {
  return deviations().contains(name) || name == throttled_alone;
}

/// Returns the conditional updates of a version. The operator will have them from its own reading of the
/// answer.
std::vector<ConditionalUpdate> conditional_updates(const graph::UpdateGraph& graph, const std::string& from) {
  std::vector<ConditionalUpdate> updates;
  for (const auto& [edges, risks] : graph.conditional_edges) {
    for (const auto& [source, target] : edges) {
      if (graph.nodes[source].version == from)
        updates.push_back({testing::version(graph.nodes[target].version), risks});
    }
  }
  std::ranges::sort(updates, [](const auto& a, const auto& b) { return a.target > b.target; });
  return updates;
}

/// Returns Prometheus's answer to a query, as the case defines it.
http::Response promql_answer(const json::Value& answers, const std::string& query) {
  const json::Value* answer = json::find(answers, query);
  if (answer == nullptr) return http::Response::text(503, "Service Unavailable");
  if (answer->is_object()) {
    const json::Value* status = json::find(*answer, "httpStatus");
    const json::Value* body = json::find(*answer, "body");
    return http::Response::json(status == nullptr ? 200 : static_cast<int>(status->as_int64()),
                                body == nullptr ? text(*answer, "text") : json::to_text(*body));
  }
  const json::Array values = answer->is_array() ? answer->as_array() : json::Array{*answer};
  json::Array samples;
  for (const json::Value& value : values) {
    samples.push_back(json::Object{{"metric", json::Object{{"n", std::to_string(samples.size())}}},
                                   {"value", json::Array{1'600'000'000, json::to_text(value)}}});
  }
  return http::Response::json(
      200, json::to_text(json::Object{
               {"status", "success"},
               {"data", json::Object{{"resultType", "vector"}, {"result", std::move(samples)}}}}));
}

/// Replaces the anchor's message for a risk that was not evaluated by the spec's words. Errors of Go's JSON
/// decoder stand for any error.
std::string in_words_of_the_spec(std::string message) {
  const std::string begins = "Could not evaluate exposure to update risk ";
  for (auto at = message.find(begins); at != std::string::npos; at = message.find(begins)) {
    const auto name_end = message.find(" (", at), error_end = message.find(")\n  ", name_end);
    const std::string name = message.substr(at + begins.size(), name_end - at - begins.size());
    const std::string error = message.substr(name_end + 2, error_end - name_end - 2);
    const std::string url_key = "\n  " + name + " URL: ";
    const auto url = message.find(url_key, error_end) + url_key.size();
    const auto end = std::min(message.find("\n\n", url), message.size());
    message.replace(at, end - at,
                    "Unable to evaluate PromQL to determine if the cluster is impacted by " + name + " (" +
                        error + "). " + message.substr(url, end - url));
  }
  return message;
}

std::vector<std::string> once_each(const json::Array& queries) {
  std::vector<std::string> result;
  for (const json::Value& query : queries) {
    const std::string name(query.as_string());
    if (std::ranges::find(result, name) == result.end()) result.push_back(name);
  }
  return result;
}

class AvailableUpdates : public ::testing::Test {
 protected:
  AvailableUpdates() {
    PrometheusOptions options;
    options.url = service_.url("");
    options.proxy_environment = false;
    remote_ = make_remote(PrometheusApi::create(options).value());
  }

  /// Answers with the replies of a round of a case; `asked_` records the queries.
  void let_answer(const json::Value* answers) {
    asked_.clear();
    service_.answer([this, answers](const http::Request& request) {
      const auto parameters = http::parse_query(request.query);
      asked_.push_back(parameters.at(0).second);
      return promql_answer(answers != nullptr ? *answers : json::Value(json::Object{}), asked_.back());
    });
  }

  /// Returns whether the case is about risks.
  bool check(const std::string& name, const json::Value& one);
  void check_round(const json::Value& expected, const std::vector<ConditionalUpdate>& updates,
                   const std::vector<UpdateVerdict>& verdicts);

  FakeService service_{[](const http::Request&) { return http::Response::text(500, ""); }};
  std::unique_ptr<Evaluator> remote_;
  std::vector<std::string> asked_;
};

void AvailableUpdates::check_round(const json::Value& expected, const std::vector<ConditionalUpdate>& updates,
                                   const std::vector<UpdateVerdict>& verdicts) {
  const json::Array wanted = list(expected, "conditionalUpdates");
  ASSERT_EQ(wanted.size(), updates.size());
  std::set<std::string> available;
  for (const json::Value& update : list(expected, "availableUpdates"))
    available.insert(text(update, "version"));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string target = updates[i].target.to_string();
    EXPECT_EQ(text(*json::find(wanted[i], "release"), "version"), target);
    const json::Value condition = list(wanted[i], "conditions").at(0);
    const UpdateCondition& recommended = verdicts[i].recommended;
    EXPECT_EQ(to_string(recommended.status), text(condition, "status"));
    const std::string reason = text(condition, "reason");
    EXPECT_EQ(recommended.reason, reason == "EvaluationFailed" ? "PromQLError" : reason);
    std::string message = in_words_of_the_spec(text(condition, "message"));
    // Of Go's JSON decoder: the errors of ours are its own.
    const bool go_errors = message.contains("error found in #");
    if (go_errors) message = message.substr(0, message.find(" ("));
    EXPECT_EQ(go_errors ? recommended.message.substr(0, message.size()) : recommended.message, message);
    EXPECT_EQ(available.contains(target), recommended.status == Status::is_true);
    EXPECT_EQ(verdicts[i].evaluating.status, Status::is_true);
  }
  EXPECT_EQ(asked_, once_each(list(expected, "promqlEvaluated")));
}

bool AvailableUpdates::check(const std::string& name, const json::Value& one) {
  const json::Value& input = *json::find(one, "input");
  const json::Array rounds_in = list(input, "rounds"), expected = list(one, "expectedRounds");
  const json::Value* throttled = json::find(input, "throttledCache");
  const bool keep_results = throttled != nullptr && *throttled == true;
  const Registry registry = standard_registry();
  FakeClock clock;
  const PollingRules rules =
      keep_results ? PollingRules{} : PollingRules{.between_any = {}, .between_same = {}};
  Rounds rounds(registry, *remote_, rules, clock);
  std::vector<ConditionalUpdate> updates;
  bool about_risks = false;
  for (std::size_t i = 0; i < rounds_in.size(); ++i) {
    const json::Value* answer = json::find(rounds_in[i], "cincinnati");
    const json::Value* body = answer == nullptr ? nullptr : json::find(*answer, "body");
    const json::Value* force = json::find(rounds_in[i], "forceRefetch");
    const bool fetched =
        i == 0 || (force != nullptr && *force == true) || json::find(rounds_in[i], "spec") != nullptr;
    // What becomes of the lists when nothing usable comes is not about risks.
    const bool usable = body != nullptr && body->is_object() && json::find(*body, "nodes") != nullptr;
    // What is wrong with an answer is the reader's.
    const json::Value* retrieved = json::find(expected[i], "retrievedUpdates");
    if (fetched && retrieved != nullptr && text(*retrieved, "status") != "True") return about_risks;
    if (fetched && !usable) return about_risks;
    if (fetched) {
      const auto read =
          graph::read_cincinnati_json(json::to_text(*body), "case", graph::RisksWithoutRules::keep);
      if (!read) return about_risks;
      updates = conditional_updates(read->graph, text(*json::find(input, "current"), "version"));
    }
    if (updates.empty()) continue;
    about_risks = true;
    SCOPED_TRACE("round " + std::to_string(i));
    let_answer(json::find(rounds_in[i], "promql"));
    const auto verdicts = rounds.run(updates);
    if (!verdicts) throw std::runtime_error(verdicts.error().message);
    if (const auto deviation = deviations().find(name); deviation != deviations().end()) {
      std::map<std::string, std::pair<std::string, std::string>> conditions;
      for (std::size_t u = 0; u < updates.size(); ++u) {
        const UpdateCondition& recommended = verdicts->at(u).recommended;
        conditions[updates[u].target.to_string()] = {std::string(to_string(recommended.status)),
                                                     recommended.reason};
      }
      EXPECT_EQ(conditions, deviation->second.conditions);
      EXPECT_EQ(asked_, deviation->second.evaluated);
      continue;
    }
    json::Value wanted = expected[i];
    // Where the anchor has been fixed: the same query at most once an hour.
    if (name == throttled_alone && i > 0) wanted.as_object()["promqlEvaluated"] = json::Array{};
    // "Nothing was asked" of a round without a fetch is the anchor's: it evaluates when it fetches.
    if (name == "rounds-no-refetch-while-recent" && i > 0) continue;
    check_round(wanted, updates, *verdicts);
    clock.advance(std::chrono::milliseconds(1'100));
  }
  return about_risks;
}

TEST_F(AvailableUpdates, ComeOutAsTheCasesSay) {
  FAIRWAY_NEEDS_SHARED(cases_folder());
  int all = 0, risks = 0, left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder())) {
    const std::string name = entry.path().stem();
    SCOPED_TRACE(name);
    ++all;
    if (left_to_others().contains(name)) {
      ++left;
      continue;
    }
    const json::Value one = json::parse(read_file(entry.path()).value()).value();
    if (const std::string why = left_to_operator(one); !why.empty() && !is_known(name)) {
      std::printf("%s is left to the operator: %s\n", name.c_str(), why.c_str());
      ++left;
      continue;
    }
    const bool about_risks = check(name, one);
    if (about_risks) ++risks;
    for (const json::Value& round : list(one, "expectedRounds")) {
      EXPECT_TRUE(about_risks ||
                  (list(round, "conditionalUpdates").empty() && list(round, "promqlEvaluated").empty()));
    }
  }
  std::printf("%d cases: %d about risks hold, %d are left to other parts, %d are not about risks\n", all,
              risks, left, all - risks - left);
  EXPECT_GT(risks, 0);
  // Of another folder nobody knows how many there are.
  if (!fairway::testing::is_default_shared()) return;
  EXPECT_GE(risks, 55);
}

}  // namespace
}  // namespace fairway::risk
