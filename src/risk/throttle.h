// When a query may be sent, and what is known until then. Pure: the caller says what time it is.
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

/// spec: targeted-update-edge-blocking, Cluster-version operator support. A duration of 0 switches its rule
/// off.
struct PollingRules {
  /// How long after the evaluation of any query nothing is sent.
  std::chrono::nanoseconds between_any = std::chrono::minutes(10);
  /// How long after its evaluation the same query is not sent again.
  std::chrono::nanoseconds between_same = std::chrono::hours(1);
  /// How long a result is kept that nobody asks for.
  std::chrono::nanoseconds unused = std::chrono::hours(24);
};

/// One moment on both clocks: durations are measured on one that never jumps, people are shown the other.
struct Moment {
  SteadyTime steady;
  WallTime wall;
  static Moment of(const Clock& clock) { return {clock.steady(), clock.now()}; }
};

/// Nothing is persisted: after a restart everything may be sent again (and CrashLooping alerts say why).
class Throttle {
 public:
  struct Known {
    Answer answer;
    /// When the evaluation ended.
    WallTime at;
  };

  explicit Throttle(const PollingRules& rules) : rules_(rules) {}

  const PollingRules& rules() const { return rules_; }

  /// Forgets what nobody asked for in a long time. What is evaluated from now on is not due until the next
  /// round, whatever the rules say.
  void begin_round(const Moment& now);

  /// Somebody asks for a question, by its key.
  void request(std::string_view key, const Moment& now);

  /// What the last evaluation gave, or nullptr.
  const Known* known(std::string_view key) const;

  /// Whether a query may be sent now.
  bool slot_free(const Moment& now) const;
  /// When the next may be sent, where none may now.
  std::optional<WallTime> slot_at(const Moment& now) const;
  /// When this one may be sent, at the earliest; nothing: at once.
  std::optional<WallTime> next(std::string_view key, const Moment& now) const;

  /// Whether a question was evaluated in this round.
  bool is_of_this_round(std::string_view key) const;
  /// Whether the hour of a question is over, or it was never evaluated; it need not have been asked for.
  bool is_due(std::string_view key, const Moment& now) const;
  /// What is due and was asked for since it was evaluated: who waits longest first, whether or not the slot
  /// is free. The views are valid until the question is forgotten.
  std::vector<std::string_view> due(const Moment& now) const;
  /// The first of them.
  std::optional<std::string_view> first_due(const Moment& now) const;
  /// Whether more than half of a question's hour is over, and not all of it.
  bool is_early(std::string_view key, const Moment& now) const;
  /// Of those that were asked for since they were evaluated.
  std::vector<std::string_view> early(const Moment& now) const;

  /// An evaluation has ended; it counts whether or not it failed.
  void record(std::string_view key, Answer answer, const Moment& now);
  /// Something was sent, and nothing is known of it.
  void spend_slot(const Moment& now) { last_ = now; }

  /// Whether somebody asked for it, or it was evaluated, and neither is long ago.
  bool remembers(std::string_view key) const { return entries_.contains(key); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry;
  /// Who waits since when; of two since the same time, the one that was never evaluated, then the one that
  /// was asked for first.
  struct Place {
    SteadyTime since;
    std::uint64_t number;
    const Entry* entry;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Entry {
    std::string_view key;
    /// Of its first request: no two have the same.
    std::uint64_t number = 0;
    /// The first, or the first since it was tried in vain.
    SteadyTime first_request, last_request;
    /// When its last evaluation ended; nothing: its hour has not begun.
    std::optional<SteadyTime> evaluated;
    std::uint64_t evaluated_in_round = 0;
    std::optional<Known> known;

    Place place() const { return {evaluated.value_or(first_request), number, this}; }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };

  const Entry* find(std::string_view key) const;
  bool hour_is_over(const Entry& entry, const Moment& now) const;
  bool is_due(const Entry& entry, const Moment& now) const;
  Entry& entry_of(std::string_view key, const Moment& now);
  void stop_waiting(const Entry& entry);

  PollingRules rules_;
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
  /// Those that were asked for since they were evaluated, in the order of their turn.
  std::set<Place> never_evaluated_, evaluated_before_;
  std::optional<Moment> last_;
  std::uint64_t round_ = 0, requests_ = 0;
};

}  // namespace fairway::risk
