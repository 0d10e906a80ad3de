// What a release image says of itself.
#pragma once

#include <string>

#include "openshift/cluster_version.h"
#include "operators/release.h"
#include "payload/release_image.h"
#include "payload/update_status.h"

namespace fairway::operators {

/// As ClusterVersion lists it.
ListedRelease release_of(const payload::ReleaseImage& image);

/// Adds what ClusterVersion lists of the release, by image, else by version, where it lacks it.
void add_listed(ListedRelease& release, const openshift::ClusterVersion& cluster);

/// ReleaseAccepted=True. `local`: it had been accepted before.
payload::LoadStatus loaded_status(const payload::ReleaseImage& image, const std::string& version,
                                  std::string accepted_risks, bool local);

}  // namespace fairway::operators
