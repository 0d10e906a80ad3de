// SPDX-License-Identifier: Apache-2.0

#include "graph/problem.h"

namespace fairway::graph {

std::string Place::to_string() const {
  std::string text = file;
  if (line > 0) {
    text += ':';
    text += std::to_string(line);
    if (column > 0) {
      text += ':';
      text += std::to_string(column);
    }
  }
  return text;
}

json::Object Problem::to_json() const {
  json::Object object;
  object.reserve(5);
  object["kind"] = kind;
  if (!place.file.empty()) object["file"] = place.file;
  if (place.line > 0) object["line"] = place.line;
  if (place.column > 0) object["column"] = place.column;
  object["message"] = message;
  return object;
}

}  // namespace fairway::graph
