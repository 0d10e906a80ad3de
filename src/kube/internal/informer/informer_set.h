// SPDX-License-Identifier: Apache-2.0

// The informers of one process, and who still needs them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/timed_condition.h"
#include "kube/informer/informer.h"

namespace fairway::kube {

/// The informers of one process. Handles of one informer share a lease, which tells the set when the last of
/// them is gone. The lease does not end the informer itself: that waits for the informer's threads, and the
/// last handle may be released on one of them. A thread of the set ends it.
class InformerSet : public std::enable_shared_from_this<InformerSet> {
 public:
  InformerSet(std::shared_ptr<Client> client, InformersOptions options);
  /// Destroys the set; `stop` must have been called.
  ~InformerSet() = default;
  InformerSet(const InformerSet&) = delete;
  InformerSet& operator=(const InformerSet&) = delete;

  /// Returns a handle of the informer.
  std::shared_ptr<InformerEngine> get(const k8s::GroupVersionResource& resource,
                                      const InformerOptions& options, ObjectType type, Content content);
  void start();
  void stop();
  bool wait_for_sync(const Limits& limits);
  /// Returns the current engines, in the order in which they were requested.
  std::vector<std::shared_ptr<InformerEngine>> engines() const;
  Client& client() const { return *client_; }

 private:
  class Lease;
  /// The options that tell informers apart.
  struct Identity {
    k8s::GroupVersionResource resource = {};
    std::vector<std::string> namespaces = {};
    std::string labels = {}, fields = {}, transform = {};
    bool managed_fields = false, if_served = false, if_permitted = false;
    bool leave_out_quarantined = false, include_quarantined = false;
    Content content = Content::objects;
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  struct Entry {
    Identity identity = {};
    std::shared_ptr<InformerEngine> engine = {};
    /// The handles; expired if nobody holds one.
    std::weak_ptr<InformerEngine> handle = {};
    /// Time that it goes on without handles; std::nullopt: until all stop.
    std::optional<std::chrono::nanoseconds> unused_timeout = {};
    /// Time at which it ends; set when the last handle is gone.
    std::optional<SteadyTime> unused_until = {};
  };

  static Identity identify(const k8s::GroupVersionResource& resource, const InformerOptions& options,
                           Content content);
  IsQuarantined left_out(const Identity& identity) const;
  std::shared_ptr<InformerEngine> make_engine(const Identity& identity, const InformerOptions& options,
                                              ObjectType type) const;
  std::shared_ptr<InformerEngine> lease(Entry& entry);
  void record_released(const InformerEngine& engine);
  bool is_known(const InformerEngine& engine) const;
  static bool is_unused(const Entry& entry);
  /// Removes and returns the expired informers. Call it with the lock.
  std::vector<std::shared_ptr<InformerEngine>> take_unused();
  SteadyTime next_end() const;
  void end_unused(const std::stop_token& stop);

  const std::shared_ptr<Client> client_;
  const InformersOptions options_;
  const std::shared_ptr<SyncSignal> signal_ = std::make_shared<SyncSignal>();
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  bool started_ = false, stopped_ = false;
  TimedCondition released_;
  std::uint64_t releases_ = 0;
  /// Thread that ends unused informers; started with the first informer that has an `unused_timeout`.
  std::jthread ending_;
};

}  // namespace fairway::kube
