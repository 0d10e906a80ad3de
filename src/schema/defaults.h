// Defaulting.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "base/result.h"

namespace fairway::schema {

/// Defaults nest, so a small schema can make an object of any size. No request could carry more values than
/// this.
inline constexpr std::size_t max_default_values = 1'000'000;

/// Sets the defaults of a schema, as the API server does on writes and on reads from etcd. A null that is not
/// `nullable` counts as absent: it is removed, or replaced by the default; in a list it stays if items have
/// no default. Members of defaults are defaulted too.
///
/// True if the object has changed. Error `too_large`, with some defaults missing, if more than `max_values`
/// values would be added.
Result<bool> fill_in_defaults(json::Object& object, const json::Object& schema,
                              std::size_t max_values = max_default_values);

}  // namespace fairway::schema
