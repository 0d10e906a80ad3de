// What Envoy says when it refuses something, for those who wrote it.
#pragma once

#include <string>

namespace fairway::xds {

/// Envoy's words without the resource, which it prints before them where a value is out of its range, and
/// which may have parts of others in it. Where it is too long for the words to follow, what is known.
std::string refusal_words(const std::string& said);

}  // namespace fairway::xds
