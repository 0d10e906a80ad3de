// SPDX-License-Identifier: Apache-2.0

// The marks of a quarantined object: one that does not convert to the version that was asked for, and that
// is served without content (docs/conversion-quarantine.md).
#pragma once

#include <string_view>

#include "k8s/view.h"

namespace fairway::k8s {

/// The annotation that says why an object is quarantined, in which step of its conversion, and in which
/// version it is stored.
inline constexpr std::string_view quarantined_annotation = "conversion.fairway.dev/quarantined";
/// The annotation with the content of the object as it is stored.
inline constexpr std::string_view original_annotation = "conversion.fairway.dev/original";

/// Returns whether an object has the mark of a quarantined one. Nothing but its metadata may be used then:
/// what its content would be is not known. Whoever may write objects of a kind that is not quarantined can
/// set the mark as well.
bool is_quarantined(const View& object);

/// Returns whether an object has both marks and no content: nothing but apiVersion, kind and metadata. Where
/// the schema of its version gives an empty object defaults, API servers serve quarantined objects with
/// these, and only who knows the schema can tell.
bool has_only_marks(const View& object);

/// Returns whether objects of a group may be quarantined: not those of the kinds that Kubernetes has itself,
/// which are not converted by a webhook.
bool may_be_quarantined(std::string_view group);

}  // namespace fairway::k8s
