// SPDX-License-Identifier: Apache-2.0

// Redirects by a real Envoy: their ports, and the filters beside them; and retries.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gateway/traffic.h"

namespace fairway::gateway {
namespace {

using testing::header_values;
using testing::RawBackend;
using Values = std::vector<std::string>;

using RedirectTraffic = testing::Traffic;

/// Returns the condition PartiallyInvalid or Accepted of a route's only parent: "True Reason: message".
std::string said_of(const testing::GatewayRig& rig, const std::string& route, const std::string& type) {
  const auto object = rig.get("HTTPRoute", route);
  if (!object) return "no route";
  const auto parents = object->items("status.parents");
  const auto found = parents.empty() ? std::nullopt : k8s::find_condition(parents.at(0), type, "conditions");
  if (!found) return "";
  return std::string(to_string(found->status())) + " " + std::string(found->reason()) + ": " +
         std::string(found->message());
}

TEST_F(RedirectTraffic, LeadsToThePortOfTheRuleWhateverPortTheClientNames) {
  serve("r", R"(
{matches: [{path: {value: /scheme}}], filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]},
{matches: [{path: {value: /http}}], filters: [{type: RequestRedirect, requestRedirect: {scheme: http}}]},
{matches: [{path: {value: /path}}], filters: [{type: RequestRedirect, requestRedirect: {path: {type: ReplaceFullPath, replaceFullPath: /q}}}]},
{matches: [{path: {value: /port}}], filters: [{type: RequestRedirect, requestRedirect: {port: 8443}}]},
{matches: [{path: {value: /443}}], filters: [{type: RequestRedirect, requestRedirect: {scheme: https, port: 443}}]},
{matches: [{path: {value: /host}}], filters: [{type: RequestRedirect, requestRedirect: {scheme: https, hostname: other.test}}]})");
  const std::string own = ":" + std::to_string(port());
  for (const char* suffix : {"", ":80", ":443", ":8080", ":30080", "."}) {
    const std::string host = "Host: r.example.com" + std::string(suffix) + "\r\n";
    const auto to = [&](const std::string& path) {
      const Values found = header_values(send("GET " + path + " HTTP/1.1", host).head, "location");
      return found.empty() ? "" : found[0];
    };
    // The well-known port may be said or not; without one from the client it is not.
    const bool has_port = std::string(suffix).starts_with(':');
    EXPECT_EQ(to("/scheme"), has_port ? "https://r.example.com:443/scheme" : "https://r.example.com/scheme")
        << host;
    EXPECT_EQ(to("/http"), has_port ? "http://r.example.com:80/http" : "http://r.example.com/http") << host;
    EXPECT_EQ(to("/443"), has_port ? "https://r.example.com:443/443" : "https://r.example.com/443") << host;
    EXPECT_EQ(to("/path"), "http://r.example.com" + own + "/q") << host;
    EXPECT_EQ(to("/port"), "http://r.example.com:8443/port") << host;
    EXPECT_EQ(to("/host"), "https://other.test/host") << host;
  }
}

TEST_F(RedirectTraffic, HasTheHeadersOfCorsAndOfTheRule) {
  serve("r", R"(
{filters: [
  {type: CORS, cors: {allowOrigins: ['https://app.test', 'https://*.b.test'], allowMethods: [GET, PUT], allowHeaders: ['*'],
    exposeHeaders: [X-A], allowCredentials: true, maxAge: 77}},
  {type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: X-Mine, value: '50%'}]}},
  {type: RequestRedirect, requestRedirect: {scheme: https}}]})");
  const auto preflight = [&](const std::string& origin, const std::string& more = "") {
    return send("OPTIONS /x HTTP/1.1", "Host: r.example.com:8080\r\nOrigin: " + origin +
                                           "\r\nAccess-Control-Request-Method: PUT\r\n" + more);
  };
  for (const char* origin : {"https://app.test", "https://a.c.b.test"}) {
    const auto answer = preflight(origin, "Access-Control-Request-Headers: x-1, x-2\r\n");
    EXPECT_EQ(answer.status, 200) << answer.head;
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"access-control-allow-origin", origin},
                                            {"access-control-allow-methods", "GET, PUT"},
                                            {"access-control-allow-headers", "x-1, x-2"},
                                            {"access-control-allow-credentials", "true"},
                                            {"access-control-max-age", "77"},
                                            {"vary", "Origin"}})
      EXPECT_EQ(header_values(answer.head, name), Values{value}) << origin << ": " << name;
    EXPECT_EQ(header_values(answer.head, "location"), Values{});
    for (const char* suffix : {"", ":8080"}) {
      const auto followed = send("GET /x HTTP/1.1", "Host: r.example.com" + std::string(suffix) +
                                                        "\r\nOrigin: " + std::string(origin) + "\r\n");
      EXPECT_EQ(followed.status, 302);
      EXPECT_EQ(header_values(followed.head, "access-control-allow-origin"), Values{origin}) << followed.head;
      EXPECT_EQ(header_values(followed.head, "access-control-expose-headers"), Values{"X-A"});
      EXPECT_EQ(header_values(followed.head, "vary"), Values{"Origin"});
      EXPECT_EQ(header_values(followed.head, "x-mine"), Values{"50%"});
    }
  }
  for (const char* origin : {"https://app.test.evil", "http://app.test", "https://b.test", "null"}) {
    const auto refused = preflight(origin);
    EXPECT_EQ(header_values(refused.head, "access-control-allow-origin"), Values{}) << refused.head;
    EXPECT_EQ(header_values(refused.head, "location"), Values{});
    const auto followed = get("r", "/x", "Origin: " + std::string(origin) + "\r\n");
    EXPECT_EQ(followed.status, 302);
    EXPECT_EQ(header_values(followed.head, "access-control-allow-origin"), Values{}) << followed.head;
  }
  EXPECT_EQ(header_values(get("r", "/x").head, "vary"), Values{"Origin"});
  EXPECT_EQ(send("OPTIONS /x HTTP/1.1", "Host: r.example.com\r\n").status, 302) << "no preflight";
  EXPECT_EQ(said_of(rig(), "r", "PartiallyInvalid"), "");
}

