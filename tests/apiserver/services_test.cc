// SPDX-License-Identifier: Apache-2.0

// What Services are given, beyond single answers (recorded_builtin_test.cc): by many at once, after a
// restart, where nothing is left.
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/server_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource services{"", "v1", "services"};

k8s::Dynamic service(const std::string& name, const std::string& spec = "") {
  return object_of(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":")" + name +
                   R"(","namespace":"default"},"spec":{"ports":[{"port":80}])" + spec + "}}");
}

std::set<std::string> addresses_of(kube::Client& client) {
  std::set<std::string> all;
  const auto list = client.list(services, {});
  for (const k8s::Dynamic& one : list->items) all.insert(std::string(one.text("spec.clusterIP")));
  return all;
}

TEST_F(OnServer, ServicesThatAreMadeAtOnceHaveAddressesOfTheirOwn) {
  constexpr int writers = 8, each = 12;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < each; ++i) {
        const std::string name = "s-" + std::to_string(writer) + "-" + std::to_string(i);
        EXPECT_OK(client->create(services, service(name, R"(,"type":"NodePort")")));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto list = client->list(services, {});
  ASSERT_OK(list);
  std::set<std::string> addresses;
  std::set<std::int64_t> ports;
  for (const k8s::Dynamic& one : list->items) {
    addresses.insert(std::string(one.text("spec.clusterIP")));
    for (const k8s::View& port : one.items("spec.ports")) ports.insert(port.integer("nodePort"));
  }
  EXPECT_EQ(addresses.size(), std::size_t{writers * each + 1});
  EXPECT_EQ(ports.size(), std::size_t{writers * each + 1});  // default/kubernetes has none
}

TEST(Services, KeepTheirAddressesOverARestart) {
  const fairway::testing::TempDirectory folder;
  const ServerOptions options{.data = folder.path(), .service_cluster_ip_range = "10.0.0.0/29"};
  std::set<std::string> before;
  {
    const auto server = start_server(options);
    const auto client = client_of(*server, {.max_retries = 0});
    for (const char* name : {"a", "b", "c"}) ASSERT_OK(client->create(services, service(name)));
    before = addresses_of(*client);
    EXPECT_EQ(before.size(), 4u);
    EXPECT_TRUE(before.contains("10.0.0.1"));
  }
  const auto server = start_server(options);
  const auto client = client_of(*server, {.max_retries = 0});
  EXPECT_EQ(addresses_of(*client), before);
  for (const char* name : {"d", "e"}) ASSERT_OK(client->create(services, service(name)));
  EXPECT_EQ(addresses_of(*client).size(), 6u);
  const auto full = client->create(services, service("f"));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().status.code(), 500);
  EXPECT_NE(full.error().message.find("failed to allocate a serviceIP for Service \"f\": range is full"),
            std::string::npos)
      << full.error().message;
  // What is deleted is free, and what has failed held nothing.
  ASSERT_OK(client->remove(services, {"default", "a"}));
  EXPECT_OK(client->create(services, service("f")));
}

TEST(Services, HaveAnIpv4Network) {
  for (const char* range : {"10.0.0.0", "10.0.0.0/31", "10.0.0.0/7", "fd00::/108", "10.0.0.0/x", "/8", ""}) {
    const auto server = EmbeddedServer::start({.service_cluster_ip_range = range});
    ASSERT_FALSE(server) << range;
    EXPECT_EQ(server.error().code, ErrorCode::invalid) << range;
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
