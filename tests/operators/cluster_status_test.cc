// SPDX-License-Identifier: Apache-2.0

// The API about the cluster on the operator's status port: what is in it, who gets it, and how it follows.
#include "console/console.h"
#include "http/raw_client.h"
#include "operators/internal/status_openapi_text.h"
#include "operators/updating_case.h"
#include "support/json_schema.h"

namespace fairway::operators::testing {
namespace {

/// Returns 4.6.23 with an update to 4.7.4, which has the risks A (a query) and Everybody (Always).
json::Value one_round() {
  const auto node = [](const char* version) {
    return json::Object{{"version", version}, {"payload", std::string("registry.example.com/r:") + version}};
  };
  const auto risk = [](const char* name, json::Object rule) {
    return json::Object{{"url", "https://example.com/" + std::string(name)},
                        {"name", name},
                        {"message", std::string(name) + " message."},
                        {"matchingRules", json::Array{std::move(rule)}}};
  };
  // Braces around one array are another array for g++, and the same one for clang.
  json::Array edges;
  edges.push_back(json::Array{0, 1});
  json::Object body{
      {"nodes", json::Array{node("4.6.23"), node("4.6.42"), node("4.7.4")}},
      {"edges", std::move(edges)},
      {"conditionalEdges",
       json::Array{json::Object{
           {"edges", json::Array{json::Object{{"from", "4.6.23"}, {"to", "4.7.4"}}}},
           {"risks", json::Array{risk("A", {{"type", "PromQL"}, {"promql", json::Object{{"promql", "A"}}}}),
                                 risk("Everybody", {{"type", "Always"}})}}}}}};
  return json::Object{{"cincinnati", json::Object{{"body", std::move(body)}}},
                      {"promql", json::Object{{"A", 1}}}};
}

class ClusterStatusCase : public Updating {
 protected:
  /// Starts the operator, and finds the port that it has chosen in its log.
  void start_at_port(const std::vector<std::string>& more = {}) {
    // Somebody else may have taken the port before: then there is another one.
    ASSERT_TRUE(eventually([&] {
      if (process_ && process_->running()) return status_of(ask("/livez")) == 200;
      port_ = static_cast<std::uint16_t>(fairway::testing::free_loopback_port());
      status_listen_ = host_ + ":" + std::to_string(port_);
      std::vector<std::string> flags{"--upstream",   stubs_.upstream(),
                                     "--prometheus", stubs_.prometheus(),
                                     "--release",    "4.6.23=registry.example.com/r:4.6.23"};
      flags.insert(flags.end(), more.begin(), more.end());
      process_ = start(flags);
      return false;
    })) << log();
  }
  static int status_of(const std::string& reply) { return http::status_of(reply); }
  std::string ask(const std::string& path, const std::string& host = "127.0.0.1") const {
    http::RawClient client(port_);
    client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    return client.read_to_end();
  }
  json::Value document() const {
    auto parsed = json::parse(http::body_of(ask("/status")));
    return parsed ? *std::move(parsed) : json::Value();
  }
  /// Returns the text at a path of the status: "cluster.version".
  std::string said_at(const std::string& path) const {
    const json::Value now = document();
    return now.is_object() ? std::string(k8s::View(now.as_object()).text(path)) : "";
  }

