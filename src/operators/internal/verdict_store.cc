// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/verdict_store.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"

namespace fairway::operators {
namespace {

constexpr const char *verdict_file = "verdicts.json", *time_file = "verdicts-time";
constexpr std::chrono::hours longest_of_all{24};
/// A restart, and the evaluation of one question, take that long.
constexpr std::chrono::minutes slack{5};
constexpr std::size_t max_bytes = std::size_t{64} << 20;

/// An answer of the file.
struct Kept {
  risk::Answer answer;
  WallTime at;
};

std::optional<Kept> kept_of(const json::Value& entry) {
  const auto at = parse_time(json::find_string(entry, "at").value_or(""));
  const std::string_view outcome = json::find_string(entry, "outcome").value_or("");
  if (!at) return std::nullopt;
  Kept kept{.answer = {}, .at = *at};
  // An unknown word is no answer.
  bool known = false;
  for (const risk::Outcome one :
       {risk::Outcome::matches, risk::Outcome::does_not_match, risk::Outcome::failed}) {
    if (outcome != risk::to_string(one)) continue;
    kept.answer.outcome = one;
    known = true;
  }
  if (!known) return std::nullopt;
  if (const json::Value* value = json::find(entry, "value"); value != nullptr && value->is_number())
    kept.answer.value = value->to_number<double>();
  kept.answer.series = json::find_string(entry, "series").value_or("");
  kept.answer.error = json::find_string(entry, "error").value_or("");
  if (const json::Value* warnings = json::find(entry, "warnings");
      warnings != nullptr && warnings->is_array()) {
    for (const json::Value& warning : warnings->get_array())
      if (warning.is_string()) kept.answer.warnings.emplace_back(warning.get_string());
  }
  return kept;
}

json::Object entry_of(std::string key, std::size_t rule, const risk::Throttle::Cached& cached) {
  json::Object entry{{"risk", std::move(key)},
                     {"rule", rule},
                     {"outcome", risk::to_string(cached.answer.outcome)},
                     {"at", format_time(cached.at)}};
  // Only 0 and 1 decide, and JSON has no infinity.
  if (cached.answer.value && (*cached.answer.value == 0 || *cached.answer.value == 1))
    entry["value"] = *cached.answer.value;
  if (!cached.answer.series.empty()) entry["series"] = cached.answer.series;
  if (!cached.answer.error.empty()) entry["error"] = cached.answer.error;
  if (!cached.answer.warnings.empty())
    entry["warnings"] = json::Array(cached.answer.warnings.begin(), cached.answer.warnings.end());
  return entry;
}

}  // namespace

std::string VerdictStore::key_of(std::string_view cluster_id, const graph::Risk& risk) const {
  return sha256_hex(json::to_text(json::Array{cluster_id, asked_, risk.body()}));
}

std::chrono::nanoseconds VerdictStore::longest_age(const risk::PollingRules& rules, std::size_t questions) {
  const std::chrono::nanoseconds all = longest_of_all;
  // Divided, as a product may be too large.
  const bool takes_all = rules.between_any.count() > 0 &&
                         questions > static_cast<std::size_t>(all.count() / rules.between_any.count());
  const std::chrono::nanoseconds turn =
      takes_all
          ? all
          : rules.between_any *
                static_cast<std::chrono::nanoseconds::rep>(rules.between_any.count() > 0 ? questions : 0);
  return std::min(all, std::min(all, std::max(rules.between_same, turn)) + slack);
}

void VerdictStore::refresh(WallTime now) {
  if (folder_.empty() || is_off_) return;
  std::error_code ignored;
  const auto remove = [&] { std::filesystem::remove(folder_ / verdict_file, ignored); };
  if (!refreshed_) {
    const auto text = read_file(folder_ / time_file, 100);
    const auto before = parse_time(text ? *text : "");
    // Without a time nobody knows.
    if (!before || *before > now) remove();
  } else if (*refreshed_ > now) {
    log::info("the clock was set back: the verdicts on risks are not kept for a restart");
    is_off_ = true;
    remove();
    return;
  }
  refreshed_ = now;
  std::filesystem::create_directories(folder_, ignored);
  if (const auto written = write_file_atomically(folder_ / time_file, format_time(now)); !written)
    log::warning("the time of the verdicts on risks is not kept", {{"error", written.error().message}});
}

std::size_t VerdictStore::restore(std::string_view cluster_id,
                                  std::span<const risk::ConditionalUpdate> updates, WallTime now,
                                  risk::Rounds& rounds) {
  if (folder_.empty()) return 0;
  refresh(now);
  std::set<std::pair<std::string, std::size_t>> questions;
  for (const risk::ConditionalUpdate& update : updates)
    for (const graph::Risk& risk : update.risks)
      for (std::size_t i = 0; i < risk.matching_rules.size(); ++i)
        questions.emplace(key_of(cluster_id, risk), i);
  const std::chrono::nanoseconds longest = longest_age(rules_, questions.size());
  const auto text = read_file(folder_ / verdict_file, max_bytes);
  const auto list = text ? json::parse(*text) : Result<json::Value>(fail(text.error()));
  if (!list || !list->is_array()) return 0;
  std::map<std::pair<std::string, std::size_t>, Kept> kept;
  for (const json::Value& entry : list->get_array()) {
    auto one = kept_of(entry);
    const json::Value* rule = json::find(entry, "rule");
    if (!one || rule == nullptr || !rule->is_int64() || rule->get_int64() < 0) continue;
    if (one->at > now) return 0;
    if (one->at + longest <= now) continue;
    kept.emplace(std::pair(std::string(json::find_string(entry, "risk").value_or("")),
                           static_cast<std::size_t>(rule->get_int64())),
                 *std::move(one));
  }
  std::size_t restored = 0;
  for (const risk::ConditionalUpdate& update : updates) {
    for (const graph::Risk& risk : update.risks) {
      const std::string key = key_of(cluster_id, risk);
      for (std::size_t i = 0; i < risk.matching_rules.size(); ++i) {
        const auto found = kept.find({key, i});
        if (found == kept.end()) continue;
        rounds.restore(risk.matching_rules[i], std::move(found->second.answer), found->second.at);
        kept.erase(found);
        ++restored;
      }
    }
  }
  return restored;
}

void VerdictStore::write(std::string_view cluster_id, std::span<const risk::ConditionalUpdate> updates,
                         WallTime now, risk::Rounds& rounds) {
  refresh(now);
  if (folder_.empty() || is_off_) return;
  json::Array list;
  std::set<std::string> seen;
  for (const risk::ConditionalUpdate& update : updates) {
    for (const graph::Risk& risk : update.risks) {
      std::string key = key_of(cluster_id, risk);
      if (!seen.insert(key).second) continue;
      for (std::size_t i = 0; i < risk.matching_rules.size(); ++i) {
        if (const auto* cached = rounds.answer_of(risk.matching_rules[i]))
          list.push_back(entry_of(key, i, *cached));
      }
    }
  }
  std::string text = json::to_text(list);
  if (text == written_) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  if (const auto written = write_file_atomically(folder_ / verdict_file, text); !written) {
    log::warning("the verdicts on risks are not kept for a restart", {{"error", written.error().message}});
    return;
  }
  written_ = std::move(text);
}

}  // namespace fairway::operators
