// SPDX-License-Identifier: Apache-2.0

// The unit that a worker's limits count: a connection, or a stream of one that speaks HTTP/2.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "http/internal/server/begun_table.h"
#include "http/internal/server/rate_limit.h"

namespace fairway::http {

/// The event that a holder waits for; each has its own limit.
enum class Wait : std::uint8_t { request, head, body, write, linger, none };
constexpr std::size_t wait_kinds = 5;

/// One user of a worker's time and memory. A worker keeps it in lists by what it waits for, and asks it to
/// give up what it holds when others need it. All calls come on the worker's thread.
class Holder {
 public:
  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  /// Called when the limit on its wait has passed.
  virtual void on_deadline() = 0;
  /// Closes because the peer does not read its reply, and drops the bytes that wait for the peer.
  virtual void give_up() = 0;
  /// Closes now, to make room. If the peer has had its time to read the last reply, and reads nothing of it,
  /// the bytes of it in the kernel are dropped.
  virtual void give_way(bool had_time) = 0;
  /// Bytes of memory that are freed if its request is given up.
  virtual std::size_t held() const = 0;
  /// Bytes that an incomplete request holds, without its body; or those of a handshake.
  virtual std::size_t cost() const = 0;
  /// The stage of its request.
  virtual Stage stage() const = 0;
  /// Bytes that its reply holds because its reader has not taken them.
  virtual std::size_t unread_cost() const = 0;
  const AddressKey& address() const { return address_; }

  Hook deadline_hook, unfinished_hook, unread_hook;
  SteadyTime deadline = SteadyTime::max();
  Wait waits_for = Wait::none;
  /// Bytes that `Worker` counts for it as an incomplete request (0: it has none), and for the body, if bodies
  /// have no limit of their own.
  std::size_t unfinished = 0, unfinished_body = 0;
  std::uint64_t begun = 0;               ///< its number in `ServerState::begun`, while it counts
  Stage begun_stage = Stage::handshake;  ///< its stage there
  std::size_t unread = 0;                ///< bytes counted for it as a reply that waits for its reader

 protected:
  explicit Holder(const AddressKey& address) : address_(address) {}
  ~Holder() = default;
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  AddressKey address_;
};

}  // namespace fairway::http
