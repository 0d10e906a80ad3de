// All kinds that a program converts.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conversion/kind_converters.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::conversion {

/// Filled when the program starts, then prepared, then only read: safe from all threads.
///
///     conversion::Converters converters;
///     converters.kind("widgets.example.com", "Widget")
///         .storage("v1")
///         .step<v1alpha1::Widget, v1beta1::Widget>(upgrade, downgrade)
///         .step<v1beta1::Widget, v1::Widget>(upgrade, downgrade)
///         .keep_lost_fields();
///     if (auto ready = converters.prepare(); !ready) return report(ready.error());
class Converters {
 public:
  /// The kind's converters, made when first asked for. The reference stays valid.
  KindConverters& kind(std::string_view group, std::string_view kind);

  /// Checks that there is a way between each two versions of each kind, both ways. With definitions, their
  /// versions (served or not) and stored versions count too, and a definition of a kind with several versions
  /// for which there are no converters is an error. All that is wrong is in the error.
  Result<void> prepare(const std::vector<k8s::CustomResourceDefinition>& definitions = {});

  /// Whether each two versions of a definition as the server has it are converted both ways, where it asks a
  /// webhook: a newer release may have registered it. Errors as above.
  Result<void> check(const k8s::CustomResourceDefinition& on_server) const;

  /// nullptr where there are none.
  const KindConverters* find(std::string_view group, std::string_view kind) const;
  const std::list<KindConverters>& kinds() const { return kinds_; }

  /// The object in the version "GROUP/VERSION" or "VERSION" of its kind. Errors: no converters for its kind,
  /// another group, what its steps say.
  Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version) const;

 private:
  std::list<KindConverters> kinds_;
};

}  // namespace fairway::conversion
