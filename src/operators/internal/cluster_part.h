// SPDX-License-Identifier: Apache-2.0

// The parts of the status that ClusterVersion and Conversions give, in the terms of the API of the status
// port. No I/O.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "k8s/conversion_resource.h"
#include "k8s/object.h"
#include "openshift/cluster_version.h"

namespace fairway::operators {

/// Largest number of Conversions that are shown, and of bytes of their JSON; those that are not completed
/// come first.
inline constexpr std::size_t max_shown_migrations = 100, max_migrations_bytes = std::size_t{256} << 10;
/// Largest size of each list of `cluster_part`, and of a list within an entry of one, in bytes of JSON.
inline constexpr std::size_t max_list_bytes = std::size_t{100} << 10,
                             max_inner_list_bytes = std::size_t{16} << 10;

/// The request for a storage migration, as far as it is shown here.
class Migration : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource = k8s::conversion_resource;
  using Dynamic::Dynamic;
};

/// Returns the schema `Cluster` of the OpenAPI document: version, updates, conditions and history. nullptr:
/// there is no ClusterVersion. `upstream` is the update service of the operator's own setting; empty: that of
/// ClusterVersion counts. URLs of services are shown without what may be secret. Texts are cut, and `leftOut`
/// counts what has no room.
json::Object cluster_part(const openshift::ClusterVersion* cluster, std::string_view upstream);

/// Returns the schema `Migrations`: the Conversions with their progress.
json::Object migrations_part(std::span<const std::shared_ptr<const Migration>> migrations);

}  // namespace fairway::operators
