// SPDX-License-Identifier: Apache-2.0

// Objects that a conversion webhook serves without their content, because they do not convert.
#pragma once

#include <optional>
#include <string>

#include "k8s/object.h"

namespace fairway::conversion {

/// The reason why an object is quarantined.
struct QuarantineReason {
  /// The error of the step, without the object's name; cut where it is very long.
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

/// The answer to a conversion.
struct ConvertedObject {
  k8s::Dynamic object = {};
  /// Set if `object` is quarantined: without content, and with the reason in an annotation.
  std::optional<QuarantineReason> quarantined = {};
};

}  // namespace fairway::conversion
