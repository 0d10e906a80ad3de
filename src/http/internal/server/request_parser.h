// SPDX-License-Identifier: Apache-2.0

// Reads requests out of a connection's buffer. The grammar of heads is Boost.Beast's; what a request must not
// do is decided here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/internal/server/request_body.h"
#include "http/internal/server/request_target.h"
#include "http/message.h"

namespace fairway::http {

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