TEST_F(RedirectTraffic, IsRefusedBesideAFilterThatItLeavesWithoutEffect) {
  serve("r", R"(
{matches: [{path: {value: /mirror}}], filters: [
  {type: RequestMirror, requestMirror: {backendRef: {name: plain, port: 80}}}, {type: RequestRedirect, requestRedirect: {scheme: https}}]},
{matches: [{path: {value: /headers}}], filters: [
  {type: RequestHeaderModifier, requestHeaderModifier: {remove: [x-a]}}, {type: RequestRedirect, requestRedirect: {scheme: https}}]},
{backendRefs: [{name: plain, port: 80}]})");
  EXPECT_EQ(status("r", "/mirror"), 500);
  EXPECT_EQ(status("r", "/headers"), 500);
  EXPECT_EQ(status("r"), 200);
  const std::string said = said_of(rig(), "r", "PartiallyInvalid");
  EXPECT_NE(said.find("RequestMirror has no effect beside RequestRedirect"), std::string::npos) << said;
  EXPECT_NE(said.find("RequestHeaderModifier has no effect beside RequestRedirect"), std::string::npos)
      << said;
}

class RetryTraffic : public testing::Traffic {
 protected:
  /// Makes the backend close the first connections of each method and path.
  void close_first(int count) {
    backend().answer([this, count](const std::string& request) {
      const std::scoped_lock lock(mutex_);
      return ++seen_[request.substr(0, request.find(" HTTP/"))] <= count ? "" : RawBackend::ok();
    });
  }
  int tries(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    return seen_[line];
  }
  int asked(const std::string& method, const std::string& path) {
    const bool has_body = method == "POST" || method == "PUT" || method == "PATCH";
    return send(method + " " + path + " HTTP/1.1",
                std::string("Host: r.example.com\r\n") + (has_body ? "Content-Length: 4\r\n" : ""),
                has_body ? "body" : "")
        .status;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> seen_;
};

TEST_F(RetryTraffic, OfAClosedConnectionIsForMethodsThatMayBeRepeated) {
  serve("r", R"(
{matches: [{path: {value: /plain}}], backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /post}, method: POST}], retry: {attempts: 2}, backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /get}, method: GET}], retry: {attempts: 2}, backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /zero}}], retry: {attempts: 0}, backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /codes}}], retry: {attempts: 2, codes: [500]}, backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /limit}}], retry: {attempts: 2}, timeouts: {backendRequest: 5s}, backendRefs: [{name: plain, port: 80}]},
{matches: [{path: {value: /retry}}], retry: {attempts: 2}, backendRefs: [{name: plain, port: 80}]})");
  close_first(1);
  for (const char* method : {"GET", "PUT", "DELETE", "OPTIONS"}) {
    EXPECT_EQ(asked(method, "/retry"), 200) << method;
    EXPECT_EQ(tries(std::string(method) + " /retry"), 2) << method;
    EXPECT_EQ(asked(method, "/codes"), 200) << method;
  }
  // Nobody knows whether it was processed.
  for (const char* method : {"POST", "PATCH"}) {
    EXPECT_EQ(asked(method, "/retry"), 503) << method;
    EXPECT_EQ(tries(std::string(method) + " /retry"), 1) << method;
    EXPECT_EQ(asked(method, "/codes"), 503) << method;
  }
  EXPECT_EQ(asked("POST", "/post"), 503);
  EXPECT_EQ(asked("GET", "/get"), 200);
  EXPECT_EQ(asked("GET", "/plain"), 503) << "no retry is asked for";
  EXPECT_EQ(asked("GET", "/zero"), 503) << "zero is none";
  EXPECT_EQ(asked("GET", "/limit"), 200);
}

