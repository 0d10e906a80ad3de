// SPDX-License-Identifier: Apache-2.0

// What the controller and its Envoy listen on: the sockets of their processes, as the kernel lists them, and
// no other than those that docs/gateway-operate.md names.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "support/gateway_rig.h"
#include "support/process.h"
#include "xds/envoy_api.h"
#include "xds/fake_envoy.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

/// Returns the inodes of the sockets that a process has open.
std::set<std::string> sockets_of(int pid) {
  std::set<std::string> inodes;
  std::error_code fault;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", fault)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), fault).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  return inodes;
}

std::string text_of(const std::string& file) {
  // Files of /proc have no size.
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Returns the addresses of the listening TCP sockets of processes as "0100007F:1F90"; those of IPv6 have
/// more digits.
std::set<std::string> listening_on_tcp(const std::vector<int>& pids) {
  std::set<std::string> found;
  for (const int pid : pids) {
    const auto own = sockets_of(pid);
    for (const char* table : {"tcp", "tcp6"}) {
      std::istringstream lines(text_of("/proc/" + std::to_string(pid) + "/net/" + table));
      std::string line;
      while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::vector<std::string> fields(10);
        for (std::string& field : fields) words >> field;
        constexpr const char* listen = "0A";
        if (fields[3] != listen || !own.contains(fields[9])) continue;
        // gRPC has sockets of IPv6 for addresses of IPv4, too.
        const std::string mapped = "0000000000000000FFFF0000";
        found.insert(fields[1].starts_with(mapped) ? fields[1].substr(mapped.size()) : fields[1]);
      }
    }
  }
  return found;
}

/// Returns the paths of the listening stream Unix sockets of processes. Those outside of the file system
/// begin with @.
std::set<std::string> listening_on_paths(const std::vector<int>& pids) {
  std::set<std::string> found;
  for (const int pid : pids) {
    const auto own = sockets_of(pid);
    std::istringstream lines(text_of("/proc/" + std::to_string(pid) + "/net/unix"));
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string number, count, protocol, flags, type, state, inode, path;
      words >> number >> count >> protocol >> flags >> type >> state >> inode >> path;
      constexpr const char *accepts = "00010000", *stream = "0001";
      if (flags == accepts && type == stream && own.contains(inode)) found.insert(path);
    }
  }
  return found;
}

/// Returns the names of the Unix sockets of processes, of any type, that are outside of the file system: any
/// process of the machine may connect to them.
std::set<std::string> abstract_names(const std::vector<int>& pids) {
  std::set<std::string> found;
  for (const int pid : pids) {
    const auto own = sockets_of(pid);
    std::istringstream lines(text_of("/proc/" + std::to_string(pid) + "/net/unix"));
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::vector<std::string> fields(8);
      for (std::string& field : fields) words >> field;
      if (fields[7].starts_with('@') && own.contains(fields[6])) found.insert(fields[7]);
    }
  }
  return found;
}

std::string on_loopback(int port) {
  char text[16];
  std::snprintf(text, sizeof text, "0100007F:%04X", static_cast<unsigned>(port));
  return text;
}

class OwnSockets : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    rig_.apply_gateway(port_);
  }
  void start(std::vector<std::string> flags = {}) {
    flags.insert(flags.end(), {"--status-listen", "127.0.0.1:" + std::to_string(status_port_)});
    rig_.start_controller(flags);
    ASSERT_TRUE(eventually([&] { return rig_.programmed("web") == "True Programmed"; })) << rig_.log();
  }
  std::vector<int> processes() const {
    std::vector<int> all = rig_.envoy_pids();
    EXPECT_FALSE(all.empty());
    all.push_back(rig_.controller_pid());
    return all;
  }

  const int port_ = testing::free_loopback_port(), status_port_ = testing::free_loopback_port();
  testing::GatewayRig rig_{(std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
                           testing::envoy_program()};
};

TEST_F(OwnSockets, WithAnEnvoyOfItsOwnThereAreTheStatusPortAndTheGatewaysAlone) {
  start();
  EXPECT_EQ(listening_on_tcp(processes()), (std::set{on_loopback(status_port_), on_loopback(port_)}));
  const std::filesystem::path data = rig_.folder() / "data";
  EXPECT_EQ(listening_on_paths(processes()),
            (std::set{(data / "xds" / "envoys.sock").string(), (data / "envoy-admin.sock").string()}));
  for (const std::string& path : listening_on_paths(processes())) {
    struct stat facts{};
    ASSERT_EQ(::lstat(path.c_str(), &facts), 0) << path;
    EXPECT_EQ(facts.st_mode & ALLPERMS, 0600U) << path;
  }
}

