// SPDX-License-Identifier: Apache-2.0

// tests/apiserver/data/apply.json: server-side apply, managedFields and fieldValidation over HTTP, one
// request after the other on one server. The answers are those of a kube-apiserver 1.36.
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "apiserver/answers.h"
#include "apiserver/server_case.h"
#include "http/client.h"
#include "kube/wait/wait_until.h"
#include "support/cases.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {
namespace {

constexpr std::string_view apply_type = "application/apply-patch+yaml";
constexpr std::string_view config_maps_path = "/api/v1/namespaces/default/configmaps";

/// A server whose clock the test moves, and a client that shows all of a reply.
class Applies : public ::testing::Test {
 protected:
  struct Request {
    std::string method = "GET", path, query = {}, body = {}, type = "application/json";
  };
  struct Answer {
    int status = 0;
    json::Value body;
    std::vector<std::string> warnings;
  };

  std::unique_ptr<http::Client> http_client(const http::KeyedCertificate& certificate) const {
    http::ClientOptions options{.system_cas = false, .proxy_environment = false, .user_agent = "agent/1.0"};
    options.ca_texts = {{server->authority(), "the test's server"}};
    options.certificate = certificate.certificate;
    options.key = certificate.key;
    return http::Client::create(options).value();
  }

  static Answer send_with(http::Client& with, const std::string& url, const Request& request) {
    http::Call call;
    call.method = request.method;
    call.url =
        http::Url::parse(url + request.path + (request.query.empty() ? "" : "?" + request.query)).value();
    call.headers.add("Content-Type", request.type);
    call.body = request.body;
    call.limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(5)));
    const auto reply = with.send(call);
    if (!reply) throw std::runtime_error(reply.error().message);
    Answer answer{.status = reply->status,
                  .body = json::parse(reply->body).value_or(json::Value(reply->body))};
    for (const std::string_view warning : reply->headers.find_all("Warning")) {
      answer.warnings.emplace_back(warning);
    }
    return answer;
  }
  Answer send(const Request& request) { return send_with(*raw, server->url(), request); }
  Answer apply(const std::string& name, const std::string& document, const std::string& query) {
    return send(
        {"PATCH", std::string(config_maps_path) + "/" + name, query, document, std::string(apply_type)});
  }

  /// Replaces "${name}" by values of earlier replies.
  std::string filled_in(std::string text) const {
    for (const auto& [name, value] : remembered_) {
      const std::string place = "${" + name + "}";
      for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place)) {
        text.replace(at, place.size(), value);
      }
    }
    return text;
  }

  void run(const json::Value& step) {
    if (json::find(step, "established") != nullptr) {
      const auto established = kube::wait_until(
          client_of(*server),
          k8s::GroupVersionResource{"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
          {"", text_of(step, "established")}, kube::is_ready(),
          Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(2))));
      ASSERT_TRUE(established) << established.error().message;
      return;
    }
    Request request{.method = text_of(step, "method"),
                    .path = text_of(step, "path"),
                    .query = text_of(step, "query"),
                    .type = text_of(step, "contentType", "application/json")};
    if (const json::Value* body = json::find(step, "body")) {
      request.body = filled_in(body->is_string() ? std::string(body->get_string()) : json::to_text(*body));
    }
    SCOPED_TRACE(request.method + " " + request.path + "?" + request.query);
    const Answer answer = send(request);
    const json::Value* status = json::find(step, "status");
    EXPECT_EQ(answer.status, status != nullptr ? status->to_number<int>() : 200)
        << json::to_text(answer.body);
    if (const json::Value* expected = json::find(step, "answer")) {
      const json::Value filled = parsed(filled_in(json::to_text(*expected)));
      EXPECT_EQ(difference(filled, &answer.body, ""), "") << json::to_text(answer.body);
    }
    if (const json::Value* warnings = json::find(step, "warnings")) {
      std::vector<std::string> expected;
      for (const json::Value& text : warnings->as_array()) {
        expected.push_back("299 - \"" + std::string(text.as_string()) + "\"");
      }
      EXPECT_EQ(answer.warnings, expected);
    }
    if (const json::Value* names = json::find(step, "remember")) {
      for (const auto& member : names->as_object()) {
        remembered_[std::string(member.key())] =
            k8s::View(answer.body.as_object()).text(std::string(member.value().as_string()));
      }
    }
  }

  FakeClock clock{parse_time("2026-01-01T00:00:00Z").value()};
  std::unique_ptr<EmbeddedServer> server = start_server({.clock = &clock, .namespace_defaults = false});
  std::unique_ptr<http::Client> raw = http_client(server->admin());
  std::map<std::string, std::string> remembered_;
};