TEST_F(RetryTraffic, EndsWithTheAttempts) {
  serve("r", "{retry: {attempts: 2}, backendRefs: [{name: plain, port: 80}]}");
  close_first(3);
  EXPECT_EQ(asked("GET", "/x"), 503);
  EXPECT_EQ(tries("GET /x"), 3);
  EXPECT_EQ(asked("GET", "/x"), 200);
}

TEST_F(RetryTraffic, OfAnAnswerThatHasBegunIsNone) {
  serve("r", "{retry: {attempts: 2}, backendRefs: [{name: plain, port: 80}]}");
  backend().answer([](const std::string& /*request*/) {
    return std::string("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly a part");
  });
  asked("GET", "/x");
  EXPECT_EQ(backend().requests().size(), 1U);
}

TEST_F(RetryTraffic, OfACodeIsForAllMethods) {
  serve("r", "{retry: {attempts: 2, codes: [500]}, backendRefs: [{name: plain, port: 80}]}");
  for (const char* method : {"GET", "POST"}) {
    backend().forget();
    backend().answer([this](const std::string& /*request*/) {
      return backend().requests().size() < 3
                 ? "HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                 : RawBackend::ok();
    });
    EXPECT_EQ(asked(method, "/x"), 200) << method;
  }
}

TEST_F(RetryTraffic, OfAnAnswerThatSaysUnavailable) {
  serve("r", "{retry: {attempts: 2}, backendRefs: [{name: plain, port: 80}]}");
  const auto answer_first = [this](const std::string& status) {
    backend().forget();
    backend().answer([this, status](const std::string& /*request*/) {
      return backend().requests().size() < 3
                 ? RawBackend::ok("content-type: application/grpc\r\ngrpc-status: " + status + "\r\n")
                 : RawBackend::ok("x-last: yes\r\n");
    });
  };
  // The backend has not processed the call (UNAVAILABLE of gRPC).
  answer_first("14");
  EXPECT_EQ(header_values(get("r").head, "x-last"), Values{"yes"});
  // Others may have been processed: this is INTERNAL.
  answer_first("13");
  EXPECT_EQ(header_values(get("r").head, "grpc-status"), Values{"13"});
  EXPECT_EQ(backend().requests().size(), 1U);
}

}  // namespace
}  // namespace fairway::gateway
