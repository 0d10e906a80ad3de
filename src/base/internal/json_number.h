// Numbers of JSON texts.
#pragma once

#include <string_view>

namespace fairway::json {

/// The double that is nearest to a number's whole text. Boost.JSON 1.81 reads numbers of many digits a last
/// bit off, so that they would change by being read and written; `otherwise` is what it read, and stays where
/// the text is beyond doubles.
double nearest_double(std::string_view text, double otherwise);

}  // namespace fairway::json
