// SPDX-License-Identifier: Apache-2.0

// The verbs of requests, one function for each.
#pragma once

#include "apiserver/internal/rest/call.h"
#include "http/message.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver::rest {

using VerbResult = k8s::StatusResult<http::Response>;

VerbResult get(const Services& services, Call& call);
/// Handles GET without a name: a list, or a watch.
VerbResult list(const Services& services, Call& call);
VerbResult watch(const Services& services, Call& call, k8s::WatchOptions options);
VerbResult create(const Services& services, Call& call);
/// Handles PUT.
VerbResult update(const Services& services, Call& call);
/// Handles PATCH, of all types.
VerbResult patch(const Services& services, Call& call);
/// Handles GET, PUT and PATCH of the subresource `scale`.
VerbResult scale(const Services& services, Call& call, std::string_view verb);
/// Handles a PATCH that is a server-side apply.
VerbResult apply_document(const Services& services, Call& call);
VerbResult remove(const Services& services, Call& call);
VerbResult remove_collection(const Services& services, Call& call);

/// Parses a resourceVersion of a request; 0 for none and for "0". Errors (400): it is no number.
k8s::StatusResult<storage::Revision> parse_revision(std::string_view text);

}  // namespace fairway::apiserver::rest