TEST_F(Applies, AnswerAsTheTableSays) {
  for (const json::Value& row :
       fairway::testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) + "/tests/apiserver/data/apply.json")) {
    SCOPED_TRACE(text_of(row, "case"));
    for (const json::Value& step : row.at("steps").as_array()) run(step);
  }
}

/// Returns "manager=time" of each entry.
std::string times_of(const json::Value& object) {
  std::string times;
  for (const k8s::View& entry : k8s::View(object.as_object()).items("metadata.managedFields")) {
    times += (times.empty() ? "" : " ") + std::string(entry.text("manager")) + "=" +
             std::string(entry.text("time")).substr(11, 8);
  }
  return times;
}

TEST_F(Applies, SetTheTimesOfWhatChanges) {
  const std::string document =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}})";
  EXPECT_EQ(times_of(apply("a", document, "fieldManager=one").body), "one=00:00:00");
  clock.advance(std::chrono::minutes(1));
  // Nothing changes, and no time does.
  const Answer again = apply("a", document, "fieldManager=one");
  EXPECT_EQ(times_of(again.body), "one=00:00:00");
  const std::string path = std::string(config_maps_path) + "/a";
  const Answer merged =
      send({"PATCH", path, "fieldManager=two", R"({"data":{"y":"1"}})", "application/merge-patch+json"});
  EXPECT_EQ(times_of(merged.body), "one=00:00:00 two=00:01:00");
  clock.advance(std::chrono::minutes(1));
  // An update that says all that there is owns no more than before.
  const Answer put = send({"PUT", path, "fieldManager=two", json::to_text(merged.body)});
  EXPECT_EQ(times_of(put.body), "one=00:00:00 two=00:01:00");
  EXPECT_EQ(put.body.at("metadata").at("resourceVersion"), merged.body.at("metadata").at("resourceVersion"));
}

TEST_F(Applies, AndUpdatesCreateOnlyForThoseWhoMayCreate) {
  const auto post = [&](const std::string& kind, const std::string& body) {
    const Answer made = send({"POST", "/apis/rbac.authorization.k8s.io/v1/" + kind, "", body});
    ASSERT_EQ(made.status, 201) << json::to_text(made.body);
  };
  post("clusterroles", R"({"metadata":{"name":"changes"},"rules":[{"apiGroups":["","coordination.k8s.io"],
    "resources":["configmaps","leases"],"verbs":["get","update","patch"]}]})");
  post("clusterrolebindings",
       R"({"metadata":{"name":"changes"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
    "kind":"ClusterRole","name":"changes"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"bob"}]})");
  const auto certificate = server->client_certificate("bob", {}).value();
  const auto bob = http_client(certificate);
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases",
                    lease =
                        R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"}})";
  const Answer put = send_with(*bob, server->url(), {"PUT", leases + "/l", "", lease});
  EXPECT_EQ(put.status, 403) << json::to_text(put.body);
  EXPECT_EQ(text_of(put.body, "message"),
            R"(leases.coordination.k8s.io "l" is forbidden: User "bob" cannot create resource "leases" in )"
            R"(API group "coordination.k8s.io" in the namespace "default")");
  const std::string document = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})",
                    config_map = std::string(config_maps_path) + "/c";
  const Request apply_request{"PATCH", config_map, "fieldManager=m", document, std::string(apply_type)};
  const Answer applied = send_with(*bob, server->url(), apply_request);
  EXPECT_EQ(applied.status, 403) << json::to_text(applied.body);
  // What is there they may change.
  EXPECT_EQ(send({"POST", leases, "", lease}).status, 201);
  EXPECT_EQ(send({"POST", std::string(config_maps_path), "", document}).status, 201);
  EXPECT_EQ(send_with(*bob, server->url(),
                      {"PUT", leases + "/l", "", json::to_text(send({"GET", leases + "/l"}).body)})
                .status,
            200);
  EXPECT_EQ(send_with(*bob, server->url(), apply_request).status, 200);
}

