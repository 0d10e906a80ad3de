// SPDX-License-Identifier: Apache-2.0

// Streaming writer and parser for lists of objects.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_stream.h"
#include "k8s/object.h"

namespace fairway::k8s {

struct ObjectList {
  std::vector<Dynamic> items = {};
  /// resourceVersion of the list; a watch starts from it.
  std::string resource_version = {};
  /// Continue token; empty: this was the last page.
  std::string continue_token = {};
  /// Number of objects after this page (`remainingItemCount`); servers omit it for lists with a selector.
  std::optional<std::int64_t> remaining = {};
};

/// Appends a list to a string, object by object. `kind` and `apiVersion` come first, so that a reader can
/// deliver items without them at once.
class ListWriter {
 public:
  /// Begins a list. `kind` is the kind of the list: "WidgetList". The items of `list` are not written.
  ListWriter(std::string& out, const GroupVersionKind& kind, const ObjectList& list);
  void add(const json::Object& object);
  /// Appends an object that is given as JSON text.
  void add(std::string_view object);
  /// Ends the list. Must be called last.
  void end();

 private:
  void separate();

  std::string& out_;
  bool first_ = true;
};

/// Returns the list and its items as JSON text.
std::string to_text(const GroupVersionKind& kind, const ObjectList& list);

/// Delivers the objects of a list one by one, so that neither its text nor all objects are held in
/// memory.
class ListReader {
 public:
  /// Creates a reader. An error of `on_object` stops it with that error.
  explicit ListReader(std::function<Result<void>(Dynamic object)> on_object);

  Result<void> feed(std::string_view piece);
  /// Returns the list without its objects (`items` is empty). Errors (`unavailable`): the reply is not a
  /// list, or is truncated.
  Result<ObjectList> finish();

 private:
  Result<void> take(json::Value item);
  Result<void> hand_on(json::Object item);

  std::function<Result<void>(Dynamic object)> on_object_;
  json::ListReader document_;
  /// Objects that arrived before the list's `kind` and `apiVersion`.
  std::vector<json::Object> early_;
};

}  // namespace fairway::k8s
