// Files of objects, converted: what `fairway convert` does, for programs that have converters of their own.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "conversion/converters.h"

namespace fairway::conversion {

/// Converts the objects of a YAML or JSON text of any number of documents, those of a List one by one. The
/// result is the object, or, of several, a List of them. Errors name the line of the object's document.
Result<json::Value> convert_documents(const Converters& converters, std::string_view text,
                                      std::string_view version);

}  // namespace fairway::conversion
