// SPDX-License-Identifier: Apache-2.0

// The difference that a round trip makes.
#pragma once

#include <string>
#include <vector>

#include "conversion/check/findings.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Returns what a round trip through another version makes of an object: members that do not come back
/// (`loses`), that come back with another value, or that were not there before (`changes`). `own` is the
/// object and `back` what it came back as, both in its own version. Of metadata, labels and annotations are
/// compared: API servers keep all other metadata. `schema` is that of the version and may be nullptr; it says
/// which keys identify the items of a list. Without them it is `name`, if each item has one of its own;
/// otherwise items are compared by place where there are as many as before, and the list as a whole where
/// not. A null equals an absent member. `find_lost_fields` has coarser rules, since it keeps what can be
/// restored; this names the member.
///
/// The annotation in which Fairway keeps lost fields is no change where the object had none.
std::vector<Finding> compare_round_trip(const k8s::Dynamic& own, const k8s::Dynamic& back,
                                        const json::Object* schema);

/// Returns a path without the numbers and keys of list items, as causes name it: "spec.ports[].port".
std::string path_of_cause(const std::string& path);

}  // namespace fairway::conversion
