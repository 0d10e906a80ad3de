// SPDX-License-Identifier: Apache-2.0

// Lists and events of watches in protobuf, made of the messages of their objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/group_version.h"
#include "k8s/wire/list.h"
#include "k8s/wire/watch_event.h"

namespace fairway::apiserver::protobuf {

/// Returns a list in its envelope, as Kubernetes's Go code writes it: metadata, then the items. `kind` is the
/// kind of the list: "PodList". `messages` are those of the objects (`to_message`); the items of `head` are
/// not written.
std::string list_answer(const k8s::GroupVersionKind& kind, const k8s::ObjectList& head,
                        const std::vector<const std::string*>& messages);

/// Returns one event of a watch as it is in the stream: its length in four bytes, the first one highest, and
/// a message with the type and the object. `enveloped_object` is what `enveloped` makes.
std::string watch_frame(std::string_view type, std::string_view enveloped_object);

}  // namespace fairway::apiserver::protobuf
