// SPDX-License-Identifier: Apache-2.0

// Defaulting.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "base/result.h"

namespace fairway::schema {

/// Limit on added values. Defaults nest, so a small schema can make an object of any size. No request could
/// carry more values than this.
inline constexpr std::size_t max_default_values = 1'000'000;

/// The treatment of a null that is not `nullable` and has no default.
enum class Nulls {
  removed,  ///< it counts as absent: in objects that a client sends, that are stored, or that were converted
  kept,     ///< for validation to refuse: in objects that were applied, or made by a webhook
};

/// Sets the defaults of a schema, as the API server does on writes and on reads from etcd. A null that is not
/// `nullable` counts as absent: it is replaced by the default, or else removed; in a list it stays if items
/// have no default. Members of defaults are defaulted too.
///
/// True if the object has changed. Error `too_large`, with some defaults missing, if more than `max_values`
/// values would be added.
Result<bool> fill_in_defaults(json::Object& object, const json::Object& schema,
                              std::size_t max_values = max_default_values, Nulls nulls = Nulls::removed);

/// Removes the nulls that count as absent and have no default, and sets none. True if there was one.
bool remove_nulls(json::Object& object, const json::Object& schema);

}  // namespace fairway::schema
