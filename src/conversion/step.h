// What turns an object of one version into one of another.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Gives the object in another version. The framework sets apiVersion, and all of metadata but labels and
/// annotations, whatever the step does with them. A result without metadata keeps all of them.
///
/// A step is a function of the object alone, and waits for nothing. The object and its copies live in the
/// memory of one review: what is to be kept longer is kept as text.
using Step = std::function<Result<k8s::Dynamic>(k8s::Dynamic)>;

/// Any strategy: an object to whatever version. spec: crd-versioning, Impl
class Convertible {
 public:
  virtual ~Convertible() = default;
  virtual Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version) const = 0;
};

/// One version and its neighbour, the next older one. spec: crd-versioning, knative/pkg/convert
class SimpleConverter {
 public:
  virtual ~SimpleConverter() = default;
  /// From the neighbour to this version.
  virtual Result<k8s::Dynamic> upgrade_from(k8s::Dynamic older) const = 0;
  /// From this version to the neighbour.
  virtual Result<k8s::Dynamic> downgrade(k8s::Dynamic object) const = 0;
};

/// A step of typed views: `function` takes a `From` and gives a `Result<To>`. It may take the document over
/// (`To newer(older.release())`), which keeps all fields that it does not touch.
template <class From, class To, class Function>
Step typed_step(Function function) {
  return [function = std::move(function)](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    Result<To> result = function(From(object.release()));
    if (!result) return fail(std::move(result.error()));
    return k8s::Dynamic(result->release());
  };
}

/// The same object but for its apiVersion: for versions with one schema.
inline Result<k8s::Dynamic> same_schema(k8s::Dynamic object) {
  return object;
}

/// An error that names a field; it is shown as the cause of a failed review.
inline std::unexpected<Error> invalid_field(std::string_view path, std::string_view why) {
  return fail(ErrorCode::invalid, std::string(path) + ": " + std::string(why));
}

}  // namespace fairway::conversion
