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

/// What an entry of `status.listeners` shall say.
struct ListenerReport {
  std::string name;
  std::vector<RouteKind> kinds;
  int attached = 0;
  Verdicts verdicts;
  bool operator==(const ListenerReport&) const = default;
};

/// What an entry of `status.parents` or `status.ancestors` shall say.
struct EntryReport {
  json::Object ref;
  Verdicts verdicts;
  bool operator==(const EntryReport&) const = default;
};

/// What the status of one object shall say. What is absent stays as it is.
struct Report {
  const k8s::Dynamic* object = nullptr;
  /// The same, of routes: there are many.
  std::shared_ptr<const k8s::Dynamic> held = {};
  std::optional<Verdicts> own = {};
  std::optional<std::vector<ListenerReport>> listeners = {};
  std::optional<int> attached_sets = {};
  /// `status.supportedFeatures`, where the class is accepted.
  bool has_features = false;
  /// `status.addresses`, where the Gateway asks for addresses of its own.
  std::optional<json::Array> addresses = {};
  /// All entries of this controller: those that are not here are removed. Reports of several passes share
  /// them.
  std::shared_ptr<const std::vector<EntryReport>> parents = {}, ancestors = {};
  bool operator==(const Report& other) const;
};

}  // namespace fairway::gateway
