// SPDX-License-Identifier: Apache-2.0

// Incremental JSON parsing, of input in chunks cut anywhere: sequences of values, and documents that hold one
// long list.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::json {

/// Receives each complete value; an error stops the reader with that error.
using OnValue = std::function<Result<void>(Value value)>;

/// Reads a sequence of objects and lists, with or without white space between them, such as a watch stream.
/// The rules are those of `parse`.
///
/// Errors, after which nothing more is read: `invalid` (not JSON), `too_large`, and those of `on_value`.
class StreamReader {
 public:
  /// A value of more than `max_value_bytes` is an error; about that much is buffered at most.
  StreamReader(std::size_t max_value_bytes, OnValue on_value);
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  /// Feeds the next bytes, which may complete any number of values.
  Result<void> feed(std::string_view piece);
  /// The end of the input. An error (`unavailable`) if it ends in the middle of a value.
  Result<void> finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Reads one object that holds a list too long to keep in memory: items are delivered one by one. Errors are
/// those of `StreamReader`, and a list that occurs twice.
class ListReader {
 public:
  /// `member` is the list's key in the outermost object.
  ListReader(std::string member, OnValue on_item);
  /// `path` leads to the list, from object to object. Each item is allocated in the storage that `storage`
  /// returns, which is called after the item before it has been destroyed. An item, or everything outside the
  /// list, of more than `max_item_bytes` is an error (`too_large`); the size counts as compact JSON.
  ListReader(std::vector<std::string> path, OnValue on_item, std::function<Storage()> storage = {},
             std::size_t max_item_bytes = std::numeric_limits<std::size_t>::max());
  ~ListReader();
  ListReader(const ListReader&) = delete;
  ListReader& operator=(const ListReader&) = delete;

  Result<void> feed(std::string_view piece);
  /// The document with an empty list in place of the items. Not an object if the document is not one.
  Result<Value> finish();
  /// A string member that has been read so far, or "": of the outermost object, or of an object on the path
  /// to the list ("request.uid").
  std::string_view text(std::string_view key) const;
  /// Size of the item that was read last, counted as above.
  std::size_t item_bytes() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::json
