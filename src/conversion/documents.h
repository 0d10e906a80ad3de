// SPDX-License-Identifier: Apache-2.0

// Conversion of files of objects: `fairway convert`, for programs with their own converters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "conversion/converters.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// A file of objects.
struct SourceText {
  std::string name = {};  ///< for errors
  std::string text = {};
};

/// Reads the objects of a YAML or JSON text with any number of documents, and the items of Lists, as
/// `convert_documents` does. Errors name the text and the line of the object's document; a text without
/// objects, and without a List, is one.
Result<std::vector<k8s::Dynamic>> read_objects(const SourceText& source);

/// Converts the objects of YAML or JSON texts with any number of documents, and the items of Lists; plain
/// scalars are typed as in kubectl (`k8s::read_documents`). The result is the object, or a List of several.
/// Errors name the text and the line of the object's document.
Result<json::Value> convert_documents(const Converters& converters, const std::vector<SourceText>& sources,
                                      std::string_view version);

}  // namespace fairway::conversion