  std::string host_ = "127.0.0.1";
  std::uint16_t port_ = 0;
};

TEST_F(ClusterStatusCase, SaysWhatIsRecommendedAndWhyTheRestIsNot) {
  stubs_.begin(one_round());
  write_cluster(spec());
  start_at_port();
  // Updates, verdicts and the history are written one after the other.
  json::Value now;
  ASSERT_TRUE(eventually([&] {
    now = document();
    if (!now.is_object()) return false;
    const k8s::View seen(now.as_object());
    const auto conditional = seen.items("cluster.conditional"), risks = seen.items("risks.risks"),
               history = seen.items("cluster.history");
    return conditional.size() == 1 && conditional[0].text("recommended.status") == "False" &&
           !seen.items("cluster.available").empty() && risks.size() == 2 &&
           risks[0].text("verdict") == "matches" && history.size() == 1 &&
           history[0].text("state") == "Completed" && seen.flag("program.leads");
  })) << ask("/status")
      << log();
  const json::Value schemas = json::parse(http::body_of(ask("/status/openapi"))).value();
  EXPECT_EQ(schemas, json::parse(status_openapi_text).value());
  EXPECT_EQ(fairway::testing::Schemas(schemas).check(now, schemas.at_pointer("/components/schemas/Status"),
                                                     "Status"),
            "")
      << json::to_text(now);
  const k8s::View status(now.as_object());
  EXPECT_EQ(status.text("cluster.version"), "4.6.23");
  EXPECT_EQ(status.text("cluster.channel"), "stable-4.7");
  EXPECT_EQ(status.text("cluster.upstreamSetBy"), "operator");
  EXPECT_EQ(status.items("cluster.available").at(0).text("version"), "4.6.42");
  const k8s::View conditional = status.items("cluster.conditional").at(0);
  EXPECT_EQ(conditional.text("version"), "4.7.4");
  EXPECT_EQ(conditional.text("recommended.status"), "False");
  EXPECT_EQ(conditional.texts("risks"), (std::vector<std::string_view>{"A", "Everybody"}));
  const k8s::View a = status.items("risks.risks").at(0), everybody = status.items("risks.risks").at(1);
  EXPECT_EQ(a.text("verdict"), "matches");
  EXPECT_EQ(a.text("decidedBy"), "PromQL");
  EXPECT_EQ(a.items("matchingRules").at(0).text("promql.promql"), "A");
  EXPECT_EQ(a.text("value"), "1");
  EXPECT_TRUE(a.has("last"));
  EXPECT_EQ(everybody.text("decidedBy"), "Always");
  EXPECT_EQ(status.items("cluster.history").at(0).text("state"), "Completed");
}

TEST_F(ClusterStatusCase, AStreamFollowsWhatSomebodyChanges) {
  stubs_.begin(one_round());
  write_cluster(spec());
  start_at_port();
  ASSERT_TRUE(eventually([&] { return said_at("cluster.channel") == "stable-4.7"; })) << log();
  http::RawClient client(port_);
  client.send("GET /status/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string head = client.read_until("event: cluster\n");
  EXPECT_TRUE(head.contains("Content-Type: text/event-stream\r\n")) << head;
  EXPECT_TRUE(head.contains("Cross-Origin-Resource-Policy: same-origin\r\n")) << head;
  json::Object other = spec();
  other["channel"] = "fast-4.7";
  write_spec(other);
  EXPECT_TRUE(client.read_until("\"channel\":\"fast-4.7\"").ends_with("fast-4.7\"")) << log();
}

TEST_F(ClusterStatusCase, AnswersToItsOwnNamesOnly) {
  stubs_.begin(one_round());
  start_at_port();
  for (const char* path : {"/status", "/status/stream", "/status/openapi", "/console/", "/risks"}) {
    const std::string reply = ask(path, "evil.example");
    EXPECT_EQ(status_of(reply), 421) << path << reply;
    EXPECT_TRUE(reply.contains("use the server's address or localhost\n")) << reply;
  }
  EXPECT_EQ(status_of(ask("/livez", "evil.example")), 200);
  EXPECT_EQ(status_of(ask("/risks")), 200);
  EXPECT_EQ(status_of(ask("/status", "localhost:1")), 200);
  EXPECT_EQ(status_of(ask("/console/")), console::is_built_in() ? 200 : 404);
  // Without a ClusterVersion that is what it says, until the operator has made one.
  EXPECT_TRUE(eventually([&] { return said_at("cluster.version") == "4.6.23"; })) << ask("/status");
}

TEST_F(ClusterStatusCase, IsOffWhereOthersReachThePortUnlessAskedFor) {
  stubs_.begin(one_round());
  for (const auto& [host, flag, status] :
       {std::tuple("0.0.0.0", "", 404), std::tuple("0.0.0.0", "--console", 200),
        std::tuple("127.0.0.1", "--no-console", 404)}) {
    if (std::string_view(flag) == "--console" && !console::is_built_in()) continue;
    process_.reset();
    host_ = host;
    start_at_port(*flag == '\0' ? std::vector<std::string>{} : std::vector<std::string>{flag});
    for (const char* path : {"/status", "/status/stream", "/console/"}) {
      if (status == 200 && std::string_view(path) == "/status/stream") continue;
      const std::string reply = ask(path);
      EXPECT_EQ(status_of(reply), status) << host << " " << flag << " " << path;
      EXPECT_EQ(reply.contains("docs/console-cluster.md says when it is on"), status == 404) << reply;
    }
    EXPECT_EQ(status_of(ask("/metrics")), 200);
  }
}

}  // namespace
}  // namespace fairway::operators::testing