TEST_F(OwnSockets, EnvoysHandTheirSocketsOnWhereNobodyElseMayAsk) {
  start();
  EXPECT_EQ(abstract_names(processes()), std::set<std::string>{});
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(rig_.folder() / "data" / "xds")) {
    if (!entry.path().filename().string().starts_with("r_")) continue;
    ++count;
    struct stat facts{};
    ASSERT_EQ(::lstat(entry.path().c_str(), &facts), 0) << entry.path();
    EXPECT_EQ(facts.st_mode & ALLPERMS, 0600U) << entry.path();
  }
  EXPECT_GT(count, 0U) << "a hot restart needs them";
}

TEST_F(OwnSockets, EnvoysThatConnectByThemselvesHaveAPortThatIsAskedFor) {
  const int xds_port = testing::free_loopback_port();
  start({"--xds-listen", "127.0.0.1:" + std::to_string(xds_port)});
  EXPECT_EQ(listening_on_tcp(processes()),
            (std::set{on_loopback(status_port_), on_loopback(port_), on_loopback(xds_port)}));
  const auto api = xds::EnvoyApi::embedded().value();
  const json::Object request{{"node", json::Object{{"id", "other"}}},
                             {"type_url", xds::url_of(xds::Type::listener)}};
  const std::string address = "127.0.0.1:" + std::to_string(xds_port);
  xds::FakeEnvoy stranger(api, address);
  stranger.send(request);
  EXPECT_EQ(stranger.end().first, 14) << "UNAVAILABLE: no handshake";
  xds::FakeEnvoy ours(api, address,
                      "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
                      rig_.folder() / "data" / "xds");
  ours.send(request);
  EXPECT_TRUE(ours.receive());
}

TEST_F(OwnSockets, NoEndpointLeadsAClientToAPortOfTheController) {
  start();
  // Its range is permitted: the rig's backends are there.
  rig_.apply_backend("own", status_port_);
  rig_.apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: own, namespace: shop},
 spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: own, port: 80}]}]}}
)");
  const auto said = [&]() -> std::string {
    const auto route = rig_.client().get({"gateway.networking.k8s.io", "v1", "httproutes"}, {"shop", "own"});
    if (!route || route->items("status.parents").empty()) return "";
    const k8s::View parent = route->items("status.parents").front();
    const auto found = k8s::find_condition(parent, "fairway.dev/EndpointsLeftOut", "conditions");
    return found ? std::string(found->message()) : "nothing";
  };
  const std::string wanted =
      "endpoint 127.0.0.1:" + std::to_string(status_port_) +
      " of Service shop/own is left out: the controller itself listens there (--status-listen)";
  EXPECT_TRUE(eventually([&] { return said() == wanted; })) << said() << rig_.log();
  EXPECT_TRUE(eventually([&] { return testing::ask(port_, "any", "/livez").status == 503; }))
      << testing::ask(port_, "any", "/livez").status;
}

/// Returns the bootstrap that docs/gateway-envoys.md shows, for another folder and port.
std::string documented_bootstrap(const std::string& folder, int port) {
  const std::string page = read_file(FAIRWAY_SOURCE_DIR "/docs/gateway-envoys.md").value();
  const std::size_t begin = page.find("```yaml\nnode:") + 8;
  std::string text = page.substr(begin, page.find("```", begin) - begin);
  const auto replace = [&](const std::string& from, const std::string& to) {
    EXPECT_NE(text.find(from), std::string::npos) << from;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("/var/lib/fairway", folder);
  replace("port_value: 18000", "port_value: " + std::to_string(port));
  return text;
}

TEST_F(OwnSockets, AnEnvoyConnectsByTheBootstrapOfTheDocumentation) {
  const int xds_port = testing::free_loopback_port();
  rig_.start_controller({"--envoy", "", "--xds-listen", "127.0.0.1:" + std::to_string(xds_port)});
  const std::string data = (rig_.folder() / "data").string();
  ASSERT_TRUE(eventually([&] { return rig_.log().find("serving Envoys address=") != std::string::npos; }))
      << rig_.log();
  const auto file = rig_.folder() / "own.yaml";
  ASSERT_TRUE(write_file_atomically(file, documented_bootstrap(data, xds_port)));
  testing::Process envoy({testing::envoy_program(), "-c", file.string(), "--use-dynamic-base-id",
                          "--concurrency", "1", "--log-level", "warning"},
                         (rig_.folder() / "envoy-log").string());
  EXPECT_TRUE(eventually([&] { return rig_.programmed("web") == "True Programmed"; }))
      << rig_.log() << read_file(rig_.folder() / "envoy-log").value_or("");
}

}  // namespace
}  // namespace fairway::gateway
