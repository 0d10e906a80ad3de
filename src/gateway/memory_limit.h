// SPDX-License-Identifier: Apache-2.0

// The memory that Envoy may have. Without a limit, clients that take no answers fill it, until the kernel
// ends Envoy, and with it the connections of everybody.
#pragma once

#include <cstdint>
#include <string_view>

namespace fairway::gateway {

/// Returns the memory of this process in bytes: that of the machine, or less if a cgroup allows less.
std::uint64_t memory_of_process();

/// Returns the lesser of two limits in bytes, from the texts of `/proc/meminfo` and of the `memory.max` of a
/// cgroup.
std::uint64_t least_memory(std::string_view meminfo, std::string_view cgroup_limit);

/// Returns the memory that Envoy may have by default: three quarters of that of the process.
std::uint64_t default_max_memory();

}  // namespace fairway::gateway
