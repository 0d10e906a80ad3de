// The images that versions were served with: a version's image does not change by itself.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/snapshot.h"
#include "updateservice/builder.h"
#include "updateservice/guards.h"

namespace fairway::updateservice {

/// Far more than any fleet of releases. Beyond it new versions are not remembered: to forget old ones would
/// let a source that offers many make room for other images of theirs.
inline constexpr std::size_t max_payloads = 100'000;

/// Makes inputs go by the images that are known of before: of several images for one version the known one
/// counts; where it is not offered any more, the release comes from the inputs `before` (null: there were
/// none) or is left out. A known image of the form "@DIGEST" is one that another replica serves: only a
/// source can offer it. An image that `accepted` names takes the place of the known one. Nodes of upstreams
/// get the known image. Each conflict adds a problem (payload_conflict). Releases of the wrong image are
/// removed from `inputs`, and the revision of what was changed is another than its source's.
void keep_payloads(BuiltInputs& inputs, const BuiltInputs* before, const Payloads& known,
                   const Accepted& accepted, std::vector<graph::Problem>& problems);

/// Adds what a snapshot serves: versions with an image that some channel lists.
void remember_payloads(const graph::Snapshot& snapshot, Payloads& known);

}  // namespace fairway::updateservice
