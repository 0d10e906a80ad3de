// SPDX-License-Identifier: Apache-2.0

// Charges a write to a ResourceQuota, and counts anew what is used of one.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "apiserver/internal/quota/amount.h"
#include "apiserver/internal/resources/strategy.h"
#include "base/clock.h"
#include "k8s/group_version.h"
#include "k8s/view.h"

namespace fairway::apiserver::quota {

/// A write that quotas have to allow. `old` is null for a create.
struct ChargedWrite {
  const k8s::GroupResource& resource;
  const k8s::View& object;
  const k8s::View* old = nullptr;
  resources::Part part = resources::Part::object;
  WallTime now;
};

/// Returns the `status.used` that a ResourceQuota has after a write; std::nullopt: it stays as it is. The
/// error is the reason why the quota refuses the write: "exceeded quota: NAME, requested: pods=1, used:
/// pods=2, limited: pods=2". Rules: k8s.io/apiserver/pkg/admission/plugin/resourcequota.
std::expected<std::optional<Amounts>, std::string> charge(const k8s::View& quota, const ChargedWrite& write);

/// Adds the usage of an object to `used`, as far as `quota` is about it: its scopes, and the names in
/// `spec.hard`.
void count(Amounts& used, const k8s::View& quota, const k8s::View& object, const k8s::GroupResource& resource,
           WallTime now);

}  // namespace fairway::apiserver::quota
