// SPDX-License-Identifier: Apache-2.0

// The messages of delta discovery, read and written without classes of their own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "xds/envoy_api.h"
#include "xds/internal/snapshot.h"

namespace fairway::xds {

/// DeltaDiscoveryRequest: a subscription, or the answer to a response.
struct DeltaRequest {
  std::string node, type_url, nonce;
  std::vector<std::string> subscribe, unsubscribe;
  /// The versions that the client has, by name. Only in the first request of a type.
  std::map<std::string, std::string> has;
  /// Reason why it refuses the response; std::nullopt: it does not.
  std::optional<std::string> refusal;
};

/// DeltaDiscoveryResponse.
struct DeltaResponse {
  Type type = Type::cluster;
  std::string nonce;
  std::map<std::string, std::shared_ptr<const EncodedResource>> resources;
  std::vector<std::string> removed;
};

/// Reads a request. Errors: the bytes are no DeltaDiscoveryRequest.
Result<DeltaRequest> read_request(const EnvoyApi& api, std::string_view bytes);
std::string write_response(const EnvoyApi& api, const DeltaResponse& response);

}  // namespace fairway::xds
