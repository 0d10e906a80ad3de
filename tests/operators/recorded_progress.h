// SPDX-License-Identifier: Apache-2.0

// A recorded case of apply-status: the releases that it needs, and what it expects of the program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "operators/fake_releases.h"
#include "operators/obstacle.h"
#include "support/accepted_risks.h"

namespace fairway::operators::testing {

/// Progress of a release when a step is reached, and the obstacles that it then waits for.
struct Stage {
  std::size_t step = 0, last_step = 0;  ///< the first and the last step in this stage
  std::size_t done = 0, total = 0;
  std::vector<Obstacle> obstacles;
};

/// Inputs of the program for a case.
struct ProgressPlan {
  std::map<std::string, std::vector<Stage>> stages;  ///< stages by version
  std::set<std::string> verified;                    ///< versions
  std::string impossible;                            ///< reason why the program is never in such a state
};

inline json::Array items(const json::Value& value, std::string_view key) {
  const json::Value& list = member(value, key);
  return list.is_array() ? list.as_array() : json::Array();
}
inline std::size_t number(const json::Value& value, std::string_view key) {
  const json::Value& found = member(value, key);
  return found.is_int64() ? static_cast<std::size_t>(found.as_int64()) : 0;
}
inline std::string version_of(const json::Value& step) {
  return text(member(step, "actual"), "version");
}

/// Returns the files of a release that is held up at each of its stages: manifests beside each other before
/// the first stage, then one after the other.
inline Files files_of(const std::string& version, const std::vector<Stage>& stages) {
  constexpr std::size_t beside = 8;
  std::vector<std::string> parts(beside);
  Files files;
  std::string chain;
  std::size_t made = 0, total = 1;
  const auto filler = [&] { return "---\n" + map_yaml("part-" + std::to_string(made++), version); };
  for (const Stage& stage : stages) {
    total = std::max(total, stage.total);
    for (bool first = stage.step == stages.front().step; made < stage.done;)
      (first ? parts[made % beside] : chain) += filler();
    for (const Obstacle& one : stage.obstacles) {
      const std::string document = "---\n" + one.yaml(version);
      ++made;
      if (&one == &stage.obstacles.front()) {
        chain += document;
      } else {
        files.emplace_back("0000_10_beside" + std::to_string(made) + "_1.yaml", document);
      }
    }
  }
  while (made < total) chain += filler();
  for (std::size_t i = 0; i < beside; ++i) {
    if (!parts[i].empty()) files.emplace_back("0000_10_part" + std::to_string(i) + "_1.yaml", parts[i]);
  }
  files.emplace_back("0000_10_chain_1.yaml", chain);
  return files;
}

/// Returns whether the stages of one release can follow each other.
inline bool follow_each_other(const std::vector<Stage>& stages) {
  std::size_t made = 0;
  for (const Stage& stage : stages) {
    const bool openable =
        &stage == &stages.back() || std::ranges::none_of(stage.obstacles, [](const Obstacle& one) {
          return one.kind == Obstacle::Kind::unserved;
        });
    if (stage.done < made || !openable) return false;
    made = stage.done + stage.obstacles.size();
    if (stage.total != 0 && (made > stage.total || stage.total != stages.back().total)) return false;
  }
  return true;
}

/// Adds the next stage of a release, which may be that of the step before.
inline void add_stage(std::vector<Stage>& stages, Stage stage) {
  if (!stages.empty() && stages.back().last_step + 1 == stage.step && stages.back().done == stage.done &&
      stages.back().total == stage.total && is_same(stages.back().obstacles, stage.obstacles)) {
    stages.back().last_step = stage.step;
  } else {
    // An object is in a release once.
    for (Obstacle& one : stage.obstacles) {
      if (one.kind == Obstacle::Kind::held) one.number = stages.size();
    }
    stages.push_back(std::move(stage));
  }
}

inline ProgressPlan plan_of(const json::Value& one) {
  ProgressPlan plan;
  std::size_t index = 0;
  for (const json::Value& step : items(one, "steps")) {
    const std::string version = version_of(step);
    std::vector<Stage>& stages = plan.stages[version];
    if (member(step, "verified") == true) plan.verified.insert(version);
    const json::Value& failure = member(step, "failure");
    const bool reconciling = member(step, "reconciling") == true;
    if (!reconciling || failure.is_object()) {
      const auto obstacles = obstacles_of(failure, reconciling);
      if (!obstacles) {
        plan.impossible = "it tells no such failure: " + json::to_text(failure);
        return plan;
      }
      add_stage(stages, {.step = index,
                         .last_step = index,
                         .done = number(step, "done"),
                         .total = number(step, "total"),
                         .obstacles = *obstacles});
      if (!follow_each_other(stages)) {
        plan.impossible = "its steps are not of one release";
        return plan;
      }
    }
    ++index;
  }
  return plan;
}

/// Returns whether the program has its own words for a failure, for which the recorded ones are only an
/// example.
inline bool has_own_words(const json::Value& failure) {
  const std::string reason = text(failure, "reason");
  return reason.starts_with("UpdatePayload") || reason.starts_with("Workload") ||
         (reason.starts_with("ClusterOperators") && !member(failure, "names").is_array());
}

/// Returns a text up to the words that are each program's own.
inline std::string without_own_words(std::string message) {
  for (const char* end : {" failure=", "\": "}) {
    if (const auto at = message.find(end); at != std::string::npos) message.erase(at + 1);
  }
  return message;
}

/// An expected step, with the images of `releases`, or a written status, in a comparable form.
class Comparable {
 public:
  Comparable(const json::Value& step, const FakeReleases& releases) : step_(step), releases_(releases) {}

