// SPDX-License-Identifier: Apache-2.0

// A Gateway comes to have so many hostnames that Envoy chooses among shards of its routes, and back: no
// request fails, and what statuses say is true, on connections from before, too.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/translation/shards.h"
#include "support/gateway_rig.h"

namespace fairway::gateway {
namespace {

using testing::Answer;
using testing::eventually;

const k8s::GroupVersionResource routes{"gateway.networking.k8s.io", "v1", "httproutes"};

/// A connection that is kept, and made again if it has been closed.
class KeptConnection {
 public:
  explicit KeptConnection(int port) : port_(port) {}
  ~KeptConnection() { end(); }
  KeptConnection(const KeptConnection&) = delete;
  KeptConnection& operator=(const KeptConnection&) = delete;

  Answer ask(const std::string& host) {
    for (int tries = 0; tries < 2; ++tries) {
      if (socket_ < 0) begin();
      std::string got = exchange("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
      const std::size_t end_of_head = got.find("\r\n\r\n");
      if (end_of_head == std::string::npos) {
        end();
        continue;
      }
      if (got.find("connection: close") < end_of_head) end();
      return {.status = static_cast<int>(std::strtol(got.c_str() + 9, nullptr, 10)),
              .head = got.substr(0, end_of_head + 2),
              .body = got.substr(end_of_head + 4)};
    }
    return {};
  }

 private:
  void begin() {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval limit{.tv_sec = 5, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) end();
  }
  std::string exchange(const std::string& request) const {
    std::string got;
    if (socket_ < 0 || ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) <= 0) return got;
    char buffer[4096];
    while (!testing::is_complete(got)) {
      const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
      if (size <= 0) break;
      got.append(buffer, static_cast<std::size_t>(size));
    }
    return got;
  }
  void end() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  const int port_;
  int socket_ = -1;
};

/// Returns the version in a header of an answer, "1"; "": there is none.
std::string version_in(const Answer& answer) {
  const std::size_t at = answer.head.find("x-version: ");
  return at == std::string::npos ? "" : answer.head.substr(at + 11, answer.head.find("\r\n", at) - at - 11);
}

std::string name_of(std::size_t number) {
  return "r" + std::to_string(number);
}
std::string host_of(std::size_t number) {
  return name_of(number) + ".example.com";
}

class ManyHostnames : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    rig_.apply_gateway(port_);
    rig_.apply_backend("cart", backend_->port());
    std::string text = route("wild", "'*.example.com'", "wild", "/");
    for (std::size_t number = 0; number < few; ++number) text += exact(number, "1");
    rig_.apply(text);
    rig_.start_controller({"--drain", "30s"});
    ASSERT_TRUE(eventually([&] { return version_in(testing::ask(port_, host_of(few - 1))) == "1"; }))
        << rig_.log();
  }

  static std::string route(const std::string& name, const std::string& host, const std::string& version,
                           const std::string& path) {
    return "---\n{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
           ", namespace: shop}, spec: {parentRefs: [{name: web}], hostnames: [" + host +
           "], rules: [{matches: [{path: {value: " + path +
           "}}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-version, "
           "value: '" +
           version + "'}]}}], backendRefs: [{name: cart, port: 80}]}]}}\n";
  }
  static std::string exact(std::size_t number, const std::string& version) {
    return route(name_of(number), host_of(number), version, "/");
  }
  /// Applies routes and waits until their statuses are current.
  void apply(const std::string& text, const std::string& last) {
    rig_.apply(text);
    ASSERT_TRUE(rig_.wait_until_current("HTTPRoute", last)) << rig_.log();
  }
  void remove(std::size_t number) { ASSERT_TRUE(rig_.client().remove(routes, {"shop", name_of(number)})); }

