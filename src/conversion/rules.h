// Converters as data: which fields move, which only one version has, which values mean what.
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
/// Going up, the rules of a step are followed in their order; going down, from the last to the first, each
/// the other way round. A field that only the other version has is removed; one that only this version has
/// gets the default where it is not there. Of values that are named twice, the first one counts. An object on
/// the way of a field that moved away goes with its last member. Errors name the line and what is wrong
/// there.
Result<void> add_rules(std::string_view text, Converters& converters);

}  // namespace fairway::conversion
