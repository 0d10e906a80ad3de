// SPDX-License-Identifier: Apache-2.0

// Converters as data: fields that move, that only one version has, and values with other names.
#pragma once

#include <string_view>

#include "base/result.h"
#include "conversion/converters.h"

namespace fairway::conversion {

/// Adds the kinds of a YAML or JSON text to `converters`; each document is a kind:
///
///     group: widgets.example.com
///     kind: Widget
///     storage: v1                 # may be left out
///     keepLostFields: true        # may be left out
///     steps:
///     - older: v1alpha1
///       newer: v1beta1
///       fields:
///       - {newer: spec.replicas, default: 1}            # only the newer version has it
///     - older: v1beta1
///       newer: v1
///       fields:
///       - {older: spec.size, newer: spec.capacity.size} # it has moved
///       - {older: spec.legacy}                          # only the older version has it
///       - {newer: "spec.ports[].protocol"}              # of each item
///       - older: spec.tier                              # its values have other names
///         newer: spec.class
///         values: [{older: small, newer: S}, {older: large, newer: L}, {older: large, newer: XL}]
///
/// Upgrades apply the rules of a step in order; downgrades from the last to the first, each in
/// reverse. A field that only the other version has is removed; one that only this version has
/// gets the default if absent. If a value is listed twice, the first entry is used. A parent
/// object of a moved field is removed when it becomes empty. Errors name the line and the
/// fault.
Result<void> add_rules(std::string_view text, Converters& converters);

}  // namespace fairway::conversion
