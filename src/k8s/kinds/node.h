// SPDX-License-Identifier: Apache-2.0

// Nodes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

/// An entry of `spec.taints`.
class Taint : public Checked<View, openapi::taint> {
 public:
  using Checked::Checked;
  std::string_view key() const { return text("key"); }
  std::string_view value() const { return text("value"); }
  /// "NoSchedule", "PreferNoSchedule" or "NoExecute".
  std::string_view effect() const { return text("effect"); }
};

/// An entry of `status.addresses`.
class NodeAddress : public Checked<View, openapi::node_address> {
 public:
  using Checked::Checked;
  /// "InternalIP", "ExternalIP", "Hostname", "InternalDNS" or "ExternalDNS".
  std::string_view type() const { return text("type"); }
  std::string_view address() const { return text("address"); }
};

class Node : public Checked<Dynamic, openapi::node> {
 public:
  static constexpr Resource resource{"", "v1", "Node", "nodes", Scope::cluster};
  using Checked::Checked;

  bool unschedulable() const { return flag("spec.unschedulable"); }
  std::vector<Taint> taints() const { return items<Taint>("spec.taints"); }
  std::string_view provider_id() const { return text("spec.providerID"); }
  std::vector<NodeAddress> addresses() const { return items<NodeAddress>("status.addresses"); }
  /// Returns the first address of a type; empty if there is none.
  std::string_view address(std::string_view type) const;
  bool is_ready() const { return condition_is_true("Ready"); }
};

}  // namespace fairway::k8s
