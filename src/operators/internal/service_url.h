// The URL of an update service, as the cluster-version operator reads it.
#pragma once

#include <string>
#include <string_view>

namespace fairway::operators {

/// Why Go's net/url refuses a URL, in its words: `parse "foo:b": first path segment in URL cannot contain
/// colon`; empty: it does not. Whether anybody can be asked there is another question: "foo" is accepted.
std::string refusal_of_go(std::string_view url);

}  // namespace fairway::operators
