// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/request_body.h"

#include <algorithm>
#include <bit>

namespace fairway::http {
namespace {

/// Bytes reserved for a body before any of it has been received: a large Content-Length costs no memory.
constexpr std::size_t first_body_bytes = 64 * 1024;

}  // namespace

BodyBudget::Grant BodyBudget::take(std::size_t bytes, const AddressKey& address, Share share) {
  if (most_ == 0) {
    taken_.fetch_add(bytes, std::memory_order_relaxed);
    return Grant::taken;
  }
  const std::scoped_lock lock(mutex_);
  const auto of_address = by_address_.find(address);
  const std::size_t has = of_address == by_address_.end() ? 0 : of_address->second;
  if (has + bytes > most_ - most_ / 4) return Grant::address_full;
  if (taken() + bytes > (share == Share::whole ? most_ : usual_share(most_))) return Grant::all_full;
  taken_.fetch_add(bytes, std::memory_order_relaxed);
  by_address_[address] = has + bytes;
  return Grant::taken;
}

void BodyBudget::give_back(std::size_t bytes, const AddressKey& address) {
  taken_.fetch_sub(bytes, std::memory_order_relaxed);
  if (most_ == 0) return;
  const std::scoped_lock lock(mutex_);
  const auto of_address = by_address_.find(address);
  if (of_address == by_address_.end()) return;
  of_address->second -= bytes;
  if (of_address->second == 0) by_address_.erase(of_address);
}

void RequestBody::clear() {
  if (body_.capacity() > first_body_bytes) {
    std::string().swap(body_);  // an assignment would keep the memory
  } else {
    body_.clear();
  }
  give_back();
}

void RequestBody::release() {
  std::string().swap(body_);
  give_back();
}

void RequestBody::expect(std::uint64_t bytes) {
  body_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, first_body_bytes)));
}

bool RequestBody::keep(std::string_view piece) {
  const std::size_t size = body_.size() + piece.size();
  if (size > body_.capacity()) {
    // The reserved size counts, which is the same for all bodies of one length, however they arrive.
    std::size_t room = std::max(size, 2 * body_.capacity());
    if (room > first_body_bytes) room = std::bit_ceil(room);
    if (room_.all_bodies != nullptr && room > first_body_bytes) {
      const std::size_t more = room - first_body_bytes - budgeted_;
      if (!take(more)) return false;
      budgeted_ += more;
    }
    body_.reserve(room);
  }
  body_ += piece;
  return true;
}

bool RequestBody::take(std::size_t bytes) {
  BodyBudget& budget = *room_.all_bodies;
  const auto share = room_.ask_others ? BodyBudget::Share::usual : BodyBudget::Share::whole;
  BodyBudget::Grant grant = budget.take(bytes, address_, share);
  while (grant == BodyBudget::Grant::all_full && room_.make_room && room_.make_room())
    grant = budget.take(bytes, address_, share);
  if (grant == BodyBudget::Grant::all_full && room_.ask_others) {
    room_.ask_others(bytes);
    grant = budget.take(bytes, address_, BodyBudget::Share::whole);
  }
  if (grant == BodyBudget::Grant::taken) return true;
  why_ = grant == BodyBudget::Grant::address_full ? "Too many large requests of this address are in flight."
                                                  : "Too many large requests are in flight.";
  return false;
}

void RequestBody::give_back() {
  if (budgeted_ > 0) room_.all_bodies->give_back(budgeted_, address_);
  budgeted_ = 0;
}

}  // namespace fairway::http
