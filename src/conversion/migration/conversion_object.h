// SPDX-License-Identifier: Apache-2.0

// The Conversion resource: a storage migration by a controller.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conversion/migration/migration.h"
#include "k8s/condition_policy.h"
#include "k8s/conversion_resource.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// The value of `spec.kind` for every kind of the group.
inline constexpr std::string_view every_kind = "CustomResourceDefinition";

class Conversion : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource = k8s::conversion_resource;
  using Dynamic::Dynamic;

  /// The request. `spec.namespace`, `spec.selector` (a label selector) and `spec.dryRun` are optional.
  /// Errors name the field.
  Result<MigrationRequest> request() const;

  /// The progress of each kind as of its last write; empty if that was of another generation of the
  /// Conversion.
  std::vector<KindProgress> kinds() const;
  /// Sets the progress: of each kind, and together `objectsDone`, `objectsTotal`, `continueToken`
  /// (of the kind in progress) and `lastError`.
  void set_kinds(const std::vector<KindProgress>& kinds);

  /// Summaries: Accepted (it may start) and Completed; while it is true Quarantined: objects that were left
  /// out are served without their content.
  static const k8s::ConditionPolicy& policy();
};

}  // namespace fairway::conversion
