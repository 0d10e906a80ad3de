// SPDX-License-Identifier: Apache-2.0

// A cluster with one Gateway, and routes with a hostname each, which set a header of the answer to their
// version.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "support/gateway_rig.h"

namespace fairway::bench {

using namespace std::chrono_literals;
using testing::GatewayRig;

inline const k8s::GroupVersionResource routes{"gateway.networking.k8s.io", "v1", "httproutes"};

[[noreturn]] inline void give_up(const std::string& why, const GatewayRig& rig) {
  std::cerr << "error: " << why << "\n" << rig.log().substr(0, 4000) << "\n";
  std::exit(1);
}

inline double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
inline SteadyTime now() {
  return Clock::system().steady();
}

inline double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

inline std::string name_of(int number) {
  return "route-" + std::to_string(number);
}
inline std::string host_of(int number) {
  return name_of(number) + ".example.com";
}

inline json::Object route_of(int number, int version) {
  json::Object header{{"name", "x-version"}, {"value", std::to_string(version)}};
  json::Object filter{{"type", "ResponseHeaderModifier"},
                      {"responseHeaderModifier", json::Object{{"set", json::Array{std::move(header)}}}}};
  json::Object rule{{"filters", json::Array{std::move(filter)}},
                    {"backendRefs", json::Array{json::Object{{"name", "cart"}, {"port", 80}}}}};
  return {{"apiVersion", "gateway.networking.k8s.io/v1"},
          {"kind", "HTTPRoute"},
          {"metadata", json::Object{{"name", name_of(number)}, {"namespace", "shop"}}},
          {"spec",
           json::Object{{"parentRefs", json::Array{json::Object{{"name", "web"}, {"sectionName", "http"}}}},
                        {"hostnames", json::Array{host_of(number)}},
                        {"rules", json::Array{std::move(rule)}}}}};
}

struct Cluster {
  Cluster(const std::string& controller, const std::string& envoy) : rig(controller, envoy) {
    rig.apply_gateway(port);
    rig.apply_backend("cart", backend->port());
  }

  void apply_routes(int count) {
    std::string text;
    for (int number = 0; number < count; ++number) text += json::to_text(route_of(number, 0)) + "\n---\n";
    rig.apply(text);
  }
  /// Returns the version in the answer of a route; -1: there is none.
  int version(int route) const {
    const auto answer = testing::ask(port, host_of(route));
    const std::size_t at = answer.head.find("x-version: ");
    if (answer.status != 200 || at == std::string::npos) return -1;
    return static_cast<int>(std::strtol(answer.head.c_str() + at + 11, nullptr, 10));
  }
  /// Changes a route to a version. Returns the route's generation after the change.
  std::int64_t change(int route, int to) const {
    const auto changed = rig.client().patch(
        routes, {"shop", name_of(route)}, kube::PatchType::merge,
        json::Object{{"spec", json::Object{{"rules", route_of(route, to).at("spec").at("rules")}}}});
    if (!changed) give_up(changed.error().message, rig);
    return changed->generation();
  }
  void wait_until(const std::string& what, const std::function<bool()>& holds) const {
    const SteadyTime end = now() + 300s;
    while (!holds()) {
      if (now() > end) give_up("it did not come in five minutes: " + what, rig);
      std::this_thread::sleep_for(2ms);
    }
  }

  const int port = testing::free_loopback_port();
  const std::unique_ptr<http::Server> backend = testing::named_backend("cart");
  GatewayRig rig;
};

}  // namespace fairway::bench
