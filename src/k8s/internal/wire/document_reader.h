// SPDX-License-Identifier: Apache-2.0

// Reading a document whose members have to be of their type, with errors that name the member.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::k8s {

/// Reads one object of a document. The first fault is kept, and everything read after it is empty. Null
/// counts as absent.
class DocumentReader {
 public:
  /// Creates a reader. `fault` is shared by all readers of a document; `path` is the place of the object in
  /// it: "items[0].".
  DocumentReader(const json::Object& object, std::string path, std::string& fault)
      : object_(object), path_(std::move(path)), fault_(fault) {}

  std::string text(std::string_view name);
  /// Reads a text that must be present and not empty.
  std::string required(std::string_view name);
  bool flag(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  /// Returns the objects of a list.
  std::vector<DocumentReader> items(std::string_view name);
  std::optional<DocumentReader> object(std::string_view name);
  void fail(std::string_view name, std::string_view why);

 private:
  const json::Value* find(std::string_view name) const;

  const json::Object& object_;
  std::string path_;
  std::string& fault_;
};

}  // namespace fairway::k8s
