// SPDX-License-Identifier: Apache-2.0

// Asks an API server which groups, versions and resources it serves.
#pragma once

#include <chrono>
#include <map>

#include "k8s/wire/discovery.h"
#include "kube/client/client.h"

namespace fairway::kube {

/// The resources that a server serves.
struct ServedResources {
  k8s::Discovery discovery = {};
  /// Reasons why versions of `discovery` are `stale`. Their resources are outdated or missing.
  std::map<k8s::GroupVersion, Error> unavailable = {};
  /// Resources of stale versions, as an earlier discovery found them. `ResourceMapper` keeps them; `discover`
  /// leaves this empty.
  std::map<k8s::GroupVersion, k8s::DiscoveredVersion> earlier = {};
};

struct DiscoveryOptions {
  /// True to ask for the aggregated documents; false for the plain ones, with one request per version.
  bool aggregated = true;
  /// Number of plain documents that are requested at once.
  int concurrency = 8;
  /// Timeout for the plain document of one version; a server behind the API server may hang.
  std::chrono::nanoseconds version_timeout = std::chrono::seconds(5);
};

/// Returns the groups in the server's order, the core group first.
///
/// Asks /api and /apis for the aggregated documents (apidiscovery.k8s.io/v2, Kubernetes 1.30; v2beta1, 1.26).
/// A server that does not offer them replies with the plain ones, or with 404 or 406 and is then asked for
/// the plain ones; so is a server whose aggregated document cannot be read.
/// A version whose plain document is an error reply, cannot be read or does not come in time is stale, as in
/// client-go. A server with 404 for /api has no core group (aggregated API servers).
/// The client's rate limit does not apply (client-go's discovery has one of its own, with a burst of 300).
/// Errors: everything else means that the server could not be asked: no reply, even after some documents; an
/// error reply for /api or /apis; a document that cannot be read. The code is never `not_found`, `conflict`
/// or `invalid`, whatever the reply: those are answers about a kind or a name (see `ResourceMapper`).
Result<ServedResources> discover(Client& client, const DiscoveryOptions& options = {},
                                 const Limits& limits = {});

}  // namespace fairway::kube
