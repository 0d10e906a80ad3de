// SPDX-License-Identifier: Apache-2.0

// Conversion of files of objects: `fairway convert`, for programs with their own converters.
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
  std::string name = {};  ///< for errors
  std::string text = {};
};

/// Converts the objects of YAML or JSON texts with any number of documents, and the items of Lists; plain
/// scalars are typed as in kubectl (`k8s::read_documents`). The result is the object, or a List of several.
/// Errors name the text and the line of the object's document.
Result<json::Value> convert_documents(const Converters& converters, const std::vector<SourceText>& sources,
                                      std::string_view version);

}  // namespace fairway::conversion
