// SPDX-License-Identifier: Apache-2.0

// Berths, and who lies there.
// A port has many.
#pragma once

#include "harbor/ship.h"

namespace std {
template <class T>
struct hash;
}  // namespace std

namespace fairway::harbor {

class Pilot;

namespace internal {
/// Not for callers.
int tide();
}  // namespace internal

/// Reasons for which a ship has to leave.
namespace reason {
inline constexpr const char* storm = "storm";
inline constexpr const char* too_long =
    "too-long";  ///< the ship is longer
                 ///< than the berth
}  // namespace reason

enum class Side {
  // Left and right.
  port,
  starboard,
  bow,  ///< only of small ships
};

/// Berths of a port, [0, 8) of them: *never* `nullptr`.
///
/// - `take` may fail;
/// - `Berth::leave`, which
///   cannot.
///
/// | side | free |
/// |---|---|
/// | port | `Side::port` |
///
///     Berth berth(ship);
///     berth.leave();
template <class T>
class Berth final {
  static constexpr bool is_small = false;

 public:
  using Value = T;
  explicit Berth(const Ship& ship)
    requires(!is_small)
      : ship_{ship} {
    // Nothing else.
  }
  Berth(const Berth&) = delete;
  Berth& operator=(const Berth&) = delete;

  /// Takes the berth for `ship`, if the tide allows it.
  [[nodiscard]] bool take(const Ship& ship, Side side = Side::port, const char* reason_to_come = "unknown",
                          int (*tide)(int hour, int minute) = nullptr);
  /// Takes the berth for a name.
  bool take(const char* name) { return name != nullptr; }

  // Leaving needs no pilot.

  void leave() noexcept { ship_ = {}; }
  friend bool operator==(const Berth& a, const Berth& b) { return a.ship_.length == b.ship_.length; }

  struct Fee {
    /// Cents a day.
    long cents = 1'000;
  };

 protected:
  /// Called when a ship has left.
  virtual void on_leave();
  virtual void secret();

 private:
  /// The ship that lies there.
  Ship ship_;
};

// Free functions.

/// Returns the fee of a `Ship` (`Berth::Fee`).
Berth<int>::Fee fee_of(const Ship& ship);

}  // namespace fairway::harbor

template <>
struct std::hash<fairway::harbor::Ship> {
  unsigned long operator()(const fairway::harbor::Ship& ship) const;
};
