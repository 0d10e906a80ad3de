// SPDX-License-Identifier: Apache-2.0

// One bound on waiting for others, and a share of it for each user, namespace and party.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "apiserver/internal/flow/caller.h"
#include "apiserver/wait_limits.h"
#include "k8s/status.h"

namespace fairway::apiserver::flow {

/// The places of requests that wait for somebody outside: a kubelet, an admission or conversion webhook. Safe
/// from all threads.
class Waits {
 public:
  explicit Waits(const WaitLimits& limits = {}) : limits_(limits) {}
  /// Sets the limits, before the first request.
  void set_limits(const WaitLimits& limits) { limits_ = limits; }

  /// A place, released at the end. A thread that has one needs no other.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept;
    Place& operator=(Place&& other) noexcept;
    ~Place() { leave(); }

   private:
    friend class Waits;
    enum class Kind : std::uint8_t { ordinary, lease, unbounded };
    void leave();
    Waits* waits_ = nullptr;
    std::string user_, namespace_, party_;
    Kind kind_ = Kind::ordinary;
  };
  /// Takes a place for the thread's caller (`current_caller`); the server itself needs none. `party` is the
  /// party that is waited for: "the kubelet of node-1". Errors (429, with a Retry-After that has jitter): a
  /// share is used up.
  k8s::StatusResult<Place> enter(const std::string& party);

  struct Counts {
    std::size_t waiting = 0;
    /// Number of refusals by the share that was used up.
    std::array<std::uint64_t, 4> refused{};
  };
  static constexpr std::array<std::string_view, 4> shares{"total", "user", "namespace", "party"};
  Counts counts() const;

 private:
  using Used = std::map<std::string, int, std::less<>>;
  enum class Share : std::uint8_t { total, user, namespace_name, party };
  static void give_back(Used& used, const std::string& key);
  void leave(const Place& place);
  // With the mutex.
  /// Returns the kind of place that is free for a caller, or the share that is used up.
  std::expected<Place::Kind, Share> find_place(const Caller& caller, const std::string& party) const;
  /// Waits for a place, at most `WaitLimits::queue_timeout`. Returns whether there is one.
  bool await_place(std::unique_lock<std::mutex>& lock, const Caller& caller, const std::string& party);
  k8s::Status refuse(Share share, const Caller& caller, const std::string& party);

  WaitLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable_any left_;
  int total_ = 0, ordinary_ = 0, leases_ = 0;
  Used users_, namespaces_, parties_;
  Used lease_users_;  ///< Leases' places in the reserve, by user
  /// Number of requests that wait for a place, and of those of each user.
  int waiting_ = 0;
  Used waiting_users_;
  std::array<std::uint64_t, 4> refused_{};
};

}  // namespace fairway::apiserver::flow
