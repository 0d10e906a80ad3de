// Streaming parser for lists of objects.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/json_stream.h"
#include "kube/client/options.h"

namespace fairway::kube {

/// Delivers the objects of a list one by one, so that neither its text nor all objects are held in
/// memory.
class ListReader {
 public:
  /// An error of `on_object` stops the reader with that error.
  explicit ListReader(std::function<Result<void>(k8s::Dynamic object)> on_object);

  Result<void> feed(std::string_view piece);
  /// The list without its objects (`items` is empty). Errors (`unavailable`): the reply is not a list, or is
  /// truncated.
  Result<ObjectList> finish();

 private:
  Result<void> take(json::Value item);
  Result<void> hand_on(json::Object item);

  std::function<Result<void>(k8s::Dynamic object)> on_object_;
  json::ListReader document_;
  /// Objects that arrived before the list's `kind` and `apiVersion`.
  std::vector<json::Object> early_;
};

}  // namespace fairway::kube
