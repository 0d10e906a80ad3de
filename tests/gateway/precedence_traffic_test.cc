// SPDX-License-Identifier: Apache-2.0

// Which of several routes gets a request through a real Envoy where a listener's hostname has made the same
// of theirs, and what their statuses say when that hostname changes.
#include <gtest/gtest.h>

#include <string>

#include "gateway/traffic.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

class PrecedenceTraffic : public testing::Traffic {
 protected:
  /// Gives the listener of the Gateway a hostname.
  void listen(const std::string& hostname) const {
    rig().apply(R"(
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop}
spec:
  gatewayClassName: fairway
  addresses: [{value: 127.0.0.1}]
  listeners: [{name: http, port: )" +
                std::to_string(port()) + ", protocol: HTTP, hostname: \"" + hostname + "\"}]\n");
    ASSERT_TRUE(rig().wait_until_current("Gateway", "web")) << rig().log();
  }
  /// Applies an HTTPRoute that leads to the Service `plain` with its own name as a header. `hostnames`: as in
  /// the route, `"a.example.com", "b.example.com"`.
  void serve_named(const std::string& name, const std::string& hostnames,
                   const std::string& path = "/") const {
    rig().apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
        ", namespace: shop}, spec: {parentRefs: [{name: web}], hostnames: [" + hostnames +
        "], rules: [{matches: [{path: {value: " + path +
        "}}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-route, "
        "value: " +
        name + "}]}}], backendRefs: [{name: plain, port: 80}]}]}}");
    ASSERT_TRUE(rig().wait_until_current("HTTPRoute", name)) << rig().log();
  }
  /// Returns the route that answers a request for a host; "": none.
  std::string route_of(const std::string& host, const std::string& path = "/") const {
    const auto values =
        testing::header_values(send("GET " + path + " HTTP/1.1", "Host: " + host + "\r\n").head, "x-route");
    return values.empty() ? "" : values[0];
  }
  /// Returns the condition Accepted of a route's parent: "True Accepted"; "": it is of an older generation.
  std::string accepted(const std::string& route) const {
    const auto object = rig().get("HTTPRoute", route);
    const auto parents = object ? object->items("status.parents") : std::vector<k8s::View>{};
    return parents.empty() ? "" : testing::condition_of(parents[0], "Accepted", object->generation());
  }
};

TEST_F(PrecedenceTraffic, IsByTheRoutesOwnHostnames) {
  listen("abc.example.com");
  // The older one, with the longer path, would come first by all that is left where the hostname does not
  // count.
  serve_named("a-any", "");
  serve_named("b-wide", "\"*.com\"", "/long");
  serve_named("c-wildcard", "\"*.example.com\"", "/long");
  EXPECT_EQ(route_of("abc.example.com", "/long"), "c-wildcard");
  serve_named("d-exact", "\"*.com\", \"abc.example.com\"");
  EXPECT_EQ(route_of("abc.example.com", "/long"), "d-exact");
  EXPECT_EQ(route_of("abc.example.com"), "d-exact");
  // What the narrower one does not match goes to the next.
  serve_named("d-exact", "abc.example.com", "/only");
  EXPECT_EQ(route_of("abc.example.com", "/only"), "d-exact");
  EXPECT_EQ(route_of("abc.example.com", "/long"), "c-wildcard");
  EXPECT_EQ(route_of("abc.example.com"), "a-any");
}

TEST_F(PrecedenceTraffic, FollowsAChangeOfTheRoutesOwnHostname) {
  listen("abc.example.com");
  serve_named("a", "\"*.example.com\"");
  serve_named("b", "\"*.com\"");
  EXPECT_EQ(route_of("abc.example.com"), "a");
  // On the listener it is the same name before and after.
  serve_named("b", "abc.example.com");
  EXPECT_EQ(route_of("abc.example.com"), "b");
}

TEST_F(PrecedenceTraffic, StatusFollowsTheHostnameOfTheListener) {
  serve_named("r", "r.example.com");
  EXPECT_EQ(accepted("r"), "True Accepted");
  listen("other.example.com");
  EXPECT_TRUE(eventually([&] { return accepted("r") == "False NoMatchingListenerHostname"; }))
      << accepted("r");
  EXPECT_EQ(send("GET / HTTP/1.1", "Host: r.example.com\r\n").status, 404);
  listen("*.example.com");
  EXPECT_TRUE(eventually([&] { return accepted("r") == "True Accepted"; })) << accepted("r");
  EXPECT_EQ(route_of("r.example.com"), "r");
}

}  // namespace
}  // namespace fairway::gateway