  json::Value expected(const json::Value& recorded) const {
    json::Array history;
    for (json::Value entry : items(recorded, "history")) {
      json::Object& fields = entry.as_object();
      fields["image"] = releases_.image(text(entry, "version"));
      if (const std::string accepted = text(entry, "acceptedRisks"); !accepted.empty())
        fields["acceptedRisks"] = accepted_text(accepted);
      history.push_back(std::move(entry));
    }
    return compared(recorded, std::move(history));
  }

  json::Value written(const json::Value& status) const {
    json::Array history;
    for (const json::Value& entry : items(status, "history")) {
      json::Object one;
      for (const auto& [name, value] : entry.as_object()) {
        const bool is_time = name == "startedTime" || name == "completionTime";
        one[name] = is_time && !value.is_null() ? json::Value("set") : value;
        if (name != "acceptedRisks") continue;
        const std::string said = fairway::testing::without_unsigned(std::string(value.as_string()));
        if (said.empty()) {
          one.erase(name);
        } else {
          one[name] = said;
        }
      }
      history.emplace_back(std::move(one));
    }
    return compared(status, std::move(history));
  }

 private:
  /// Returns the accepted risks with the risk of the update service, which has a URL.
  static std::string accepted_text(const std::string& recorded) {
    const auto between = [&](const std::string& begin, const std::string& end) {
      const auto from = recorded.find(begin);
      if (from == std::string::npos) return std::string();
      const auto at = from + begin.size();
      return recorded.substr(at, recorded.find(end, at) - at);
    };
    return fairway::testing::accepted_in_words_of_enhancement(recorded, between("Update from ", " to "),
                                                              between(" to ", " is "),
                                                              between("because of \"", "\"")) +
           " https://example.com/A";
  }

  json::Value compared(const json::Value& status, json::Array history) const {
    const json::Value& desired = member(status, "desired");
    json::Object conditions;
    for (const json::Value& condition : items(status, "conditions")) {
      const std::string type = text(condition, "type");
      if (!is_told(type)) continue;
      std::string message = text(condition, "message");
      if (type == "Failing" && has_own_words(member(step_, "failure"))) message.clear();
      if (type == "Progressing") message = with_own_name(std::move(message));
      // How many there are, and of what.
      if (type == "Invalid") message = std::to_string(split(message, '\n').size()) + " lines";
      if (type == "ReleaseAccepted") message = accepting(std::move(message));
      conditions[type] = text(condition, "status") + " " + text(condition, "reason") + ": " + message;
    }
    return json::Object{{"desired", text(desired, "version")},
                        {"history", std::move(history)},
                        {"conditions", std::move(conditions)}};
  }

  /// Returns whether a step is about this condition; the others are tested by other cases.
  bool is_told(const std::string& type) const {
    if (type == "ReleaseAccepted") return member(step_, "payloadLoad").is_object();
    static const std::set<std::string> told{"Available", "Failing", "ImplicitlyEnabledCapabilities",
                                            "Invalid", "Progressing"};
    return told.contains(type);
  }

  std::string with_own_name(std::string message) const {
    const json::Value& failure = member(step_, "failure");
    const auto obstacles = obstacles_of(failure, member(step_, "reconciling") == true);
    if (!failure.is_object() || !obstacles || !obstacles->front().is_workload()) return message;
    return replaced(std::move(message), "workload " + obstacles->front().name + " ",
                    "workload " + obstacles->front().told() + " ");
  }

  /// Returns the message of ReleaseAccepted for comparison, with versions and images; a recorded "Payload
  /// loaded" alone is about no release.
  std::string accepting(std::string message) const {
    if (!text(member(step_, "payloadLoad"), "message").contains("version=")) return "";
    message = without_own_words(std::move(message));
    const std::string begin = "image=\"";
    const auto at = message.find(begin);
    if (at == std::string::npos) return message;
    const auto from = at + begin.size();
    return message.replace(from, message.find('"', from) - from, "IMAGE");
  }

  const json::Value& step_;
  const FakeReleases& releases_;
};

}  // namespace fairway::operators::testing
