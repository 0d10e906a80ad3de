// SPDX-License-Identifier: Apache-2.0

// The converters of all kinds of a program.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conversion/kind_converters.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::conversion {

/// Configured at startup, then prepared, then read-only and safe from all threads.
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
  /// The converters of a kind, created on first use. The reference stays valid.
  KindConverters& kind(std::string_view group, std::string_view kind);

  /// Checks that every version of each kind can be converted to every other one. With definitions, this
  /// includes their versions (served or not) and stored versions, and a definition with several versions but
  /// without converters is an error. The error lists all faults.
  Result<void> prepare(const std::vector<k8s::CustomResourceDefinition>& definitions = {});

  /// Checks the same for a definition as it is on the server, if it uses a webhook: a newer release may have
  /// registered it. What it says about a quarantine is taken over. Errors as above.
  Result<void> check(const k8s::CustomResourceDefinition& on_server) const;

  /// Returns the converters of a kind; nullptr if there are none.
  const KindConverters* find(std::string_view group, std::string_view kind) const;
  const std::list<KindConverters>& kinds() const { return kinds_; }

  /// The object in the version "GROUP/VERSION" or "VERSION" of its kind; of one that was quarantined, of
  /// a kind that is, its original: for objects of files, not of API servers. Errors: no converters for its
  /// kind, another group, errors of its steps.
  Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version) const;

 private:
  std::list<KindConverters> kinds_;
};

}  // namespace fairway::conversion
