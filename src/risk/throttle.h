// SPDX-License-Identifier: Apache-2.0

// Rate limits of queries, and cached results between them. No clock: the caller passes the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "risk/answer.h"

namespace fairway::risk {

/// Intervals of queries. The enhancement of docs/risks.md, section Cluster-version operator support for the
/// enhanced schema. A duration of 0 switches its rule off.
struct PollingRules {
  /// Minimum time from any evaluation to the next query.
  std::chrono::nanoseconds between_any = std::chrono::minutes(10);
  /// Minimum time from an evaluation to the next one of the same query.
  std::chrono::nanoseconds between_same = std::chrono::hours(1);
  /// Time that a result is kept after its last request.
  std::chrono::nanoseconds unused = std::chrono::hours(24);
};

/// One moment on both clocks: the monotonic one for durations, wall time for display.
struct Moment {
  SteadyTime steady;
  WallTime wall;
  static Moment of(const Clock& clock) { return {clock.steady(), clock.now()}; }
};

/// Decides when queries may be sent. Intervals are not persisted: after a restart every query may be sent
/// (CrashLooping alerts cover that).
class Throttle {
 public:
  struct Cached {
    Answer answer;
    /// Time at which the evaluation completed.
    WallTime at;
  };

  explicit Throttle(const PollingRules& rules) : rules_(rules) {}

  const PollingRules& rules() const { return rules_; }

  /// Expires entries unused for long. Questions evaluated from now on are not due before the next round,
  /// whatever the rules say.
  void begin_round(const Moment& now);

  /// Requests the evaluation of a question, by its key.
  void request(std::string_view key, const Moment& now);

  /// Returns the last result, or nullptr.
  const Cached* known(std::string_view key) const;

  /// Returns whether a query may be sent now.
  bool slot_free(const Moment& now) const;
  /// Returns the time at which the next query may be sent, if none may be sent now.
  std::optional<WallTime> slot_at(const Moment& now) const;
  /// Returns the earliest time for this query; std::nullopt: now.
  std::optional<WallTime> next(std::string_view key, const Moment& now) const;

  /// Returns whether a question was evaluated in this round.
  bool is_of_this_round(std::string_view key) const;
  /// Returns whether a question's interval (`between_same`) has passed, or it was never evaluated; requested
  /// or not.
  bool is_due(std::string_view key, const Moment& now) const;
  /// Returns the due questions requested since their last evaluation, whether or not the slot is free: first
  /// those that were requested in this round, each longest waiting first. The views are valid until the
  /// question expires.
  std::vector<std::string_view> due(const Moment& now) const;
  /// Returns the question that the slot belongs to: the one that has waited longest. A question that was not
  /// requested in this round comes after those that were and have waited since an earlier one; if it was
  /// never evaluated, after all that were.
  std::optional<std::string_view> first_due(const Moment& now) const;
  /// Returns whether more than half of a question's interval has passed, but not all of it.
  bool is_early(std::string_view key, const Moment& now) const;
  /// Returns the early questions requested since their last evaluation.
  std::vector<std::string_view> early(const Moment& now) const;

  /// Returns the questions that were requested in this round or still wait, in the order in which they would
  /// be evaluated if nothing changed: due ones by claim on the slot and waiting time, then the others by the
  /// time at which they become due.
  std::vector<std::string_view> queue(const Moment& now) const;

  /// Takes an answer of before a restart, unless there is one already. Its interval starts anew: its question
  /// is due at once, before those that were never evaluated.
  void restore(std::string_view key, Answer answer, WallTime at, const Moment& now);
  /// Records a completed evaluation, failed or not.
  void record(std::string_view key, Answer answer, const Moment& now);
  /// Uses the slot without a result: a query was sent.
  void spend_slot(const Moment& now) { last_ = now; }

  /// Returns whether there is an entry: requested or evaluated, and not expired.
  bool remembers(std::string_view key) const { return entries_.contains(key); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry;
  /// A position in the queue: by waiting time, then never evaluated first, then by first
  /// request.
  struct Place {
    SteadyTime since;
    std::uint64_t number;
    const Entry* entry;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Entry {
    std::string_view key;
    /// Number of its first request; unique.
    std::uint64_t number = 0;
    /// Times of the first request (or the first since its last failed attempt) and of the last.
    SteadyTime first_request, last_request;
    /// Time at which its last evaluation completed; std::nullopt: its interval has not started.
    std::optional<SteadyTime> evaluated;
    std::uint64_t evaluated_in_round = 0, requested_in_round = 0;
    /// Number of the round in which it joined its current queue.
    std::uint64_t waiting_since_round = 0;
    std::optional<Cached> known;

    Place place() const { return {evaluated.value_or(first_request), number, this}; }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };

  /// The claim of a question on the slot; the first wins.
  enum class Claim {
    waiting,   ///< requested in this round, and waiting since an earlier one
    recent,    ///< requested for the first time, or no longer, but with a result that may still be requested
    given_up,  ///< no longer requested, and never evaluated
  };

  const Entry* find(std::string_view key) const;
  Claim claim_of(const Entry& entry) const;
  bool hourly_interval_passed(const Entry& entry, const Moment& now) const;
  bool is_due(const Entry& entry, const Moment& now) const;
  Entry& entry_of(std::string_view key, const Moment& now);
  void stop_waiting(const Entry& entry);

  PollingRules rules_;
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
  /// Questions requested since their last evaluation, in queue order.
  std::set<Place> never_evaluated_, evaluated_before_;
  std::optional<Moment> last_;
  std::uint64_t round_ = 0, requests_ = 0;
};

}  // namespace fairway::risk
