// SPDX-License-Identifier: Apache-2.0

// Requests through a Gateway with a real Envoy: HTTPRoutes shop/NAME, each for the host NAME.example.com.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "support/gateway_rig.h"
#include "support/raw_backend.h"
#include "xds/envoy_api.h"

namespace fairway::testing {

class Traffic : public ::testing::Test {
 protected:
  void SetUp() override {
    if (envoy_program().empty()) GTEST_SKIP() << no_envoy;
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    backend_ = std::make_unique<RawBackend>();
    port_ = free_loopback_port();
    rig_ = std::make_unique<GatewayRig>(
        (std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(), envoy_program());
    rig_->apply_gateway(port_);
    rig_->apply_backend("plain", backend_->port());
    rig_->start_controller();
    ASSERT_TRUE(eventually([&] { return rig_->programmed("web").starts_with("True"); })) << rig_->log();
  }

  GatewayRig& rig() const { return *rig_; }
  /// Returns the backend, which is the Service `plain`.
  RawBackend& backend() const { return *backend_; }
  int port() const { return port_; }

  /// Applies an HTTPRoute with rules in YAML, `{...}, {...}`.
  void apply_route(const std::string& name, const std::string& rules) const {
    rig_->apply("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
                ", namespace: shop}, spec: {parentRefs: [{name: web}], hostnames: [" + name +
                ".example.com], rules: [" + rules + "]}}");
  }
  /// Applies a route, and waits until its status is of what Envoy has.
  void serve(const std::string& name, const std::string& rules) const {
    apply_route(name, rules);
    ASSERT_TRUE(rig_->wait_until_current("HTTPRoute", name)) << rig_->log();
  }
  /// Sends a request with `Connection: close`. `line`: "GET / HTTP/1.1"; `headers`: "name: value\r\n...".
  Answer send(const std::string& line, const std::string& headers, const std::string& body = "") const {
    return ask_raw(port_, line + "\r\n" + headers + "Connection: close\r\n\r\n" + body);
  }
  /// Gets a path of a route.
  Answer get(const std::string& name, const std::string& path = "/", const std::string& headers = "") const {
    return send("GET " + path + " HTTP/1.1", "Host: " + name + ".example.com\r\n" + headers);
  }
  /// Returns the status of a request for a route; 0: there was no answer.
  int status(const std::string& name, const std::string& path = "/") const { return get(name, path).status; }

 private:
  std::unique_ptr<RawBackend> backend_;
  int port_ = 0;
  std::unique_ptr<GatewayRig> rig_;
};

}  // namespace fairway::testing
