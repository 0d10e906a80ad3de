// SPDX-License-Identifier: Apache-2.0

// Turns of expensive requests: so many are answered at a time. Those beyond it do not wait, as they would
// take threads from others.
#pragma once

#include <atomic>
#include <cstddef>

namespace fairway::updateservice {

/// The turns of one kind of requests.
class Turns {
 public:
  explicit Turns(std::size_t at_once) : left_(static_cast<std::ptrdiff_t>(at_once)) {}

 private:
  friend class Turn;
  std::atomic<std::ptrdiff_t> left_;
};

/// A turn, or none; given back at the end. `turns` must outlive it.
class Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns), has_(--turns.left_ >= 0) {}
  ~Turn() { ++turns_.left_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  /// Returns whether the request has a turn.
  explicit operator bool() const { return has_; }

 private:
  Turns& turns_;
  bool has_;
};

}  // namespace fairway::updateservice
