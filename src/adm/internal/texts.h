// SPDX-License-Identifier: Apache-2.0

// Sentences that several commands print.
#pragma once

#include <string>
#include <string_view>

#include "k8s/condition.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns a text whose further lines are indented by two spaces.
std::string indented(std::string_view text);

/// Returns the text that explains a condition: "\n  Reason: R\n  Message: M".
std::string explain(const k8s::Condition& condition);

/// Returns the status as the object has it, "True" or any other text.
std::string_view status_of(const k8s::Condition& condition);

/// Returns "Channel: C (available channels: a, b)\n"; empty without a channel. `upstream` is the name of the
/// line before it, "Upstream".
std::string channel_lines(const openshift::ClusterVersion& cluster, std::string_view upstream);

/// Returns the error for a cluster without a ClusterVersion. `first` is its first word.
std::string no_cluster_version(std::string_view first);

}  // namespace fairway::adm
