// SPDX-License-Identifier: Apache-2.0

// Headers on their way through a real Envoy: clients, backends and mirrors get those that others have written
// and rules ask for, and none of Envoy's own.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gateway/traffic.h"

namespace fairway::gateway {
namespace {

using testing::eventually;
using testing::header_values;
using testing::RawBackend;
using Values = std::vector<std::string>;

/// Returns the names that begin with `x-envoy` in the head of a message, which Envoy writes in small letters.
std::string names_of_envoy(const std::string& message) {
  std::string names;
  for (std::size_t at = message.find("\r\nx-envoy"); at != std::string::npos;
       at = message.find("\r\nx-envoy", at + 1))
    names += message.substr(at + 2, message.find(':', at) - at - 2) + " ";
  return names;
}

class HeaderTraffic : public testing::Traffic {
 protected:
  /// Returns the request that the backend gets for one of a client.
  std::string forwarded(const std::string& line, const std::string& headers) {
    backend().forget();
    EXPECT_EQ(send(line, headers).status, 200);
    const auto requests = backend().requests();
    return requests.size() == 1 ? requests[0] : "";
  }
};

TEST_F(HeaderTraffic, ServerIsTheBackendsAndCanBeSetAndRemoved) {
  backend().answer([](const std::string& /*request*/) {
    return RawBackend::ok("Server: of-backend\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
  });
  serve("r", R"(
{matches: [{path: {value: /set}}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {
   set: [{name: Server, value: mine}, {name: Date, value: 'Fri, 02 Jan 1970 00:00:00 GMT'}]}}], backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /add}}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {
   add: [{name: Server, value: mine}]}}], backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /remove}}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {
   remove: [Server]}}], backendRefs: [{name: plain, port: 80}]},
{backendRefs: [{name: plain, port: 80}]})");
  EXPECT_EQ(header_values(get("r").head, "server"), Values{"of-backend"});
  EXPECT_EQ(header_values(get("r").head, "date"), Values{"Thu, 01 Jan 1970 00:00:00 GMT"});
  EXPECT_EQ(header_values(get("r", "/set").head, "server"), Values{"mine"});
  EXPECT_EQ(header_values(get("r", "/set").head, "date"), Values{"Fri, 02 Jan 1970 00:00:00 GMT"});
  EXPECT_EQ(header_values(get("r", "/remove").head, "server"), Values{});
  const Values both = header_values(get("r", "/add").head, "server");
  EXPECT_TRUE((both == Values{"of-backend", "mine"} || both == Values{"of-backend,mine"}))
      << get("r", "/add").head;
  EXPECT_EQ(names_of_envoy(get("r").head), "") << "clients get none of Envoy's either";
}

TEST_F(HeaderTraffic, OfEnvoyReachNoBackendUnlessARuleSetsThem) {
  serve("r", R"(
{matches: [{path: {value: /asked}}], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {
   set: [{name: X-Envoy-Asked, value: 'yes'}]}}], backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /rewritten}}], timeouts: {request: 5s}, retry: {attempts: 1},
   filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /new}}}], backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /matched}, headers: [{name: X-Envoy-Mine, value: a}]}], backendRefs: [{name: plain, port: 80}]})");
  const std::string host = "Host: r.example.com\r\n";
  const std::string rewritten = forwarded("GET /rewritten HTTP/1.1", host);
  EXPECT_TRUE(rewritten.starts_with("GET /new HTTP/1.1\r\n")) << rewritten;
  EXPECT_EQ(names_of_envoy(rewritten), "") << rewritten;
  const std::string asked = forwarded("GET /asked HTTP/1.1", host + "X-Envoy-Asked: no\r\n");
  EXPECT_EQ(header_values(asked, "x-envoy-asked"), Values{"yes"});
  EXPECT_EQ(names_of_envoy(asked), "x-envoy-asked ");
  // A client's own can be matched, and go no further: a second Envoy would obey them.
  const std::string sent =
      "X-Envoy-Mine: a\r\nX-Envoy-Upstream-Rq-Timeout-Ms: 1\r\nX-Envoy-Retry-On: 5xx\r\n";
  EXPECT_EQ(names_of_envoy(forwarded("GET /matched HTTP/1.1", host + sent)), "");
  EXPECT_EQ(status("r", "/matched"), 404) << "the match counts";
}