TEST_F(Applies, WarnWithinTheBoundsOfKubernetes) {
  const auto warnings = [&](int count, std::size_t length) {
    std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"w"})";
    for (int i = 0; i < count; ++i) body += ",\"" + std::to_string(i) + std::string(length, 'x') + "\":1";
    const Answer made = send({"POST", std::string(config_maps_path), "", body + "}"});
    EXPECT_EQ(made.status, 201) << json::to_text(made.body);
    return made.warnings;
  };
  EXPECT_EQ(warnings(40, 10).size(), 40U);
  EXPECT_EQ(warnings(40, 10).front(), R"(299 - "unknown field \"0xxxxxxxxxx\"")");
  // Python's client takes no more than 100 headers.
  EXPECT_LE(warnings(300, 1).size(), 80U);
  const std::vector<std::string> cut = warnings(100, 1000);
  EXPECT_EQ(cut.size(), 16U);
  for (const std::string& header : cut) EXPECT_LT(header.size(), 300U);
  EXPECT_EQ(warnings(1, std::size_t{1} << 20).size(), 1U);
}

TEST_F(Applies, NeedTheRoomForTheirOwnersWhereOtherWritesDoWithout) {
  // Too large only with its managedFields.
  constexpr int keys = 25'000;
  json::Object data{{"pad", std::string(1'000'000, 'x')}};
  for (int i = 0; i < keys; ++i) data["k" + std::to_string(100'000 + i)] = "";
  const std::string document = json::to_text(json::Object{
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "large"}}}, {"data", data}});
  EXPECT_EQ(apply("large", document, "fieldManager=m").status, 413);
  const Answer made = send({"POST", std::string(config_maps_path), "", document});
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(times_of(made.body), "");
}

TEST_F(Applies, WarnInRefusalsToo) {
  const Answer refused = send({"POST", std::string(config_maps_path), "",
                               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"No"},"x":1})"});
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.warnings, std::vector<std::string>{R"(299 - "unknown field \"x\"")"});
}

TEST_F(Applies, AtTheStartReadObjectsAsRequestsDo) {
  const auto applied = server->apply(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  selector: {matchLabels: {a: "
      "b}}\n  "
      "template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, image: i}]}\n",
      "d.yaml");
  ASSERT_TRUE(applied) << applied.error().message;
  const Answer made = send({"GET", "/apis/apps/v1/namespaces/default/deployments/d"});
  EXPECT_EQ(difference(parsed(R"({"spec":{"replicas":1,"strategy":{"type":"RollingUpdate"}},
    "metadata":{"managedFields":[{"manager":"fairway-apply","operation":"Update"}]}})"),
                       &made.body, ""),
            "");
  const auto text = [&](const std::string& spec) {
    const auto refused = server->apply(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: e}\nspec: {" + spec + "}\n", "e.yaml");
    return refused ? "" : refused.error().message;
  };
  EXPECT_EQ(
      text("replicas: x"),
      "e.yaml:1: default/e: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas "
      "of type int32");
  EXPECT_EQ(text("replica: 1"), "e.yaml:1: default/e: strict decoding error: unknown field \"spec.replica\"");
  EXPECT_EQ(send({"GET", "/apis/apps/v1/namespaces/default/deployments/e"}).status, 404);
}

}  // namespace
}  // namespace fairway::apiserver::testing