  /// Numbers of hostnames: the most that are served as one table, and more than that.
  static constexpr std::size_t few = least_sharded - 1, many = least_sharded + 5;
  std::atomic<bool> shows_shard_ = false;
  std::atomic<int> copied_ = 0;
  const int port_ = testing::free_loopback_port();
  const std::unique_ptr<http::Server> backend_ =
      testing::serve_on_loopback("GET",
                                 [this](const http::Request& request) {
                                   if (request.header(shard_header)) shows_shard_ = true;
                                   if (std::string_view(request.target).starts_with("/copied")) ++copied_;
                                   return http::Response::text(200, "");
                                 },
                                 {});
  testing::GatewayRig rig_{(std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
                           testing::envoy_program()};
};

TEST_F(ManyHostnames, NoRequestFailsWhileTheyBecomeShardsAndATableAgain) {
  std::atomic<int> asked = 0, wrong = 0;
  const std::map<std::string, std::string> wanted = {
      {host_of(0), "1"}, {"no-such-route.example.com", "wild"}, {"elsewhere.example.org", ""}};
  std::jthread client([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (const auto& [host, version] : wanted) {
        const Answer answer = testing::ask(port_, host);
        const bool is_right = answer.status == (version.empty() ? 404 : 200) && version_in(answer) == version;
        wrong += is_right ? 0 : 1;
        ++asked;
      }
    }
  });
  KeptConnection before(port_), also_before(port_);
  EXPECT_EQ(version_in(before.ask(host_of(1))), "1");
  EXPECT_EQ(version_in(also_before.ask(host_of(1))), "1");
  std::string text;
  for (std::size_t number = few; number < many; ++number) text += exact(number, "1");
  apply(text, name_of(many - 1));
  EXPECT_EQ(version_in(testing::ask(port_, host_of(many - 1))), "1");
  EXPECT_EQ(version_in(before.ask(host_of(many - 1))), "1");
  // A change comes to all.
  apply(exact(1, "2"), name_of(1));
  EXPECT_EQ(version_in(testing::ask(port_, host_of(1))), "2");
  EXPECT_EQ(version_in(before.ask(host_of(1))), "2");
  EXPECT_EQ(version_in(also_before.ask(host_of(1))), "2");
  // What is a name to Envoy is one to the filter, and nobody chooses a shard but that.
  EXPECT_EQ(version_in(testing::ask(port_, "R7.EXAMPLE.com:8080")), "1");
  const std::string longer_than_any = std::string(50'000, 'a') + ".example.com";
  EXPECT_EQ(version_in(testing::ask(port_, longer_than_any)), "wild");
  for (const std::string shard : {"00", "07", "wild", "none"}) {
    const Answer answer = testing::ask(port_, host_of(7) + "\r\nx-fairway-shard: " + shard);
    EXPECT_EQ(version_in(answer), "1") << shard;
  }
  apply(
      "---\n{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r10, namespace: "
      "shop}, spec: {parentRefs: [{name: web}], hostnames: [r10.example.com], rules: [{filters: [{type: "
      "RequestMirror, requestMirror: {backendRef: {name: cart, port: 80}}}], backendRefs: [{name: cart, "
      "port: 80}]}]}}\n",
      "r10");
  EXPECT_EQ(testing::ask(port_, "r10.example.com", "/copied").status, 200);
  EXPECT_TRUE(eventually([&] { return copied_ == 2; }));
  EXPECT_FALSE(shows_shard_) << "a backend sees by what Envoy chose";
  // An exact hostname comes first, also where its routes match nothing.
  apply(route(name_of(9), host_of(9), "9", "/nine"), name_of(9));
  EXPECT_EQ(version_in(testing::ask(port_, host_of(9), "/nine")), "9");
  EXPECT_EQ(version_in(testing::ask(port_, host_of(9))), "wild")
      << "its hostname has those of the wildcard, too";
  KeptConnection meanwhile(port_);
  EXPECT_EQ(version_in(meanwhile.ask(host_of(2))), "1");
  for (std::size_t number = few; number < many; ++number) remove(number);
  ASSERT_TRUE(eventually([&] { return version_in(testing::ask(port_, host_of(many - 1))) == "wild"; }));
  apply(exact(2, "2"), name_of(2));
  EXPECT_EQ(version_in(testing::ask(port_, host_of(2))), "2");
  EXPECT_EQ(version_in(meanwhile.ask(host_of(2))), "2");
  EXPECT_EQ(version_in(before.ask(host_of(2))), "2");
  client.request_stop();
  client.join();
  EXPECT_EQ(wrong, 0) << "of " << asked;
  EXPECT_GT(asked, 10);
}

}  // namespace
}  // namespace fairway::gateway
