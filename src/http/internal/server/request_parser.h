// SPDX-License-Identifier: Apache-2.0

// Reads requests out of a connection's buffer. The grammar of heads is Boost.Beast's; what a request must not
// do is decided here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/internal/server/rate_limit.h"
#include "http/message.h"

namespace fairway::http {

/// The parsed head of a request; all views point into the buffer that was fed.
struct RequestHead {
  std::string_view method, target, path, query;
  std::vector<Field> fields;
  int minor_version = 1;  ///< 0 for HTTP/1.0
  bool keep_alive = true;
  bool expects_continue = false;
};

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

/// A parser of one request at a time: `reset`, then `feed` until it is `complete` or `failed`.
class RequestParser {
 public:
  struct Limits {
    std::size_t head_bytes = 16 * 1024;
    std::size_t body_bytes = 1 << 20;
    /// The budget of all bodies, which the connections share and which outlives the parser; none: no limit. A
    /// body that does not fit into it is refused with 503. The first bytes of each body do not count, so that
    /// short requests go on.
    BodyBudget* all_bodies = nullptr;
    /// Called when the budget is used up, to make room; false: none can be made.
    std::function<bool()> make_room = {};
    /// Called then, with the bytes that are needed, if other threads may make room soon. A part of the budget
    /// is reserved for that time only if this is set.
    std::function<void(std::size_t bytes)> ask_others = {};
  };
  enum class Progress {
    more,      ///< the input is used up as far as possible; go on with the rest and more behind it
    head,      ///< the head is complete and a body follows; returned once
    complete,  ///< the request is whole
    failed     ///< see `status` and `why`
  };

  explicit RequestParser(const Limits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Sets the address that the bodies of the next requests count for.
  void charge(const AddressKey& address);
  /// Forgets the last request and its body.
  void reset();
  /// Reads on. `consumed` bytes were used; the rest must be fed again, at the same place if the head is not
  /// complete. From the first byte of the head until `reset` the bytes of the head must stay where they are.
  Progress feed(std::string_view bytes, std::size_t& consumed);
  /// Reads bodies from here on without keeping them, until `reset`.
  void discard_body();

  /// The length that the body announces, after `head`; the largest value for chunks.
  std::uint64_t announced() const;

  const RequestHead& head() const;
  std::string_view body() const;
  /// The reply's status, after `failed`; `why` is a sentence for people.
  int status() const;
  std::string_view why() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
