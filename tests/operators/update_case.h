// SPDX-License-Identifier: Apache-2.0

// Recorded cases of available updates: what an update service and a Prometheus say, and the status that comes
// of it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "http/message.h"
#include "http/url.h"
#include "support/shared_data.h"

namespace fairway::operators::testing {

inline const json::Value& null_value() {
  static const json::Value null;
  return null;
}

/// Returns a member, or null.
inline const json::Value& member(const json::Value& value, std::string_view key) {
  const json::Value* found = json::find(value, key);
  return found == nullptr ? null_value() : *found;
}

inline std::string text(const json::Value& value, std::string_view key) {
  return std::string(json::find_string(value, key).value_or(""));
}

struct UpdateCase {
  std::string name;
  json::Value document;
  const json::Array& rounds() const { return member(member(document, "input"), "rounds").as_array(); }
  const json::Value& expected(std::size_t round) const {
    return member(document, "expectedRounds").as_array().at(round);
  }
  const json::Value& input(std::string_view key) const { return member(member(document, "input"), key); }
  bool flag(std::string_view key) const { return input(key).is_bool() && input(key).as_bool(); }
};

inline std::filesystem::path cases_folder() {
  return fairway::testing::shared_path("data/operator/available-updates/cases");
}

/// Returns all cases of the folder, by name.
inline std::vector<UpdateCase> read_update_cases() {
  std::vector<UpdateCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder())) {
    if (entry.path().extension() != ".json") continue;
    const auto content = read_file(entry.path().string());
    if (!content) throw std::runtime_error(content.error().message);
    auto document = json::parse(*content);
    if (!document) throw std::runtime_error(entry.path().string() + ": " + document.error().message);
    cases.push_back({entry.path().stem().string(), *std::move(document)});
  }
  std::ranges::sort(cases, {}, &UpdateCase::name);
  return cases;
}

/// Returns the answer of the update service in a round.
inline http::Response service_answer(const json::Value& service) {
  const json::Value& status = member(service, "status");
  http::Response response = http::Response::json(
      status.is_int64() ? static_cast<int>(status.as_int64()) : 200,
      member(service, "text").is_string() ? text(service, "text") : json::to_text(member(service, "body")));
  return response;
}