TEST_F(HeaderTraffic, OfAClientsAreMatchedOnAPortWithManyHostnames) {
  // So many that a filter chooses the table of routes.
  std::string hostnames;
  for (int i = 0; i < 300; ++i) hostnames += "h" + std::to_string(i) + ".example.com, ";
  rig().apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: many, namespace: shop}, "
      "spec: "
      "{parentRefs: [{name: web}], hostnames: [" +
      hostnames +
      "last.example.com], rules: [{matches: [{headers: [{name: X-Envoy-Mine, value: a}]}], backendRefs: "
      "[{name: plain, port: 80}]}]}}");
  ASSERT_TRUE(rig().wait_until_current("HTTPRoute", "many")) << rig().log();
  ASSERT_TRUE(eventually([&] { return get("h7", "/", "X-Envoy-Mine: a\r\n").status == 200; })) << rig().log();
  EXPECT_EQ(names_of_envoy(forwarded("GET / HTTP/1.1", "Host: h7.example.com.\r\nX-Envoy-Mine: a\r\n")), "");
  EXPECT_EQ(status("h7"), 404);
}

TEST_F(HeaderTraffic, OfAMirroredRequestAreThoseOfTheRequest) {
  RawBackend mirror;
  rig().apply_backend("mirror", mirror.port());
  serve("r",
        "{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: mirror, port: 80}}}], "
        "backendRefs: "
        "[{name: plain, port: 80}]}");
  const auto lines_of = [](const std::string& request) {
    Values lines;
    for (std::size_t at = 0, end = 0; (end = request.find("\r\n", at)) != std::string::npos && end > at;
         at = end + 2)
      lines.push_back(request.substr(at, end - at));
    std::ranges::sort(lines);
    return lines;
  };
  for (const char* host : {"r.example.com", "r.example.com:8080", "R.example.com"}) {
    mirror.forget();
    const std::string request = forwarded(
        "GET /x HTTP/1.1", "Host: " + std::string(host) +
                               "\r\nX-Forwarded-For: 192.0.2.1\r\nX-Fairway-Mirrored-For: forged\r\n");
    ASSERT_TRUE(eventually([&] { return !mirror.requests().empty(); })) << host;
    const std::string copy = mirror.requests().front();
    EXPECT_EQ(header_values(copy, "host"), Values{host});
    EXPECT_EQ(header_values(copy, "x-forwarded-for"), header_values(request, "x-forwarded-for")) << copy;
    EXPECT_EQ(names_of_envoy(copy), "") << copy;
    // All others, too; that of Fairway's own is taken off the copy.
    Values expected = lines_of(request), got = lines_of(copy);
    std::erase_if(expected, [](const std::string& line) { return line.starts_with("x-fairway"); });
    EXPECT_EQ(got, expected);
  }
}

TEST_F(HeaderTraffic, AHostCountsWithoutItsPortItsLastDotAndItsCase) {
  serve("r", "{backendRefs: [{name: plain, port: 80}]}");
  for (const char* host : {"r.example.com", "r.example.com.", "r.example.com:80", "r.example.com:30080",
                           "r.example.com.:80", "R.Example.COM"})
    EXPECT_EQ(send("GET / HTTP/1.1", "Host: " + std::string(host) + "\r\n").status, 200) << host;
  for (const char* host : {"r.example.com..", "r.example.co", "x.r.example.com"})
    EXPECT_EQ(send("GET / HTTP/1.1", "Host: " + std::string(host) + "\r\n").status, 404) << host;
  // The port is a part of what the client asks for.
  EXPECT_EQ(header_values(forwarded("GET / HTTP/1.1", "Host: r.example.com:30080\r\n"), "host"),
            Values{"r.example.com:30080"});
}

TEST_F(HeaderTraffic, ARequestOfHttp10IsAnsweredWithAndWithoutAHost) {
  serve("r", "{backendRefs: [{name: plain, port: 80}]}");
  const auto with_host = send("GET / HTTP/1.0", "Host: r.example.com\r\n");
  EXPECT_EQ(with_host.status, 200) << with_host.head;
  EXPECT_EQ(send("GET / HTTP/1.0", "").status, 404) << "no route is for the address";
  rig().apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: all, namespace: shop}, "
      "spec: "
      "{parentRefs: [{name: web}], rules: [{backendRefs: [{name: plain, port: 80}]}]}}");
  ASSERT_TRUE(rig().wait_until_current("HTTPRoute", "all"));
  EXPECT_EQ(header_values(forwarded("GET / HTTP/1.0", ""), "host"), Values{"127.0.0.1"});
}

