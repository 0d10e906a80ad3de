// SPDX-License-Identifier: Apache-2.0

// Objects that a conversion webhook serves without their content, because they do not convert.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Limit on the text of a reason, in bytes.
inline constexpr std::size_t longest_reason = 1024;

/// The reason why an object is quarantined.
struct QuarantineReason {
  /// The error of the step, without the object's name; printable, and at most `longest_reason`.
  std::string why = {};
  /// The step that failed: "v1beta1 to v1".
  std::string step = {};
  /// The version in which the original is stored: "v1beta1".
  std::string stored_version = {};
};

/// An object that was quarantined in the version that was asked for.
struct QuarantinedObject {
  std::string group = {}, kind = {}, version = {};
  k8s::Key key = {};
  std::string uid = {}, resource_version = {};
  QuarantineReason reason = {};
};

/// A function that gets quarantined objects, for Events: each once an hour, and again when it has changed. It
/// is called on the threads that answer reviews, and must not block.
using OnQuarantined = std::function<void(const QuarantinedObject& object)>;

/// A function that reads an object from the API server; it may block.
using ReadObject =
    std::function<Result<k8s::Dynamic>(const k8s::GroupVersionResource& resource, const k8s::Key& key)>;

/// The functions that the webhooks of quarantined kinds call; each may be empty.
struct QuarantineHooks {
  OnQuarantined on_quarantined = {};
  /// Reads the object whose scale is written: that write does not show a webhook the object. A kind with the
  /// subresource scale is quarantined only with it.
  ReadObject read = {};
};

/// The answer to a conversion.
struct ConvertedObject {
  k8s::Dynamic object = {};
  /// Set if `object` is quarantined: without content, and with the reason in an annotation.
  std::optional<QuarantineReason> quarantined = {};
};

}  // namespace fairway::conversion
