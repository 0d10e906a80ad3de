// SPDX-License-Identifier: Apache-2.0

// Rules for every answer of an update service, whatever was recorded of it: an update with risks is available
// only where each of them was evaluated and does not match, or is accepted.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "operators/update_case.h"

namespace fairway::operators::testing {

/// Returns the members of a list; empty if it is not a list.
inline json::Array entries(const json::Value& value, std::string_view key) {
  const json::Value& list = member(value, key);
  return list.is_array() ? list.as_array() : json::Array();
}

/// Returns whether the Prometheus of a case has said 0 to a query until a round, which may be remembered.
inline bool has_said_no(const UpdateCase& one, std::size_t round, const std::string& query) {
  for (std::size_t i = 0; i <= round; ++i) {
    const json::Value* answer = json::find(member(one.rounds()[i], "promql"), query);
    if (answer == nullptr) continue;
    const json::Value& sample =
        answer->is_array() && answer->as_array().size() == 1 ? answer->as_array()[0] : *answer;
    if (sample.is_number() && sample.to_number<double>() == 0) return true;
    // Answers that are written out say what they say.
    if (answer->is_object()) return true;
  }
  return false;
}

/// Returns whether a risk may leave its update available.
inline bool may_pass(const UpdateCase& one, std::size_t round, const json::Value& risk) {
  if (one.flag("acceptRisksFeatureGate")) {
    for (std::size_t i = 0; i <= round; ++i) {
      const json::Value& spec = i > 0 ? member(one.rounds()[i], "spec") : one.input("spec");
      for (const json::Value& accepted : entries(member(spec, "desiredUpdate"), "acceptRisks"))
        if (text(accepted, "name") == text(risk, "name")) return true;
    }
  }
  for (const json::Value& rule : entries(risk, "matchingRules")) {
    for (const char* key : {"promql", "PromQL"})
      for (const char* query : {"promql", "PromQL"})
        if (has_said_no(one, round, text(member(rule, key), query))) return true;
  }
  return false;
}

/// Returns the updates that a status makes available although the service named risks of them that do not
/// allow it.
inline std::vector<std::string> widened(const UpdateCase& one, std::size_t round, const json::Value& status) {
  std::set<std::string> available;
  for (const json::Value& update : entries(status, "availableUpdates"))
    available.insert(text(update, "version"));
  // The last answer that there was.
  json::Value body;
  for (std::size_t i = 0; i <= round; ++i) {
    const json::Value& said = member(member(one.rounds()[i], "cincinnati"), "body");
    if (said.is_object() && json::find(said, "nodes") != nullptr) body = said;
  }
  const std::string current = text(one.input("current"), "version");
  std::vector<std::string> faults;
  for (const json::Value& entry : entries(body, "conditionalEdges")) {
    const json::Array risks = entries(entry, "risks");
    const bool passes = !risks.empty() && std::ranges::all_of(risks, [&](const json::Value& risk) {
      return may_pass(one, round, risk);
    });
    for (const json::Value& edge : entries(entry, "edges")) {
      if (text(edge, "from") == current.substr(0, current.find('+')) && !passes &&
          available.contains(text(edge, "to")))
        faults.push_back("round " + std::to_string(round + 1) + ": " + text(edge, "to") +
                         " is available, whatever its risks");
    }
  }
  return faults;
}

/// Returns whether an answer says that a release is an update of itself, which is left out here.
inline bool has_edge_to_itself(const json::Value& body) {
  return std::ranges::any_of(entries(body, "edges"), [](const json::Value& edge) {
    return edge.is_array() && edge.as_array().size() == 2 && edge.as_array()[0] == edge.as_array()[1];
  });
}

/// Returns whether a case that is not listed by name may have another result than the recorded one: where the
/// specification differs or does not say, and where a bad part of an answer invalidates all of it there and
/// only itself here (docs/compatibility.md). Then `widened` is what has to hold.
inline bool may_differ(const UpdateCase& one, std::size_t round, const json::Value& status) {
  const std::string conformance = text(member(one.document, "conformance"), "status");
  if (!conformance.empty() && conformance != "ok") return true;
  if (has_edge_to_itself(member(member(one.rounds()[round], "cincinnati"), "body"))) return true;
  return text(member(one.expected(round), "retrievedUpdates"), "reason") == "ResponseInvalid" &&
         text(condition_of(status, "fairway.dev/IncompleteUpdates"), "status") == "True";
}

}  // namespace fairway::operators::testing
