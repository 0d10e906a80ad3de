// SPDX-License-Identifier: Apache-2.0

// The architectures of the release that a cluster runs, as its ClusterVersion tells of them.
#pragma once

#include <string_view>

#include "openshift/cluster_version.h"

namespace fairway::adm {

enum class Architectures { unknown, one, several };

/// Returns the architectures of an image: `status.desired` has `architecture: Multi` for an image of several,
/// and ReleaseAccepted=True names them in its message. `unknown`: neither is about this image.
Architectures architectures_of(const openshift::ClusterVersion& cluster, std::string_view image);

/// Returns whether an update (`spec.desiredUpdate`) asks for the image of several architectures of a version.
/// The version alone does not tell then whether the cluster has it.
bool asks_for_several_architectures(const k8s::View& update);

}  // namespace fairway::adm
