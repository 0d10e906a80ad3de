// SPDX-License-Identifier: Apache-2.0

// Reports: the contents that statuses shall have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gateway/internal/objects/api.h"
#include "gateway/internal/status/conditions.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The contents of an entry of `status.listeners`.
struct ListenerReport {
  std::string name;
  std::vector<RouteKind> kinds;
  int attached = 0;
  Verdicts verdicts;
  bool operator==(const ListenerReport&) const = default;
};

/// The contents of an entry of `status.parents` or `status.ancestors`.
struct EntryReport {
  json::Object ref;
  Verdicts verdicts;
  bool operator==(const EntryReport&) const = default;
};

/// The contents of the status of one object. Absent members leave that part of the status as it is.
struct Report {
  const k8s::Dynamic* object = nullptr;
  /// The object of a report on a route, held so that no other object is at its address. Routes are many, and
  /// `WrittenReports` compares them by their addresses.
  std::shared_ptr<const k8s::Dynamic> held = {};
  std::optional<Verdicts> own = {};
  std::optional<std::vector<ListenerReport>> listeners = {};
  std::optional<int> attached_sets = {};
  /// True if the class is accepted: then `status.supportedFeatures` is set.
  bool has_features = false;
  /// The contents of `status.addresses`; std::nullopt: the Gateway does not ask for addresses of its own.
  std::optional<json::Array> addresses = {};
  /// All entries of this controller; other entries of it are removed. Reports of several passes share them.
  std::shared_ptr<const std::vector<EntryReport>> parents = {}, ancestors = {};
  bool operator==(const Report& other) const;
};

}  // namespace fairway::gateway
