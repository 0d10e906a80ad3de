// The ID of a cluster, as the update service is told it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace fairway::operators {

/// A UUID in its usual form, of one in any of the forms that the cluster-version operator reads: with
/// "urn:uuid:" before it, in braces, without dashes. Otherwise why it is none, in the words of the library
/// that reads it there.
std::expected<std::string, std::string> read_cluster_id(std::string_view text);

}  // namespace fairway::operators
