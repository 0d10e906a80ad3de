// SPDX-License-Identifier: Apache-2.0

// Keys that releases are verified with, from a ConfigMap of the cluster, and what ClusterVersion says of
// them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "k8s/object.h"
#include "kube/client/client.h"
#include "kube/informer/informer.h"
#include "openshift/cluster_version.h"
#include "operators/retrieval.h"
#include "payload/trusted_keys.h"

namespace fairway::operators {

/// The name of the ConfigMap, in the operator's namespace. Anyone who may write it decides which releases the
/// cluster accepts, and so what runs in it.
inline constexpr const char* release_keys_map = "fairway-release-keys";

/// The condition that is True if no update can be verified, and absent if updates can be verified or need not
/// be.
inline constexpr const char* release_keys_missing = "fairway.dev/ReleaseKeysMissing";

/// Returns the end of a message: how an administrator enables verified updates, or does without.
std::string how_to_give_keys(const k8s::Key& config_map);

/// Reads the keys that the ConfigMap has now; none if there is no ConfigMap. Errors: it cannot be read, or is
/// invalid (`payload::read_trusted_keys`).
Result<payload::TrustedKeys> read_release_keys(kube::Client& client, const k8s::Key& config_map,
                                               const Limits& limits);

/// Returns why keys in the release that runs (the newest of the history) do not count; empty: they do. They
/// count if a key that counted has signed the release, or the administrator has installed it: it is the only
/// one of the history, and no risk of it was accepted. In any case it must be known by its digest, as a tag
/// may be another image by now.
std::string distrust_of(const openshift::ClusterVersion& cluster);

/// Returns the condition `release_keys_missing`. `keys` is the number of keys that count for an update, or
/// why it is not known. std::nullopt: the condition is absent. `note`: a further fact for the message if
/// there are no keys.
std::optional<Finding> judge_release_keys(const Result<std::size_t>& keys, bool allow_unsigned,
                                          const k8s::Key& config_map, const std::string& note);

/// Watch that calls `on_change` when the ConfigMap has changed, until it is destroyed. It is only a hint: if
/// the ConfigMap cannot be watched, there are no calls, and the log says so.
class ReleaseKeysWatch {
 public:
  ReleaseKeysWatch(std::shared_ptr<kube::Client> client, const k8s::Key& config_map,
                   const std::function<void()>& on_change);

 private:
  kube::Informers informers_;
};

}  // namespace fairway::operators
