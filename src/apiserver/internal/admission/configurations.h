// SPDX-License-Identifier: Apache-2.0

// The webhooks and policies that are stored, at any moment.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apiserver/internal/admission/policy.h"
#include "apiserver/internal/admission/webhook.h"
#include "apiserver/internal/storage/storage.h"
#include "base/result.h"

namespace fairway::apiserver::admission {

/// All webhooks and policies that admit writes. Immutable.
struct Configured {
  struct BoundPolicy {
    std::shared_ptr<const Policy> policy;
    std::vector<std::shared_ptr<const PolicyBinding>> bindings;
  };
  /// Webhooks in the order of their configurations' names, and within a configuration in that of its list.
  std::vector<std::shared_ptr<const Webhook>> mutating, validating;
  /// Policies with bindings, by name.
  std::vector<BoundPolicy> policies;

  bool empty() const { return mutating.empty() && validating.empty() && policies.empty(); }
};

/// Compiles each configuration once. A write sees everything that was configured before it came. Safe from
/// all threads.
class Configurations {
 public:
  /// Makes the configurations of a storage, which must outlive this.
  explicit Configurations(storage::Storage& storage) : storage_(storage) {}

  /// Returns the configuration of now. Errors: the storage could not be read.
  Result<std::shared_ptr<const Configured>> current();

 private:
  template <class Compiled>
  struct Entry {
    storage::RecordPtr record;
    Compiled compiled;
  };
  template <class Compiled>
  using Entries = std::map<std::string, Entry<Compiled>>;
  using Webhooks = std::vector<std::shared_ptr<const Webhook>>;

  /// Reads the changes of a resource. Returns whether there were any.
  template <class Compiled, class Compile>
  Result<bool> follow(const char* resource, Entries<Compiled>& entries, Compile compile);
  void publish();

  storage::Storage& storage_;
  std::mutex mutex_;
  storage::Revision read_until_ = -1;
  Entries<Webhooks> mutating_, validating_;
  Entries<std::shared_ptr<const Policy>> policies_;
  Entries<std::shared_ptr<const PolicyBinding>> bindings_;
  std::shared_ptr<const Configured> configured_ = std::make_shared<const Configured>();
};

}  // namespace fairway::apiserver::admission
