// Spans of requests, as flags ask for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

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

}  // namespace fairway::gateway