/// Returns the answer of the Prometheus to a query in a round.
inline http::Response prometheus_answer(const json::Value& answers, const std::string& query) {
  const json::Value* answer = json::find(answers, query);
  if (answer == nullptr) return http::Response::text(503, "Service Unavailable");
  if (answer->is_object()) {
    const json::Value& status = member(*answer, "httpStatus");
    const int code = status.is_int64() ? static_cast<int>(status.as_int64()) : 200;
    if (member(*answer, "text").is_string()) return http::Response::text(code, text(*answer, "text"));
    return http::Response::json(code, json::to_text(member(*answer, "body")));
  }
  json::Array samples = answer->is_array() ? answer->as_array() : json::Array{*answer};
  json::Array result;
  for (const json::Value& sample : samples) {
    const json::Value series(std::to_string(result.size()));
    result.push_back(json::Object{{"metric", json::Object{{"series", series}}},
                                  {"value", json::Array{1'600'000'000, json::to_text(sample)}}});
  }
  return http::Response::json(
      200, json::to_text(json::Object{
               {"status", "success"},
               {"data", json::Object{{"resultType", "vector"}, {"result", std::move(result)}}}}));
}

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// Returns a message on risks that were not evaluated, in the words of the enhancement. The recorded one is:
/// "Could not evaluate exposure to update risk R (ERROR)\n  R description: M\n  R URL: U".
inline std::string in_words_of_enhancement(const std::string& message) {
  constexpr std::string_view begin = "Could not evaluate exposure to update risk ";
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t found = message.find(begin, at);
    if (found == std::string::npos) return result + message.substr(at);
    const std::size_t name = found + begin.size(), open = message.find(" (", name);
    const std::string risk = message.substr(name, open - name);
    const std::size_t described = message.find(")\n  " + risk + " description: ", open);
    const std::string url_begin = "\n  " + risk + " URL: ";
    const std::size_t url = message.find(url_begin, described);
    if (described == std::string::npos || url == std::string::npos) return result + message.substr(at);
    result += message.substr(at, found - at) +
              "Unable to evaluate PromQL to determine if the cluster is impacted by " + risk +
              message.substr(open, described + 1 - open) + ". ";
    at = url + url_begin.size();
  }
}

/// Makes recorded updates comparable: in the enhancement's words, and without names of the recorded program.
/// `updates` are updates with risks, or risks.
inline json::Value expected_updates(json::Value updates) {
  if (!updates.is_array()) return updates;
  for (json::Value& update : updates.as_array()) {
    if (json::Value* risks = update.as_object().if_contains("risks")) *risks = expected_updates(*risks);
    json::Value* conditions = update.as_object().if_contains("conditions");
    if (conditions == nullptr) continue;
    for (json::Value& condition : conditions->as_array()) {
      json::Object& one = condition.as_object();
      const std::string message = in_words_of_enhancement(text(condition, "message"));
      if (one["type"] == "Recommended" && one["status"] == "Unknown" && one["reason"] == "EvaluationFailed")
        one["reason"] = "PromQLError";
      one["message"] = message;
    }
  }
  return updates;
}

/// Returns the written updates without the times that the recorded ones lack and the condition `Evaluating`,
/// which no recorded one has.
inline json::Value comparable_updates(json::Value updates, const json::Value& expected) {
  if (!updates.is_array()) return updates;
  const bool with_times = json::to_text(expected).contains("lastTransitionTime");
  for (json::Value& update : updates.as_array()) {
    const auto strip = [&](json::Object& owner) {
      json::Value* list = owner.if_contains("conditions");
      if (list == nullptr) return;
      json::Array kept;
      for (json::Value& condition : list->as_array()) {
        if (text(condition, "type") == "Evaluating") continue;
        if (!with_times) condition.as_object().erase("lastTransitionTime");
        kept.push_back(condition);
      }
      *list = std::move(kept);
    };
    strip(update.as_object());
    if (json::Value* risks = update.as_object().if_contains("risks")) {
      for (json::Value& risk : risks->as_array()) strip(risk.as_object());
    }
  }
  return updates;
}

/// Returns whether a message was recorded with an error of Go's JSON decoder, which is its own.
inline bool has_decoder_error(std::string_view message) {
  return message.contains("error found in #");
}

/// Returns a message on risks that were not evaluated, without the errors.
inline std::string without_errors(std::string message) {
  constexpr std::string_view begin = "to determine if the cluster is impacted by ";
  for (std::size_t at = 0; (at = message.find(begin, at)) != std::string::npos;) {
    at = message.find(" (", at);
    if (at == std::string::npos) break;
    const std::size_t end = message.find("). ", at);
    if (end == std::string::npos) break;
    message.erase(at, end - at + 1);
  }
  return message;
}

/// Removes the errors from both if those of the decoder were recorded.
inline void ignore_decoder_errors(json::Value& wanted, json::Value& written) {
  if (!wanted.is_array() || !written.is_array() || wanted.as_array().size() != written.as_array().size())
    return;
  for (std::size_t i = 0; i < wanted.as_array().size(); ++i) {
    json::Value &one = wanted.as_array()[i], &other = written.as_array()[i];
    if (!one.is_object() || !other.is_object()) return;
    for (const char* list : {"risks", "conditions"}) {
      json::Value *ours = one.as_object().if_contains(list), *theirs = other.as_object().if_contains(list);
      if (ours != nullptr && theirs != nullptr) ignore_decoder_errors(*ours, *theirs);
    }
    if (!has_decoder_error(text(one, "message"))) continue;
    one.as_object()["message"] = without_errors(text(one, "message"));
    other.as_object()["message"] = without_errors(text(other, "message"));
  }
}

/// Result of a round.
struct RoundResult {
  /// The query of the request, decoded; std::nullopt: there was none.
  std::optional<std::vector<std::pair<std::string, std::string>>> request;
  std::string accept;
  std::vector<std::string> evaluated;
  /// Status of ClusterVersion.
  json::Value status;
};

inline json::Value condition_of(const json::Value& status, std::string_view type) {
  const json::Value& conditions = member(status, "conditions");
  if (!conditions.is_array()) return nullptr;
  for (json::Value condition : conditions.as_array()) {
    if (text(condition, "type") != type) continue;
    condition.as_object().erase("lastTransitionTime");
    return condition;
  }
  return nullptr;
}

/// Returns the differences from the expectation, a line each. `different` has the members of the expectation
/// that are deliberately different here.
inline std::vector<std::string> compare(const UpdateCase& one, std::size_t round, const RoundResult& result,
                                        const json::Value& different = null_value()) {
  std::vector<std::string> faults;
  const json::Value& recorded = one.expected(round);
  const auto expected = [&](std::string_view key) -> const json::Value& {
    const json::Value* other = json::find(different, key);
    return other != nullptr ? *other : member(recorded, key);
  };
  const auto check = [&](std::string_view what, const json::Value& wanted, const json::Value& got) {
    if (wanted != got) {
      faults.push_back(std::string(what) + ": " + json::to_text(got) + ", expected " + json::to_text(wanted));
    }
  };
  json::Value request;
  if (result.request) {
    json::Object query;
    for (const auto& [name, value] : *result.request) {
      if (!query.contains(name)) query[name].emplace_array();
      query[name].as_array().emplace_back(value);
    }
    request = std::move(query);
    check("Accept", expected("requestAccept"), json::Value(result.accept));
  }
  check("request", expected("requestQuery"), request);

  // A query is evaluated once a round, whoever asks for it.
  const auto once = [](const json::Value& queries) {
    json::Array result;
    if (!queries.is_array()) return result;
    for (const json::Value& query : queries.as_array()) {
      if (std::ranges::find(result, query) == result.end()) result.push_back(query);
    }
    return result;
  };
  json::Array evaluated;
  for (const std::string& query : result.evaluated) evaluated.emplace_back(query);
  check("evaluated queries", json::Value(once(expected("promqlEvaluated"))), json::Value(evaluated));

  json::Value wanted = expected("retrievedUpdates"), got = condition_of(result.status, "RetrievedUpdates");
  const std::string reason = text(wanted, "reason");
  // Texts of the network and of decoders are each program's own.
  if (reason == "RemoteFailed" || reason == "ResponseInvalid") {
    constexpr std::string_view begin = "Unable to retrieve available updates: ";
    if (text(wanted, "message").starts_with(begin) && text(got, "message").starts_with(begin)) {
      wanted.as_object()["message"] = begin;
      got.as_object()["message"] = begin;
    }
  }
  // The phrase is that of the stub's server: some have been renamed since those of Go.
  constexpr std::string_view status = "Unable to retrieve available updates: unexpected HTTP status: ";
  if (const std::string message = text(wanted, "message"); message.starts_with(status)) {
    const int code = static_cast<int>(std::strtol(message.c_str() + status.size(), nullptr, 10));
    wanted.as_object()["message"] =
        std::string(status) + std::to_string(code) + " " + std::string(http::reason_phrase(code));
  }
  check("RetrievedUpdates", wanted, got);
  check("desired", expected("statusDesired"), member(result.status, "desired"));
  check("availableUpdates", expected("availableUpdates"), member(result.status, "availableUpdates"));
  for (const char* list : {"conditionalUpdates", "conditionalUpdateRisks"}) {
    json::Value updates = expected_updates(expected(list));
    json::Value written = comparable_updates(member(result.status, list), updates);
    ignore_decoder_errors(updates, written);
    check(list, updates, written);
  }
  return faults;
}

/// Returns the cases that differ on purpose: for each the reason, and by round the expectation that replaces
/// the recorded one.
inline json::Value deliberate_differences() {
  const auto content = read_file(FAIRWAY_SOURCE_DIR "/tests/operators/data/deliberate_differences.json");
  if (!content) throw std::runtime_error(content.error().message);
  auto document = json::parse(*content);
  if (!document) throw std::runtime_error(document.error().message);
  return *std::move(document);
}

}  // namespace fairway::operators::testing
