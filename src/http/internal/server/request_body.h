// SPDX-License-Identifier: Apache-2.0

// The body of a request that is being received, and the memory that all bodies may take together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/internal/server/rate_limit.h"

namespace fairway::http {

/// Returns the part of a limit that several I/O threads use before they ask each other to give up slow
/// requests. The rest is for requests that arrive until those are closed.
constexpr std::size_t usual_share(std::size_t limit) {
  return limit - limit / 8;
}

/// The limit on the memory of the bodies of all requests that are read or handled at one time. One address
/// may have three quarters of it, so that a share is left for others. Safe from all threads.
class BodyBudget {
 public:
  /// `bytes` of 0 means no limit.
  explicit BodyBudget(std::size_t bytes) : most_(bytes) {}
  enum class Grant : std::uint8_t { taken, address_full, all_full };
  enum class Share : std::uint8_t { usual, whole };  ///< see usual_share
  /// Takes `bytes` for a body of this address, or nothing if that exceeds a limit.
  Grant take(std::size_t bytes, const AddressKey& address, Share share = Share::whole);
  void give_back(std::size_t bytes, const AddressKey& address);
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> taken_ = 0;
  std::mutex mutex_;
  std::unordered_map<AddressKey, std::size_t, AddressHash> by_address_;  ///< empty if there is no limit
};

/// The room that bodies have together.
struct BodyRoom {
  /// The budget of all bodies, which outlives them; none: no limit.
  BodyBudget* all_bodies = nullptr;
  /// Called when the budget is used up, to make room; false: none can be made.
  std::function<bool()> make_room = {};
  /// Called then, with the bytes that are needed, if other threads may make room soon. A part of the budget
  /// is reserved for that time only if this is set.
  std::function<void(std::size_t bytes)> ask_others = {};
};

/// One body. Its first bytes do not count in the budget, so that short requests go on.
class RequestBody {
 public:
  explicit RequestBody(BodyRoom room) : room_(std::move(room)) {}
  ~RequestBody() { give_back(); }
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;

  /// Sets the address that it counts for.
  void charge(const AddressKey& address) { address_ = address; }
  /// Forgets the body and gives back what it has taken.
  void clear();
  /// Frees its memory as well.
  void release();
  /// Prepares for a body that announces this length: a large one costs no memory yet.
  void expect(std::uint64_t bytes);
  /// Appends a piece. False: there is no room for it, and `why` is a sentence for people.
  bool keep(std::string_view piece);
  std::string_view why() const { return why_; }
  std::string_view bytes() const { return body_; }

 private:
  bool take(std::size_t bytes);
  void give_back();

  BodyRoom room_;
  AddressKey address_;
  std::string body_;
  std::size_t budgeted_ = 0;  ///< bytes counted in the budget
  std::string_view why_;
};

}  // namespace fairway::http
