// SPDX-License-Identifier: Apache-2.0

// Completion of a Pod from the ServiceAccount, PriorityClass and RuntimeClass that it names.
#pragma once

#include "apiserver/internal/storage/storage.h"
#include "base/random.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::resources {

/// Treatment of the ServiceAccounts that Pods name.
enum class PodAccounts {
  looked_up,  ///< accounts have to exist, but for `default`, where nobody gives it to namespaces
  ignored,    ///< accounts need not exist, as without the plugin ServiceAccount
  required,   ///< accounts have to exist, as with the plugin
};

/// The plugins that complete a Pod.
struct PodPlugins {
  PodAccounts accounts = PodAccounts::looked_up;
  /// True if containers get the defaults of LimitRanges, as with the plugin LimitRanger.
  bool limit_ranger = true;
};

/// Completes a Pod that is about to be created, as the plugins ServiceAccount, Priority and RuntimeClass of
/// kube-apiserver do. A Pod that names a ServiceAccount, PriorityClass or RuntimeClass that does not exist is
/// refused with 403. Containers get the requests and limits that LimitRanges have for those without
/// (limit_defaults.h). `random` makes the name of the volume for the account's token.
/// Rules: plugin/pkg/admission of k8s.io/kubernetes.
k8s::StatusResult<void> complete_pod(storage::Storage& storage, k8s::Dynamic& pod, const PodPlugins& plugins,
                                     const Random& random);

/// Refuses a second PriorityClass that is the default of all Pods (403). `old` is null for a create.
k8s::StatusResult<void> check_default_priority(storage::Storage& storage, const k8s::Dynamic& priority,
                                               const k8s::Dynamic* old);

}  // namespace fairway::apiserver::resources
