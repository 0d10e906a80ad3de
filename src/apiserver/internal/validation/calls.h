// SPDX-License-Identifier: Apache-2.0

// The functions that the table of rules calls.
#pragma once

#include <span>
#include <string_view>

#include "apiserver/internal/validation/scope.h"

namespace fairway::apiserver::validation {

/// Checks an object for what a table cannot say.
using Call = void (*)(const Scope& scope);

/// A function and its name in the table.
struct NamedCall {
  std::string_view name;
  Call call;
};

/// Finds the function `call:NAME`; throws if there is none.
Call find_call(std::string_view name);

// The functions by what they are about.
std::span<const NamedCall> container_calls();
std::span<const NamedCall> environment_calls();
std::span<const NamedCall> mount_calls();
std::span<const NamedCall> resource_calls();
std::span<const NamedCall> security_calls();
std::span<const NamedCall> system_calls();
std::span<const NamedCall> volume_calls();
std::span<const NamedCall> volume_source_calls();
std::span<const NamedCall> projection_calls();
std::span<const NamedCall> claim_calls();
std::span<const NamedCall> scheduling_calls();
std::span<const NamedCall> pod_calls();
std::span<const NamedCall> workload_calls();
std::span<const NamedCall> job_calls();
std::span<const NamedCall> service_calls();
std::span<const NamedCall> service_type_calls();
std::span<const NamedCall> ingress_calls();
std::span<const NamedCall> network_policy_calls();
std::span<const NamedCall> volume_object_calls();
std::span<const NamedCall> autoscaler_calls();
std::span<const NamedCall> quota_calls();
std::span<const NamedCall> limit_range_calls();
std::span<const NamedCall> class_calls();
std::span<const NamedCall> certificate_calls();

}  // namespace fairway::apiserver::validation
