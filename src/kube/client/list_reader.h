// Lists as servers send them, read while they come.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/json_stream.h"
#include "kube/client/options.h"

namespace fairway::kube {

/// Hands on the objects of a list one by one, so that neither its text nor all of its objects need to be
/// held.
class ListReader {
 public:
  /// An error of `on_object` ends the reading with that error.
  explicit ListReader(std::function<Result<void>(k8s::Dynamic object)> on_object);

  Result<void> feed(std::string_view piece);
  /// What a list is beside its objects; `items` is empty. Errors (`unavailable`): the server sent something
  /// else than a list, or not all of it.
  Result<ObjectList> finish();

 private:
  Result<void> take(json::Value item);
  Result<void> hand_on(json::Object item);

  std::function<Result<void>(k8s::Dynamic object)> on_object_;
  json::ListReader document_;
  /// Objects that came before the list said of which kind they are.
  std::vector<json::Object> early_;
};

}  // namespace fairway::kube
