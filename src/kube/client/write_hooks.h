// SPDX-License-Identifier: Apache-2.0

// Callbacks for each write of a client.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/object.h"

namespace fairway::kube {

/// Functions that are called on the thread that writes. Any of them may be empty.
struct WriteHooks {
  /// Called before each request but GET and HEAD is sent, and before it is sent again; an error ends the
  /// call.
  std::function<Result<void>()> may_write = {};
  /// Called after an object, its status or its scale was created, replaced, patched or applied (no dry run),
  /// with the object as the server has it now; after a scale, with the Scale, which has the object's name and
  /// resourceVersion. Also called after a deletion that the server answers with the object: it is being
  /// deleted in that version, or was.
  std::function<void(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object)> written = {};
  /// Called after a deletion that the server answers with a Status; the uid is the one in that Status. Not
  /// called after `send`, nor after `remove_all`, whose answer does not tell deleted objects from objects
  /// that wait for finalizers.
  std::function<void(const k8s::GroupVersionResource& resource, const k8s::Key& key, std::string_view uid)>
      removed;
};

}  // namespace fairway::kube
