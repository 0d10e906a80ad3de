// SPDX-License-Identifier: Apache-2.0

// Conversion steps between versions.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Converts an object to another version. The framework sets apiVersion, and all of metadata except labels
/// and annotations, regardless of what the step does to them. A result without metadata keeps all of it.
///
/// A step is a pure function of the object and must not block. The object and its copies live in the arena of
/// one review: keep anything longer-lived as text.
using Step = std::function<Result<k8s::Dynamic>(k8s::Dynamic)>;

/// A converter of any strategy: converts an object to any version.
class Convertible {
 public:
  virtual ~Convertible() = default;
  virtual Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version) const = 0;
};

/// A converter between one version and its neighbour, the next older one.
class SimpleConverter {
 public:
  virtual ~SimpleConverter() = default;
  /// Converts from the neighbour to this version.
  virtual Result<k8s::Dynamic> upgrade_from(k8s::Dynamic older) const = 0;
  /// Converts from this version to the neighbour.
  virtual Result<k8s::Dynamic> downgrade(k8s::Dynamic object) const = 0;
};

/// A step of typed views: `function` takes a `From` and returns a `Result<To>`. It may move the document (`To
/// newer(older.release())`), which keeps all fields that it does not set.
template <class From, class To, class Function>
Step typed_step(Function function) {
  return [function = std::move(function)](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    Result<To> result = function(From(object.release()));
    if (!result) return fail(std::move(result.error()));
    return k8s::Dynamic(result->release());
  };
}

/// Returns the object unchanged but for its apiVersion: for versions with one schema.
inline Result<k8s::Dynamic> same_schema(k8s::Dynamic object) {
  return object;
}

/// An error that names a field, which becomes the cause in a failed review.
inline std::unexpected<Error> invalid_field(std::string_view path, std::string_view why) {
  return fail(ErrorCode::invalid, std::string(path) + ": " + std::string(why));
}

}  // namespace fairway::conversion
