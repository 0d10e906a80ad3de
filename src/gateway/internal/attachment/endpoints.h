// SPDX-License-Identifier: Apache-2.0

// The endpoints behind a Service, and those of them that Envoy is not led to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gateway/internal/model/endpoint_policy.h"
#include "gateway/internal/model/route.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/kinds/service.h"

namespace fairway::gateway {

/// Returns the addresses and ports of the endpoints behind a Service's port that get requests, without those
/// that the policy refuses. These are the ready ones; while none is ready, those that terminate and still
/// serve. Of a Service of both families of addresses they are those of the families that can be reached.
std::set<std::pair<std::string, std::int64_t>> endpoints_of(const Objects& objects,
                                                            const EndpointPolicy& policy,
                                                            const k8s::Dynamic& service,
                                                            const k8s::ServicePort& port);

/// An endpoint that the policy refuses, which could be used otherwise.
struct LeftOutEndpoint {
  /// Name and protocol of the EndpointSlice's port.
  std::string port_name, protocol;
  std::string address;
  std::int64_t port = 0;
  std::string why;
  bool operator==(const LeftOutEndpoint&) const = default;
};

/// The endpoints that are left out, by Service. There are rarely any.
using LeftOutEndpoints = std::map<k8s::Key, std::vector<LeftOutEndpoint>>;

/// Finds the endpoints that are left out of EndpointSlices. Kept from pass to pass: most slices do not
/// change.
class EndpointCache {
 public:
  /// Returns the endpoints that are left out: the same pointer as the last time if they are the same.
  std::shared_ptr<const LeftOutEndpoints> left_out(const Objects& objects, const EndpointPolicy& policy);

 private:
  struct Slice {
    /// The EndpointSlice, held so that no other object is at its address.
    std::shared_ptr<const k8s::Dynamic> object;
    std::vector<LeftOutEndpoint> left_out;
    bool is_used = true;
  };
  std::unordered_map<const k8s::Dynamic*, Slice> slices_;
  std::uint64_t revision_ = 0;
  EndpointPolicy policy_;
  std::shared_ptr<const LeftOutEndpoints> left_out_;
};

/// Returns which endpoints of a route's backends are left out, and why, each once; empty: none.
std::string describe_left_out(const Objects& objects, const LeftOutEndpoints& left_out,
                              const RouteState& route);

}  // namespace fairway::gateway
