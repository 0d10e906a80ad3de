// What a request does, one function a verb.
#pragma once

#include "apiserver/rest/internal/call.h"
#include "http/message.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver {

using Answer = k8s::StatusResult<http::Response>;

Answer get(const Services& services, Call& call);
/// A GET without a name: a list, or a watch.
Answer list(const Services& services, Call& call);
Answer watch(const Services& services, Call& call, k8s::WatchOptions options);
Answer create(const Services& services, Call& call);
/// PUT.
Answer update(const Services& services, Call& call);
/// PATCH, of all types.
Answer patch(const Services& services, Call& call);
/// GET, PUT and PATCH of the subresource `scale`.
Answer scale(const Services& services, Call& call, std::string_view verb);
/// PATCH that is a server-side apply.
Answer apply_document(const Services& services, Call& call);
Answer remove(const Services& services, Call& call);
Answer remove_collection(const Services& services, Call& call);

/// A resourceVersion of a request; 0 for none and for "0". Errors (400): it is no number.
k8s::StatusResult<storage::Revision> parse_revision(std::string_view text);

}  // namespace fairway::apiserver
