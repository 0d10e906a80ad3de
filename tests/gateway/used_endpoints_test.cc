// SPDX-License-Identifier: Apache-2.0

// The endpoints of a Service that get requests: a table, and the answers of a real Envoy.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/machine_addresses.h"
#include "gateway/internal/offline/sources.h"
#include "gateway/traffic.h"
#include "k8s/kinds/service.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

std::string endpoint_conditions(const std::string& state) {
  static const std::map<std::string, std::string> known = {
      {"ready", "{ready: true, serving: true, terminating: false}"},
      {"draining", "{ready: false, serving: true, terminating: true}"},
      {"stopped", "{ready: false, serving: false, terminating: true}"},
      {"starting", "{ready: false, serving: false, terminating: false}"},
      {"odd", "{ready: false, serving: true, terminating: false}"},
      {"old", "{ready: false, terminating: true}"},
      {"unsaid", "{}"}};
  return known.at(state);
}

/// Returns an EndpointSlice of the Service shop/cart with one endpoint.
std::string endpoint_slice(std::size_t number, const std::string& address, const std::string& state,
                           int port = 9000) {
  return "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: cart-" +
         std::to_string(number) +
         ", namespace: shop, labels: {kubernetes.io/service-name: cart}}\naddressType: " +
         (address.find(':') == std::string::npos ? "IPv4" : "IPv6") +
         "\nports: [{name: \"\", protocol: TCP, port: " + std::to_string(port) +
         "}]\nendpoints: [{addresses: ['" + address + "'], conditions: " + endpoint_conditions(state) +
         "}]\n";
}

struct EndpointRow {
  std::string text;
  std::vector<std::string> endpoints, used;
  AddressFamilies families;
};

/// Returns the parts of a list with commas, without blanks around them.
std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, ',')) {
    if (const std::string_view one = trim(part); !one.empty()) parts.emplace_back(one);
  }
  return parts;
}

std::vector<EndpointRow> endpoint_rows() {
  std::ifstream file(FAIRWAY_SOURCE_DIR "/tests/gateway/endpoints/used.txt");
  std::vector<EndpointRow> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t first = line.find('|'), second = line.find('|', first + 1);
    const std::string families = line.substr(first + 1, second - first - 1);
    all.push_back({.text = line,
                   .endpoints = listed(std::string_view(line).substr(0, first)),
                   .used = listed(std::string_view(line).substr(second + 1)),
                   .families = {.has_four = families.find('4') != std::string::npos,
                                .has_six = families.find('6') != std::string::npos}});
  }
  return all;
}

TEST(UsedEndpoints, AreThoseOfTheTable) {
  ASSERT_FALSE(endpoint_rows().empty());
  for (const EndpointRow& row : endpoint_rows()) {
    std::string text =
        "{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: "
        "80}]}}\n";
    for (std::size_t i = 0; i < row.endpoints.size(); ++i) {
      const std::size_t space = row.endpoints[i].find(' ');
      text +=
          "---\n" + endpoint_slice(i, row.endpoints[i].substr(0, space), row.endpoints[i].substr(space + 1));
    }
    const auto objects = read_sources({{.name = "objects", .text = text}});
    ASSERT_TRUE(objects) << row.text << ": " << objects.error().message;
    const k8s::Dynamic* service = objects->find("", "Service", "shop", "cart");
    ASSERT_NE(service, nullptr);
    std::vector<std::string> used;
    for (const auto& [address, port] : endpoints_of(*objects, {.families = row.families}, *service,
                                                    k8s::Service(service->json()).ports()[0]))
      used.push_back(address);
    EXPECT_EQ(used, row.used) << row.text;
  }
}

TEST(UsedEndpoints, AMachineReachesAtLeastOneFamily) {
  const AddressFamilies families = reachable_families();
  EXPECT_TRUE(families.has_four || families.has_six);
}

class EndpointTraffic : public testing::Traffic {
 protected:
  void apply_endpoint(const std::string& state) {
    rig().apply(endpoint_slice(1, "127.0.0.1", state, backend().port()));
  }
  void SetUp() override {
    Traffic::SetUp();
    if (IsSkipped()) return;
    rig().apply(
        "{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: "
        "80}]}}");
    apply_endpoint("ready");
    apply_route("r", "{backendRefs: [{name: cart, port: 80}]}");
    ASSERT_TRUE(eventually([&] { return status("r") == 200; })) << rig().log();
  }
};

TEST_F(EndpointTraffic, ThatTerminatesAndServesIsUsedWhileNoneIsReady) {
  apply_endpoint("draining");
  // A change that comes after it has arrived: so has it.
  apply_route("later", "{backendRefs: [{name: cart, port: 80}]}");
  ASSERT_TRUE(eventually([&] { return status("later") == 200; })) << rig().log();
  EXPECT_EQ(status("r"), 200);
  apply_endpoint("stopped");
  EXPECT_TRUE(eventually([&] { return status("r") == 503; })) << status("r");
}

TEST_F(EndpointTraffic, NoneIs503AndAMistakenReferenceIs500) {
  apply_endpoint("starting");
  EXPECT_TRUE(eventually([&] { return status("r") == 503; })) << status("r");
  apply_route("wrong", "{backendRefs: [{name: nobody, port: 80}]}");
  EXPECT_TRUE(eventually([&] { return status("wrong") == 500; })) << status("wrong");
  apply_endpoint("ready");
  EXPECT_TRUE(eventually([&] { return status("r") == 200; })) << status("r");
}

}  // namespace
}  // namespace fairway::gateway
