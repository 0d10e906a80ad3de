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

/// The name of the ConfigMap, in the operator's namespace. Whoever may write it decides which releases the
/// cluster takes, and so what runs in it.
inline constexpr const char* release_keys_map = "fairway-release-keys";

/// True where an update cannot be verified, whatever it is; absent where it can, or need not.
inline constexpr const char* release_keys_missing = "fairway.dev/ReleaseKeysMissing";

/// How an administrator comes to verified updates, or does without: the end of a message.
std::string how_to_give_keys(const k8s::Key& config_map);

/// The keys that the ConfigMap has now; none where there is no ConfigMap. Errors: it cannot be read, or is
/// not as it should be (`payload::read_trusted_keys`).
Result<payload::TrustedKeys> read_release_keys(kube::Client& client, const k8s::Key& config_map,
                                               const Limits& limits);

/// Why keys that are in the release that runs (the newest of the history) do not count; empty: they do. A key
/// that counted has signed it, or the administrator has installed it: it is the only one there ever was, and
/// no risk of it was accepted. Known by its digest in any case, as a tag may be another image by now.
std::string distrust_of(const openshift::ClusterVersion& cluster);

/// The condition `release_keys_missing` where `keys` count for an update (how many, or why that is not
/// known); std::nullopt: it is absent. `note`: more that is worth knowing where there are none.
std::optional<Finding> judge_release_keys(const Result<std::size_t>& keys, bool allow_unsigned,
                                          const k8s::Key& config_map, const std::string& note);

/// Calls `on_change` when the ConfigMap has changed, until it is destroyed. It is a hint: where the ConfigMap
/// cannot be watched there is none, and the log says so.
class ReleaseKeysWatch {
 public:
  ReleaseKeysWatch(std::shared_ptr<kube::Client> client, const k8s::Key& config_map,
                   const std::function<void()>& on_change);

 private:
  kube::Informers informers_;
};

}  // namespace fairway::operators
