// SPDX-License-Identifier: Apache-2.0

#include "risk/throttle.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fairway::risk {

const Throttle::Entry* Throttle::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

Throttle::Entry& Throttle::entry_of(std::string_view key, const Moment& now) {
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  const auto made = entries_.emplace(std::string(key), Entry{}).first;
  Entry& entry = made->second;
  entry.key = made->first;
  entry.number = ++requests_;
  entry.first_request = entry.last_request = now.steady;
  return entry;
}

void Throttle::stop_waiting(const Entry& entry) {
  (entry.evaluated ? evaluated_before_ : never_evaluated_).erase(entry.place());
}

void Throttle::begin_round(const Moment& now) {
  ++round_;
  if (rules_.unused <= std::chrono::nanoseconds::zero()) return;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    // A query is not forgotten within an hour of its last request, or it would be sent again.
    if (now.steady - entry->second.last_request > rules_.unused &&
        hourly_interval_passed(entry->second, now)) {
      stop_waiting(entry->second);
      entry = entries_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void Throttle::request(std::string_view key, const Moment& now) {
  Entry& entry = entry_of(key, now);
  entry.last_request = now.steady;
  entry.requested_in_round = round_;
  auto& places = entry.evaluated ? evaluated_before_ : never_evaluated_;
  if (places.insert(entry.place()).second) entry.waiting_since_round = round_;
}

const Throttle::Cached* Throttle::known(std::string_view key) const {
  const Entry* entry = find(key);
  return entry != nullptr && entry->known ? &*entry->known : nullptr;
}

bool Throttle::slot_free(const Moment& now) const {
  return !last_ || now.steady - last_->steady >= rules_.between_any;
}

std::optional<WallTime> Throttle::slot_at(const Moment& now) const {
  if (slot_free(now)) return std::nullopt;
  return last_->wall + std::chrono::duration_cast<WallTime::duration>(rules_.between_any);
}

std::optional<WallTime> Throttle::next(std::string_view key, const Moment& now) const {
  std::optional<WallTime> at = slot_at(now);
  const Entry* entry = find(key);
  if (entry != nullptr && entry->evaluated && now.steady - *entry->evaluated < rules_.between_same) {
    const auto left = *entry->evaluated + rules_.between_same - now.steady;
    const WallTime own = now.wall + std::chrono::duration_cast<WallTime::duration>(left);
    at = at ? std::max(*at, own) : own;
  }
  return at;
}

bool Throttle::is_of_this_round(std::string_view key) const {
  const Entry* entry = find(key);
  return entry != nullptr && entry->known && entry->evaluated_in_round == round_;
}

bool Throttle::hourly_interval_passed(const Entry& entry, const Moment& now) const {
  return !entry.evaluated || now.steady - *entry.evaluated >= rules_.between_same;
}

bool Throttle::is_due(const Entry& entry, const Moment& now) const {
  if (entry.known && entry.evaluated_in_round == round_) return false;
  return hourly_interval_passed(entry, now);
}

bool Throttle::is_early(std::string_view key, const Moment& now) const {
  const Entry* entry = find(key);
  return entry != nullptr && entry->evaluated && entry->evaluated_in_round != round_ &&
         !hourly_interval_passed(*entry, now) && now.steady - *entry->evaluated >= rules_.between_same / 2;
}

std::vector<std::string_view> Throttle::early(const Moment& now) const {
  std::vector<std::string_view> keys;
  for (const Place& place : evaluated_before_) {
    if (is_early(place.entry->key, now)) keys.push_back(place.entry->key);
  }
  return keys;
}

bool Throttle::is_due(std::string_view key, const Moment& now) const {
  const Entry* entry = find(key);
  return entry == nullptr || is_due(*entry, now);
}

Throttle::Claim Throttle::claim_of(const Entry& entry) const {
  const bool requested = entry.requested_in_round == round_;
  if (requested && entry.waiting_since_round < round_) return Claim::waiting;
  return requested || entry.evaluated ? Claim::recent : Claim::given_up;
}

std::optional<std::string_view> Throttle::first_due(const Moment& now) const {
  const Entry* first = nullptr;
  Claim claim_of_first = Claim::given_up;
  for (const auto* places : {&never_evaluated_, &evaluated_before_}) {
    for (const Place& place : *places) {
      const Entry& entry = *place.entry;
      if (!hourly_interval_passed(entry, now)) break;  // those behind it are younger still
      if (!is_due(entry, now)) continue;
      const Claim claim = claim_of(entry);
      if (first == nullptr || claim < claim_of_first ||
          (claim == claim_of_first && place.since < first->place().since)) {
        first = &entry;
        claim_of_first = claim;
      }
      if (claim == Claim::waiting) break;  // nor do those behind it have a better claim
    }
  }
  if (first == nullptr) return std::nullopt;
  return first->key;
}

std::vector<std::string_view> Throttle::due(const Moment& now) const {
  std::vector<const Entry*> waiting;
  for (const auto* places : {&never_evaluated_, &evaluated_before_}) {
    for (const Place& place : *places) {
      if (is_due(*place.entry, now)) waiting.push_back(place.entry);
    }
  }
  std::ranges::stable_sort(waiting, {}, [this](const Entry* entry) {
    return std::pair(entry->requested_in_round != round_, entry->place().since);
  });
  std::vector<std::string_view> keys;
  keys.reserve(waiting.size());
  for (const Entry* entry : waiting) keys.push_back(entry->key);
  return keys;
}

std::vector<std::string_view> Throttle::queue(const Moment& now) const {
  std::vector<std::tuple<bool, Claim, Place>> places;
  for (const auto& [key, entry] : entries_) {
    const auto& waiting = entry.evaluated ? evaluated_before_ : never_evaluated_;
    if (entry.requested_in_round != round_ && !waiting.contains(entry.place())) continue;
    const bool due = is_due(entry, now);
    places.emplace_back(!due, due ? claim_of(entry) : Claim::waiting, entry.place());
  }
  std::ranges::sort(places);
  std::vector<std::string_view> keys;
  keys.reserve(places.size());
  for (const auto& [later, claim, place] : places) keys.push_back(place.entry->key);
  return keys;
}

void Throttle::restore(std::string_view key, Answer answer, WallTime at, const Moment& now) {
  if (remembers(key)) return;
  Entry& entry = entry_of(key, now);
  // It has waited since then.
  entry.first_request = now.steady - std::chrono::duration_cast<SteadyTime::duration>(now.wall - at);
  entry.known = Cached{std::move(answer), at};
}

void Throttle::record(std::string_view key, Answer answer, const Moment& now) {
  Entry& entry = entry_of(key, now);
  if (answer.spent != Answer::Spent::nothing) last_ = now;
  if (answer.spent == Answer::Spent::query) {
    stop_waiting(entry);
    entry.evaluated = now.steady;
  } else if (answer.spent == Answer::Spent::turn) {
    stop_waiting(entry);
    entry.evaluated.reset();
    entry.first_request = now.steady;
  }
  entry.evaluated_in_round = round_;
  entry.known = Cached{std::move(answer), now.wall};
}

}  // namespace fairway::risk
