// SPDX-License-Identifier: Apache-2.0

// The rules of classes, EndpointSlices and APIServices.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::resources {

/// Returns the problems of an object: of the names that it refers to, and of fields that never change
/// (`check_frozen_fields`). Everything else is kept as given.
/// Rules: pkg/apis/scheduling, node, storage and discovery of k8s.io/kubernetes, and k8s.io/kube-aggregator.
std::vector<k8s::FieldError> check_priority_class(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_storage_class(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_csi_node(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_endpoint_slice(const k8s::Dynamic& object, const k8s::Dynamic* old);
/// Returns the problems of an APIService, whose name is that of the group version that it serves.
std::vector<k8s::FieldError> check_api_service(const k8s::Dynamic& object, const k8s::Dynamic* old);

/// The priorities that every server has.
struct SystemPriority {
  std::string_view name;
  std::int64_t value;
};
inline constexpr std::array<SystemPriority, 2> system_priorities{
    {{"system-node-critical", 2'000'001'000}, {"system-cluster-critical", 2'000'000'000}}};

}  // namespace fairway::apiserver::resources
