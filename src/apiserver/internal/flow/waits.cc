// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "apiserver/internal/flow/waits.h"
#include "base/quoted_text.h"
#include "http/flow.h"
#include "http/retry_after.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::flow {
namespace {

/// Number of this thread's places, which are nested: only the first one counts.
thread_local int places_of_thread = 0;

bool is_used_up(const std::map<std::string, int, std::less<>>& used, const std::string& key, int limit) {
  const auto found = used.find(key);
  return found != used.end() && found->second >= limit;
}

}  // namespace

Waits::Place::Place(Place&& other) noexcept {
  *this = std::move(other);
}

Waits::Place& Waits::Place::operator=(Place&& other) noexcept {
  if (this == &other) return *this;
  leave();
  waits_ = std::exchange(other.waits_, nullptr);
  user_ = std::move(other.user_);
  namespace_ = std::move(other.namespace_);
  party_ = std::move(other.party_);
  kind_ = other.kind_;
  return *this;
}

void Waits::Place::leave() {
  if (waits_ == nullptr) return;
  std::exchange(waits_, nullptr)->leave(*this);
}

std::expected<Waits::Place::Kind, Waits::Share> Waits::find_place(const Caller& caller,
                                                                  const std::string& party) const {
  if (total_ >= limits_.total) return std::unexpected(Share::total);
  if (caller.privilege == Privilege::all) return Place::Kind::unbounded;
  if (is_used_up(users_, caller.user, limits_.per_user)) return std::unexpected(Share::user);
  if (!caller.namespace_name.empty() &&
      is_used_up(namespaces_, caller.namespace_name, limits_.per_namespace)) {
    return std::unexpected(Share::namespace_name);
  }
  if (is_used_up(parties_, party, limits_.per_party)) return std::unexpected(Share::party);
  if (ordinary_ < limits_.total - limits_.reserve) return Place::Kind::ordinary;
  // Half of the reserve is for Leases, an eighth for those of one user: anybody may have some.
  const int of_leases = limits_.reserve / 2, of_one_user = std::max(limits_.reserve / 8, 1);
  if (caller.privilege == Privilege::lease && leases_ < of_leases &&
      !is_used_up(lease_users_, caller.user, of_one_user)) {
    return Place::Kind::lease;
  }
  return std::unexpected(Share::total);
}

bool Waits::await_place(std::unique_lock<std::mutex>& lock, const Caller& caller, const std::string& party) {
  if (waiting_ >= limits_.total) return false;
  if (caller.privilege != Privilege::all && is_used_up(waiting_users_, caller.user, limits_.per_user))
    return false;
  ++waiting_;
  ++waiting_users_[caller.user];
  const http::OutsideWait wait;
  const bool has_place = left_.wait_for(lock, caller.cancelled, limits_.queue_timeout,
                                        [&] { return find_place(caller, party).has_value(); });
  --waiting_;
  give_back(waiting_users_, caller.user);
  return has_place;
}

k8s::Status Waits::refuse(Share share, const Caller& caller, const std::string& party) {
  ++refused_[static_cast<std::size_t>(share)];
  std::string whose = "the room for all";
  if (share == Share::user) whose = "the share of user " + quote(caller.user);
  if (share == Share::namespace_name) whose = "the share of namespace " + quote(caller.namespace_name);
  if (share == Share::party) whose = "its own share";
  return k8s::answer::too_many_requests("too many requests wait for " + party + " or for others: " + whose +
                                            " is used up, please try again later",
                                        http::retry_after_with_jitter());
}

k8s::StatusResult<Waits::Place> Waits::enter(const std::string& party) {
  const Caller* const caller = current_caller();
  if (caller == nullptr || !caller->takes_place || places_of_thread > 0) return Place();
  std::unique_lock lock(mutex_);
  auto kind = find_place(*caller, party);
  if (!kind && await_place(lock, *caller, party)) kind = find_place(*caller, party);
  if (!kind) return std::unexpected(refuse(kind.error(), *caller, party));
  ++total_;
  if (*kind != Place::Kind::unbounded) {
    ++users_[caller->user];
    if (!caller->namespace_name.empty()) ++namespaces_[caller->namespace_name];
    ++parties_[party];
    ++(*kind == Place::Kind::lease ? leases_ : ordinary_);
    if (*kind == Place::Kind::lease) ++lease_users_[caller->user];
  }
  Place place;
  place.waits_ = this;
  place.user_ = caller->user;
  place.namespace_ = caller->namespace_name;
  place.party_ = party;
  place.kind_ = *kind;
  ++places_of_thread;
  return place;
}

void Waits::give_back(Used& used, const std::string& key) {
  const auto found = used.find(key);
  if (found != used.end() && --found->second == 0) used.erase(found);
}

void Waits::leave(const Place& place) {
  --places_of_thread;
  const std::scoped_lock lock(mutex_);
  --total_;
  if (place.kind_ != Place::Kind::unbounded) {
    --(place.kind_ == Place::Kind::lease ? leases_ : ordinary_);
    if (place.kind_ == Place::Kind::lease) give_back(lease_users_, place.user_);
    give_back(users_, place.user_);
    if (!place.namespace_.empty()) give_back(namespaces_, place.namespace_);
    give_back(parties_, place.party_);
  }
  if (waiting_ > 0) left_.notify_all();
}

Waits::Counts Waits::counts() const {
  const std::scoped_lock lock(mutex_);
  return {.waiting = static_cast<std::size_t>(total_), .refused = refused_};
}

}  // namespace fairway::apiserver::flow
