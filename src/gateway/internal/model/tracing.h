// SPDX-License-Identifier: Apache-2.0

// Spans of requests, as flags ask for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::gateway {

/// The collector to which Envoys send spans, by OTLP over HTTP, and the share of requests that are traced.
struct Tracing {
  /// A host name or an address, without brackets.
  std::string host;
  std::uint16_t port = 0;
  /// The path that spans are posted to: "/v1/traces".
  std::string path;
  /// Share of requests that are traced, in percent, among those without a sampling decision of their own.
  double sampling = 0;
  bool operator==(const Tracing&) const = default;

  /// Reads an endpoint, "http://collector:4318". "/v1/traces" is added to its path, as OpenTelemetry's
  /// specification of exporters has it. Errors: it is no such URL, or `sampling` is not between 0 and 100.
  static Result<Tracing> parse(std::string_view endpoint, double sampling);
};

}  // namespace fairway::gateway
