// SPDX-License-Identifier: Apache-2.0

// A client of an xDS server that answers as it is told.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "xds/envoy_api.h"

namespace fairway::xds {

class FakeEnvoy {
 public:
  /// Connects by "unix:PATH" or "HOST:PORT" and opens a stream of a method. `certificates`: a folder with
  /// ca.pem and envoy.pem, for TLS; empty: in the clear.
  FakeEnvoy(std::shared_ptr<const EnvoyApi> api, const std::string& address,
            const std::string& method =
                "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
            const std::filesystem::path& certificates = {});
  /// Ends the stream.
  ~FakeEnvoy();
  FakeEnvoy(const FakeEnvoy&) = delete;
  FakeEnvoy& operator=(const FakeEnvoy&) = delete;

  /// Sends a DeltaDiscoveryRequest, as protobuf's JSON.
  void send(const json::Object& request);
  void send_bytes(const std::string& bytes);
  /// Waits for the next DeltaDiscoveryResponse; std::nullopt: the stream has ended, or nothing came.
  std::optional<json::Object> receive();
  /// Ends the stream. A waiting `receive` returns std::nullopt then.
  void cancel();
  /// Waits for the end of the stream. Returns gRPC's code and message.
  std::pair<int, std::string> end();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::xds
