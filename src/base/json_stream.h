// JSON that comes in pieces, cut anywhere: values one after the other, and documents with a long list in
// them.
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

/// Takes a value that is whole; an error ends the reading with that error.
using OnValue = std::function<Result<void>(Value value)>;

/// Reads objects and lists that follow one another, with white space between them or without: what a server
/// sends that has no end. The rules are those of `parse`.
///
/// Errors, after which nothing more is read: `invalid` (no JSON), `too_large`, and those of `on_value`.
class StreamReader {
 public:
  /// A value of more than `max_value_bytes` is an error, and no more than about that much is held.
  StreamReader(std::size_t max_value_bytes, OnValue on_value);
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  /// The next bytes; any number of values may be complete with them.
  Result<void> feed(std::string_view piece);
  /// No more bytes come. An error (`unavailable`) where that is in the middle of a value.
  Result<void> finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Reads one object of which one member is a list that is too long to be held: its items are handed on one by
/// one. Errors as of `StreamReader`, and where the list is there twice.
class ListReader {
 public:
  /// `member` is the list's key in the outermost object.
  ListReader(std::string member, OnValue on_item);
  /// `path` leads to the list, from object to object. Each item is made in what `storage` gives then; the
  /// item before it is gone when it is asked. An item, or all that is not in the list, of more than
  /// `max_item_bytes` is an error (`too_large`); counted as the shortest JSON text that says the same.
  ListReader(std::vector<std::string> path, OnValue on_item, std::function<Storage()> storage = {},
             std::size_t max_item_bytes = std::numeric_limits<std::size_t>::max());
  ~ListReader();
  ListReader(const ListReader&) = delete;
  ListReader& operator=(const ListReader&) = delete;

  Result<void> feed(std::string_view piece);
  /// The document without the items: the list is there, and empty. Not an object where the document is none.
  Result<Value> finish();
  /// A text that has been read so far, or "": of the outermost object, or of one on the way to the list
  /// ("request.uid").
  std::string_view text(std::string_view key) const;
  /// How long the item that was read last is, as above.
  std::size_t item_bytes() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::json
