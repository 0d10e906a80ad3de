// Files of objects, converted: what `fairway convert` does, for programs that have converters of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "conversion/converters.h"

namespace fairway::conversion {

/// A file of objects.
struct SourceText {
  std::string name;  ///< for errors
  std::string text;
};

/// Converts the objects of YAML or JSON texts of any number of documents, those of a List one by one; plain
/// scalars are what kubectl reads (`k8s::read_documents`). The result is the object, or, of several, a List
/// of them all. Errors name the text and the line of the object's document.
Result<json::Value> convert_documents(const Converters& converters, const std::vector<SourceText>& sources,
                                      std::string_view version);

}  // namespace fairway::conversion
