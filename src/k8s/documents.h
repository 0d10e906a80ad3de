// SPDX-License-Identifier: Apache-2.0

// Files of objects, parsed as by kubectl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::k8s {

/// One document of a file.
struct Document {
  json::Value value = {};
  int line = 1;  ///< line at which it begins
  /// Duplicate keys, with `DuplicateKeys::last_wins`, in kubectl's words: `line 4: key "a" already set in
  /// map`.
  std::vector<std::string> duplicate_keys = {};
};

/// Handling of a key that a mapping holds more than once.
enum class DuplicateKeys { refused, last_wins };

/// Reads the documents of a YAML or JSON text; empty ones are skipped. Plain scalars are typed as in kubectl
/// (sigs.k8s.io/yaml, which reads YAML 1.1): `yes`, `on` and `y` are true, `0644`, `0o644` and `0x1a4` are
/// 420, `1_000` is 1000. Explicit tags are obeyed as by `yaml::parse`. Errors name the line: invalid YAML, or
/// text beyond the limits of `yaml::parse`; a number out of range (an integer beyond 64 bits, `1e999`); a
/// duplicate key, unless the last one is to win; a merge key (`<<`), which is not supported; a tag that is
/// unknown or does not fit its node.
Result<std::vector<Document>> read_documents(std::string_view text,
                                             DuplicateKeys duplicates = DuplicateKeys::refused);

}  // namespace fairway::k8s