TEST_F(HeaderTraffic, AReflectedOriginVaries) {
  serve("r", R"(
{matches: [{path: {value: /cors}}], filters: [{type: CORS, cors: {allowOrigins: ['https://app.test'], allowMethods: [GET]}}], backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /any}}], filters: [{type: CORS, cors: {allowOrigins: ['*']}}], backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /none}}], filters: [{type: CORS, cors: {allowOrigins: ['https://app.test'], allowMethods: [GET]}}]},
{backendRefs: [{name: plain, port: 80}]})");
  const std::string from_app = "Origin: https://app.test\r\n", from_other = "Origin: https://other.test\r\n";
  const std::string host = "Host: r.example.com\r\n", asks = "Access-Control-Request-Method: GET\r\n";
  // Also without an origin, and for one that may not: the answer would be another for others.
  for (const std::string& origin : {from_app, from_other, std::string()}) {
    for (const char* path : {"/cors", "/any"})
      EXPECT_EQ(header_values(get("r", path, origin).head, "vary"), Values{"Origin"})
          << path << " " << origin;
    EXPECT_EQ(header_values(get("r", "/", origin).head, "vary"), Values{});
  }
  const auto preflight = send("OPTIONS /cors HTTP/1.1", host + from_app + asks);
  EXPECT_EQ(preflight.status, 200);
  EXPECT_EQ(header_values(preflight.head, "access-control-allow-origin"), Values{"https://app.test"});
  EXPECT_EQ(header_values(preflight.head, "vary"), Values{"Origin"});
  // A backend's own is kept.
  backend().answer([](const std::string& /*request*/) { return RawBackend::ok("Vary: Accept\r\n"); });
  const std::string kept = get("r", "/cors", from_app).head;
  EXPECT_NE(kept.find("Accept"), std::string::npos) << kept;
  EXPECT_NE(kept.find("Origin"), std::string::npos) << kept;
  // A rule without a backend lets its origins read the error.
  EXPECT_EQ(header_values(send("OPTIONS /none HTTP/1.1", host + from_app + asks).head,
                          "access-control-allow-origin"),
            Values{"https://app.test"});
  const auto error = get("r", "/none", from_app);
  EXPECT_EQ(error.status, 500);
  EXPECT_EQ(header_values(error.head, "access-control-allow-origin"), Values{"https://app.test"});
}

TEST_F(HeaderTraffic, APreflightIsAnsweredForTheMethodOfAMatch) {
  serve("r", R"(
{matches: [{path: {value: /put}, method: PUT}], filters: [{type: CORS, cors: {allowOrigins: ['https://app.test'], allowMethods: [PUT]}}], retry: {attempts: 1}, backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /moved}, method: PUT}], filters: [{type: CORS, cors: {allowOrigins: ['https://app.test'], allowMethods: [PUT]}},
   {type: RequestRedirect, requestRedirect: {scheme: https}}]},
{matches: [{path: {value: /plain}, method: PUT}], backendRefs: [{name: plain, port: 80}]})");
  const auto asked = [&](const std::string& path, const std::string& method) {
    return send("OPTIONS " + path + " HTTP/1.1",
                "Host: r.example.com\r\nOrigin: https://app.test\r\nAccess-Control-Request-Method: " +
                    method + "\r\n");
  };
  for (const char* path : {"/put", "/moved"}) {
    const auto answer = asked(path, "PUT");
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(header_values(answer.head, "access-control-allow-origin"), Values{"https://app.test"}) << path;
    EXPECT_EQ(asked(path, "DELETE").status, 404) << path << ": no rule is for it";
    EXPECT_EQ(send("OPTIONS " + std::string(path) + " HTTP/1.1", "Host: r.example.com\r\n").status, 404)
        << path << ": no preflight";
  }
  EXPECT_EQ(asked("/plain", "PUT").status, 404) << "no CORS";
  EXPECT_EQ(send("PUT /put HTTP/1.1", "Host: r.example.com\r\nContent-Length: 0\r\n").status, 200);
}

TEST_F(HeaderTraffic, AnAccessLogHasThePathThatWasAskedFor) {
  const std::string log = (rig().folder() / "access.log").string();
  rig().apply(
      "{apiVersion: fairway.dev/v1alpha1, kind: GatewayParameters, metadata: {name: logs, namespace: shop}, "
      "spec: "
      "{accessLog: {path: " +
      log + R"(, fields: [path, upstream_service_time, response_code]}}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: fairway}
spec:
  controllerName: fairway.dev/gateway
  parametersRef: {group: fairway.dev, kind: GatewayParameters, name: logs, namespace: shop}
)");
  serve("r", R"(
{filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /new}}}], backendRefs: [{name: plain, port: 80}]})");
  const auto logged = [&](const std::string& part) {
    return eventually([&] {
      EXPECT_EQ(status("r", "/asked-for"), 200);
      return read_file(log).value_or("").find(part) != std::string::npos;
    });
  };
  EXPECT_TRUE(logged(R"("path":"/asked-for")")) << read_file(log).value_or("none");
  EXPECT_FALSE(read_file(log).value_or("").find(R"("upstream_service_time":null)") != std::string::npos)
      << read_file(log).value_or("none");
}

}  // namespace
}  // namespace fairway::gateway
