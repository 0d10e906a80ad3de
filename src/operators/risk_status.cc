// SPDX-License-Identifier: Apache-2.0

#include "operators/risk_status.h"

#include <unordered_map>
#include <utility>

#include "base/go_text.h"
#include "base/json.h"
#include "risk/condition.h"

namespace fairway::operators {
namespace {

bool is_evaluated(const RiskStatus& status) {
  return status.available != nullptr && status.available->updates.size() == status.verdicts.size();
}

json::Object json_of(const risk::UpdateCondition& condition) {
  return {
      {"status", to_string(condition.status)}, {"reason", condition.reason}, {"message", condition.message}};
}

json::Object json_of(const KnownRisk& known) {
  const risk::RiskVerdict& verdict = *known.verdict;
  json::Object one{{"name", known.risk->name},
                   {"url", known.risk->url},
                   {"message", known.risk->message},
                   {"verdict", known.word()}};
  // JSON has no infinity, and not every reader takes 1 for 1.0.
  if (verdict.value) one["value"] = go_plain_number(*verdict.value);
  if (!verdict.error.empty()) one["error"] = verdict.error;
  if (!verdict.warnings.empty())
    one["warnings"] = json::Array(verdict.warnings.begin(), verdict.warnings.end());
  if (!verdict.evaluator.empty()) one["evaluator"] = verdict.evaluator;
  if (verdict.last) one["last"] = format_time(*verdict.last);
  if (verdict.next) one["next"] = format_time(*verdict.next);
  if (verdict.place) one["place"] = static_cast<std::int64_t>(*verdict.place);
  json::Array& versions = one["versions"].emplace_array();
  for (const std::string* version : known.versions) versions.emplace_back(*version);
  return one;
}

}  // namespace

std::string_view KnownRisk::word() const {
  const bool waits = verdict->outcome == risk::Outcome::failed && verdict->place && !verdict->last;
  return waits ? "waiting" : to_string(verdict->outcome);
}

std::vector<KnownRisk> known_risks(const RiskStatus& status) {
  std::vector<KnownRisk> known;
  if (!is_evaluated(status)) return known;
  std::unordered_map<std::string, std::size_t> places;
  std::string key;
  for (std::size_t u = 0; u < status.verdicts.size(); ++u) {
    const std::vector<graph::Risk>& risks = status.available->updates[u].risks;
    for (std::size_t r = 0; r < risks.size(); ++r) {
      key = risks[r].name;
      key += '\0';
      for (const json::Value& rule : risks[r].matching_rules) risk::append_canonical(key, rule);
      const auto [place, is_new] = places.emplace(key, known.size());
      if (is_new) known.push_back({&risks[r], &status.verdicts[u].risks[r], {}});
      known[place->second].versions.push_back(&status.available->targets[u].version);
    }
  }
  return known;
}

std::string to_json_text(const RiskStatus& status) {
  json::Object document{{"time", format_time(status.at)}};
  json::Array updates, risks;
  if (is_evaluated(status)) {
    document["version"] = status.available->current.version;
    for (std::size_t u = 0; u < status.verdicts.size(); ++u) {
      const risk::UpdateVerdict& verdict = status.verdicts[u];
      updates.push_back(json::Object{{"version", status.available->targets[u].version},
                                     {"image", status.available->targets[u].image},
                                     {"recommended", json_of(verdict.recommended)},
                                     {"evaluating", json_of(verdict.evaluating)}});
    }
    for (const KnownRisk& known : known_risks(status)) risks.push_back(json_of(known));
    if (!status.available->problems.empty())
      document["leftOut"] = json::Array(status.available->problems.begin(), status.available->problems.end());
  }
  document["updates"] = std::move(updates);
  document["risks"] = std::move(risks);
  return json::to_text(document) + "\n";
}

std::string risks_part_text(const RiskStatus& status) {
  std::string risks;
  std::size_t left_out = 0;
  for (const KnownRisk& known : known_risks(status)) {
    json::Object one = json_of(known);
    one["matchingRules"] = known.risk->matching_rules;
    if (!known.verdict->rule_type.empty()) one["decidedBy"] = known.verdict->rule_type;
    if (!known.verdict->series.empty()) one["series"] = known.verdict->series;
    std::string text = json::to_text(one);
    if (risks.size() + text.size() > max_risks_part_bytes) {
      ++left_out;
      continue;
    }
    if (!risks.empty()) risks += ',';
    risks += text;
  }
  json::Object document{{"time", format_time(status.at)}, {"leftOut", left_out}};
  if (is_evaluated(status)) document["version"] = status.available->current.version;
  std::string text = json::to_text(document);
  text.pop_back();
  return text + ",\"risks\":[" + risks + "]}";
}

void RiskStatusPage::set(std::string text) {
  http::Bytes bytes = http::make_bytes(std::move(text));
  const std::lock_guard lock(mutex_);
  text_ = std::move(bytes);
}

http::Response RiskStatusPage::answer() const {
  http::Response response;
  response.headers = {{"Content-Type", "application/json"}};
  const std::lock_guard lock(mutex_);
  response.body = text_;
  return response;
}

}  // namespace fairway::operators
