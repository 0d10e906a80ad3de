// Spans of requests: what flags ask for, and Envoy's configuration of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

/// Where Envoys send spans, by OTLP over HTTP, and of how many requests.
struct Tracing {
  /// A host name or an address, without brackets.
  std::string host;
  std::uint16_t port = 0;
  /// Where spans are posted: "/v1/traces".
  std::string path;
  /// Of requests that say nothing of it themselves, in percent.
  double sampling = 0;
  bool operator==(const Tracing&) const = default;

  /// `endpoint`: "http://collector:4318"; "/v1/traces" is added to its path, as OpenTelemetry's
  /// specification of exporters has it. Errors: it is no such URL, or `sampling` is not of 0 to 100.
  static Result<Tracing> parse(std::string_view endpoint, double sampling);
};

/// `tracing` of an HttpConnectionManager, for the Gateway NAMESPACE/NAME; adds the collector's cluster.
json::Object envoy_tracing(const Tracing& tracing, const std::string& gateway, Translation& out);

}  // namespace fairway::gateway
