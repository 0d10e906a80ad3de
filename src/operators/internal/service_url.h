// SPDX-License-Identifier: Apache-2.0

// The URL of an update service, as the cluster-version operator reads it.
#pragma once

#include <string>
#include <string_view>

namespace fairway::operators {

/// Returns why Go's net/url refuses a URL, in its words: `parse "foo:b": first path segment in URL cannot
/// contain colon`; empty: it accepts it. An accepted URL may still be unusable, as "foo".
std::string refusal_of_go(std::string_view url);

}  // namespace fairway::operators
