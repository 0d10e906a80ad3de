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

/// What a request's head said; all views point into the buffer that was fed.
struct RequestHead {
  std::string_view method, target, path, query;
  std::vector<Field> fields;
  int minor_version = 1;  ///< 0 for HTTP/1.0
  bool keep_alive = true;
  bool expects_continue = false;
};

/// What of a limit may be used where several I/O threads share it, before they ask one another to give up
/// slow requests: the rest is for those that come until they have.
constexpr std::size_t usual_share(std::size_t limit) {
  return limit - limit / 8;
}

/// What the bodies of all requests that are read or handled at one time may take together, and those of one
/// address: three quarters, so that a share is left for others. Safe from all threads.
class BodyBudget {
 public:
  /// 0: as much as there is.
  explicit BodyBudget(std::size_t bytes) : most_(bytes) {}
  enum class Grant : std::uint8_t { taken, address_full, all_full };
  enum class Share : std::uint8_t { usual, whole };  ///< see usual_share
  /// Takes nothing where it would be too much.
  Grant take(std::size_t bytes, const AddressKey& address, Share share = Share::whole);
  void give_back(std::size_t bytes, const AddressKey& address);
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> taken_ = 0;
  std::mutex mutex_;
  std::unordered_map<AddressKey, std::size_t, AddressHash> by_address_;  ///< of a budget with a limit
};

/// One request at a time: `reset`, then `feed` until it is `complete` or `failed`.
class RequestParser {
 public:
  struct Limits {
    std::size_t head_bytes = 16 * 1024;
    std::size_t body_bytes = 1 << 20;
    /// Shared with the others, and outlives the parser; none: no limit. A body that has no place in it is
    /// refused with 503. The first bytes of each body do not count, so that short requests go on.
    BodyBudget* all_bodies = nullptr;
    /// Called where all bodies together have no room left, to make some; false: none can be made.
    std::function<bool()> make_room = {};
    /// Called then, with the bytes that are needed, where other threads may make some soon. Only with it is a
    /// part of the room kept for that time.
    std::function<void(std::size_t bytes)> ask_others = {};
  };
  enum class Progress {
    more,      ///< what was fed is used up as far as it can be; go on with what is left and more behind it
    head,      ///< the head is there and a body follows; said once
    complete,  ///< the request is whole
    failed     ///< see `status` and `why`
  };

  explicit RequestParser(const Limits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Whose bodies those of the next requests are.
  void charge(const AddressKey& address);
  /// Forgets the last request and its body.
  void reset();
  /// Reads on. `consumed` bytes were used; the rest must be fed again, at the same place if the head is not
  /// complete. From the first byte of the head until `reset` the bytes of the head must stay where they are.
  Progress feed(std::string_view bytes, std::size_t& consumed);
  /// Reads bodies from here on without keeping them, until `reset`.
  void discard_body();

  /// After `head`: the length that the body says it has; the largest there is for chunks.
  std::uint64_t announced() const;

  const RequestHead& head() const;
  std::string_view body() const;
  /// After `failed`: the reply's status and a sentence for people.
  int status() const;
  std::string_view why() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
