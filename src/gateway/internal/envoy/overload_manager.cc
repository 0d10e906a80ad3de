// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/envoy/overload_manager.h"

#include <string_view>
#include <utility>

#include "gateway/internal/translation/envoy_json.h"

namespace fairway::gateway {

namespace {

constexpr std::string_view heap = "envoy.resource_monitors.fixed_heap";
/// Exponent of two of the fewest bytes that a stream holds which may be reset.
constexpr int least_held = 16;

/// Returns an action that begins at one share of the heap, and is at its full strength at another.
json::Object between(std::string_view name, double begin, double full) {
  const json::Object scaled{{"scaling_threshold", begin}, {"saturation_threshold", full}};
  return {{"name", name}, {"triggers", json::Array{json::Object{{"name", heap}, {"scaled", scaled}}}}};
}

/// Returns an action that is taken from a share of the heap on.
json::Object from(std::string_view name, double share) {
  return {
      {"name", name},
      {"triggers", json::Array{json::Object{{"name", heap}, {"threshold", json::Object{{"value", share}}}}}}};
}

/// Returns the action that ends connections without requests sooner.
json::Object sooner() {
  json::Object action = between("envoy.overload_actions.reduce_timeouts", 0.8, 0.95);
  const json::Object timer{{"timer", "HTTP_DOWNSTREAM_CONNECTION_IDLE"}, {"min_timeout", "2s"}};
  action["typed_config"] = any("envoy.config.overload.v3.ScaleTimersOverloadActionConfig",
                               {{"timer_scale_factors", json::Array{timer}}});
  return action;
}

}  // namespace

json::Object overload_manager(std::uint32_t max_connections, std::uint64_t max_memory) {
  json::Array monitors{
      extension("envoy.resource_monitors.global_downstream_max_connections",
                "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
                {{"max_active_downstream_connections", std::int64_t{max_connections}}})};
  if (max_memory == 0) return {{"resource_monitors", std::move(monitors)}};
  monitors.push_back(extension(heap, "envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig",
                               {{"max_heap_size_bytes", static_cast<std::int64_t>(max_memory)}}));
  return {{"refresh_interval", "0.25s"},
          {"resource_monitors", std::move(monitors)},
          {"buffer_factory_config", json::Object{{"minimum_account_to_track_power_of_two", least_held}}},
          {"actions", json::Array{sooner(), from("envoy.overload_actions.shrink_heap", 0.8),
                                  between("envoy.overload_actions.reset_high_memory_stream", 0.8, 0.95),
                                  from("envoy.overload_actions.stop_accepting_requests", 0.95)}}};
}

}  // namespace fairway::gateway
