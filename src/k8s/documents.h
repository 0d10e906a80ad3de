// Files of objects, as kubectl reads them.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::k8s {

/// One document of a file.
struct Document {
  json::Value value;
  int line = 1;  ///< where it begins
};

/// Reads the documents of a YAML or JSON text; those without content are left out. Plain scalars are what
/// kubectl makes of them (sigs.k8s.io/yaml, which reads YAML 1.1): `yes`, `on` and `y` are true, `0644`,
/// `0o644` and `0x1a4` are 420, `1_000` is 1000. Errors name the line: what is no YAML, a key that stands
/// twice, and a merge key (`<<`), which is not offered.
Result<std::vector<Document>> read_documents(std::string_view text);

}  // namespace fairway::k8s
