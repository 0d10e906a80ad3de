// SPDX-License-Identifier: Apache-2.0

// The watch over a server of HTTP/2 from which nothing comes: a connection may be dead without a word.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"

namespace fairway::http {

/// Tells when a silent server is to be asked for a sign of life (PING), and when to give its connection up.
/// Not thread-safe.
class PeerSilence {
 public:
  enum class Due { nothing, ping, end };

  /// `ping_after`: the time without a byte after which a server that owes replies is asked; `ping_timeout`:
  /// the time that it has for any answer then.
  PeerSilence(SteadyTime::duration ping_after, SteadyTime::duration ping_timeout)
      : ping_after_(ping_after), ping_timeout_(ping_timeout) {}

  /// Notes that bytes have come.
  void hear(SteadyTime now) {
    heard_ = since_ = now;
    asked_.reset();
    is_doubted_ = false;
  }
  /// Notes that the server owes a reply again, after it has owed none.
  void expect(SteadyTime now) { since_ = now; }
  /// Notes a call without an answer in its time, sent at `sent`. Returns whether the server is to be asked:
  /// it has been silent all that time.
  bool doubt(SteadyTime sent, SteadyTime now) {
    if (heard_ >= sent) return false;
    is_doubted_ = true;
    if (asked_) return false;
    asked_ = now;
    return true;
  }
  /// Returns whether no new call is to rely on the server, until it is heard again.
  bool is_doubted() const { return is_doubted_; }

  /// Returns what to do now. `owes`: calls wait for replies. The server counts as asked after `Due::ping`.
  Due due(SteadyTime now, bool owes) {
    if (asked_) return now >= *asked_ + ping_timeout_ ? Due::end : Due::nothing;
    if (!owes || now < since_ + ping_after_) return Due::nothing;
    asked_ = now;
    return Due::ping;
  }
  /// Returns the time at which `due` may have something else to say, if there is one.
  std::optional<SteadyTime> next(bool owes) const {
    if (asked_) return *asked_ + ping_timeout_;
    if (owes) return since_ + ping_after_;
    return std::nullopt;
  }

 private:
  SteadyTime::duration ping_after_, ping_timeout_;
  SteadyTime heard_{}, since_{};
  std::optional<SteadyTime> asked_;
  bool is_doubted_ = false;
};

}  // namespace fairway::http
