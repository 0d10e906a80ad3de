// SPDX-License-Identifier: Apache-2.0

// The ID of a cluster, as the update service is told it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace fairway::operators {

/// Parses a cluster ID, and returns it as a UUID in the usual form. Accepted are the forms that the
/// cluster-version operator reads: with "urn:uuid:" before it, in braces, without dashes. The error is the
/// reason why it is invalid, in the words of the library that the cluster-version operator reads it with.
std::expected<std::string, std::string> read_cluster_id(std::string_view text);

}  // namespace fairway::operators
