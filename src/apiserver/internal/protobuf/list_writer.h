// SPDX-License-Identifier: Apache-2.0

// Lists and events of watches in protobuf, made of the messages of their objects.
#pragma once

#include <string>
#include <string_view>

#include "k8s/group_version.h"
#include "k8s/wire/list.h"
#include "k8s/wire/watch_event.h"

namespace fairway::apiserver::protobuf {

/// Writes a list of a kind, as Kubernetes's Go code does: metadata, then the items.
class ListWriter {
 public:
  /// Begins a list. The items of `head` are not written. `bytes`: about how many the items have.
  ListWriter(const k8s::ObjectList& head, std::size_t bytes);
  /// Adds an object by its message (`to_message`).
  void add(std::string_view message);
  /// Returns the list in its envelope. `kind` is the kind of the list: "PodList".
  std::string end(const k8s::GroupVersionKind& kind) const;

 private:
  std::string message_;
};

/// Returns one event of a watch as it is in the stream: its length in four bytes, the first one highest, and
/// a message with the type and the object. `enveloped_object` is what `enveloped` makes.
std::string watch_frame(std::string_view type, std::string_view enveloped_object);

}  // namespace fairway::apiserver::protobuf
