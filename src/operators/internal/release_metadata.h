// SPDX-License-Identifier: Apache-2.0

// A release as its image describes it.
#pragma once

#include <string>
#include <string_view>

#include "openshift/cluster_version.h"
#include "operators/release.h"
#include "payload/release_image.h"
#include "payload/update_status.h"

namespace fairway::operators {

/// Returns the release of an image, as ClusterVersion lists it.
ListedRelease release_of(const payload::ReleaseImage& image);

/// Adds the data of the release that it lacks and ClusterVersion lists, by image, else by version.
void add_listed(ListedRelease& release, const openshift::ClusterVersion& cluster);

/// Returns whether ClusterVersion says of an image that it is one of several architectures: `status.desired`
/// does where architectures are listed, and ReleaseAccepted once the release has been loaded.
bool is_multi(const openshift::ClusterVersion& cluster, std::string_view version, std::string_view image);

/// Returns the state of ReleaseAccepted=True. `local`: the release had been accepted before.
payload::LoadStatus loaded_status(const payload::ReleaseImage& image, const std::string& version,
                                  std::string accepted_risks, bool local);

}  // namespace fairway::operators
