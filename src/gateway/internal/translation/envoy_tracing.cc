// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_tracing.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "gateway/internal/translation/envoy_json.h"

namespace fairway::gateway {

namespace {

/// Name of the collector's cluster. No Service has it: their clusters are named `NAMESPACE/NAME:PORT`.
constexpr std::string_view collector_cluster = "fairway/trace-collector";

json::Object collector(const Tracing& tracing) {
  const json::Object endpoint = endpoint_at(tracing.host, tracing.port);
  return {{"name", collector_cluster},
          // A name: EDS has addresses alone.
          {"type", "STRICT_DNS"},
          // Envoy asks for listeners only once all clusters are there: not for this one.
          {"wait_for_warm_on_init", false},
          {"connect_timeout", "5s"},
          {"load_assignment",
           json::Object{{"cluster_name", collector_cluster},
                        {"endpoints", json::Array{json::Object{{"lb_endpoints", json::Array{endpoint}}}}}}}};
}

/// Returns a sampler that follows the decision of a request's own trace, and samples this percentage of the
/// requests without one.
json::Object sampler(double percent) {
  constexpr double millionths = 10'000;
  const json::Object share{{"numerator", std::llround(percent * millionths)}, {"denominator", "MILLION"}};
  json::Object of_others =
      extension("envoy.tracers.opentelemetry.samplers.trace_id_ratio_based",
                "envoy.extensions.tracers.opentelemetry.samplers.v3.TraceIdRatioBasedSamplerConfig",
                {{"sampling_percentage", share}});
  return extension("envoy.tracers.opentelemetry.samplers.parent_based",
                   "envoy.extensions.tracers.opentelemetry.samplers.v3.ParentBasedSamplerConfig",
                   {{"wrapped_sampler", std::move(of_others)}});
}

}  // namespace

json::Object envoy_tracing(const Tracing& tracing, const std::string& gateway, Translation& out) {
  out.clusters.try_emplace(std::string(collector_cluster), collector(tracing));
  const std::string host =
      tracing.host.find(':') == std::string::npos ? tracing.host : "[" + tracing.host + "]";
  const json::Object where{{"uri", "http://" + host + ":" + std::to_string(tracing.port) + tracing.path},
                           {"cluster", collector_cluster},
                           {"timeout", "1s"}};
  json::Object provider =
      extension("envoy.tracers.opentelemetry", "envoy.config.trace.v3.OpenTelemetryConfig",
                {{"service_name", gateway},
                 {"http_service", json::Object{{"http_uri", where}}},
                 {"sampler", sampler(tracing.sampling)}});
  return {{"provider", std::move(provider)},
          // The sampler decides: what Envoy would decide without one knows nothing of what clients trace.
          {"random_sampling", json::Object{{"value", 100}}},
          // One span for the request, and one for each try of a backend: a gateway is a hop of its own.
          {"spawn_upstream_span", true}};
}

}  // namespace fairway::gateway
