// SPDX-License-Identifier: Apache-2.0

// A quarantined object as a document: made from one that does not convert, and the original out of it.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "conversion/quarantine.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Returns whether an object has no content but `defaults`, the members that its version's schema gives an
/// empty object: only apiVersion, kind and metadata are its own. API servers fill in the defaults of an
/// object whenever they read or write it.
bool has_no_content(const k8s::Dynamic& object, const json::Object& defaults);

/// Returns an object without its content, in another version: metadata as it is, and in two annotations why
/// it is quarantined, and the content as it is in the object's own version. The same object and reason give
/// the same annotations. Errors: `too_large`, if all annotations together would exceed their limit;
/// `invalid`, if annotations are there and no object, or if one of the two is there: it may hold an original.
Result<k8s::Dynamic> make_quarantined(k8s::Dynamic original, std::string_view api_version,
                                      const QuarantineReason& reason);

/// Returns the original of a quarantined object: the content of its annotation in the version in which it
/// was stored, with the metadata of `object` without the two annotations. Errors (`invalid`): an annotation
/// is missing or is not as `make_quarantined` writes it, or is of another group than `object`.
Result<k8s::Dynamic> restore_original(const k8s::Dynamic& object);

/// Reads the annotation that says why an object is quarantined, which may be anybody's: the reason and the
/// step are made printable, and cut at `longest_reason`. Error (`invalid`): it is not there, or is not as
/// `make_quarantined` writes it.
Result<QuarantineReason> read_reason(const k8s::Dynamic& object);

}  // namespace fairway::conversion
