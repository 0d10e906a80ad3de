// SPDX-License-Identifier: Apache-2.0

// Users x verbs x kinds x ways of writing: Fairway's API server gives the verdict that kube-apiserver gives
// on each write of a kind that says who may do what. FAIRWAY_SEED chooses other writes, FAIRWAY_ROUNDS how
// many (of 100 each).
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>

#include "apiserver/server.h"
#include "base/base64.h"
#include "base/file.h"
#include "conformance/kube/on_cluster.h"
#include "conformance/kube/write_cases.h"
#include "http/client.h"
#include "k8s/object.h"
#include "support/eventually.h"
#include "support/generous.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

constexpr int cases_a_round = 100;

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<int>(std::strtol(text, nullptr, 10)) : otherwise;
}

/// One of the two compared servers.
class Side {
 public:
  Side(std::string url, std::string authority) : url_(std::move(url)), authority_(std::move(authority)) {}

  void add(const std::string& user, const http::KeyedCertificate& credentials) {
    auto client = http::Client::create({.system_cas = false,
                                        .ca_texts = {{authority_, "the server"}},
                                        .certificate = credentials.certificate,
                                        .key = credentials.key,
                                        .proxy_environment = false});
    if (!client) throw std::runtime_error(client.error().message);
    clients_[user] = *std::move(client);
  }
  http::Reply send(const WriteCase& one) const {
    http::Headers headers{{"Accept", "application/json"}};
    if (!one.type.empty()) headers.add("Content-Type", one.type);
    for (const auto& [name, value] : one.headers) headers.add(name, value);
    auto reply =
        clients_.at(one.user)->send({.method = one.method,
                                     .url = http::Url::parse(url_ + one.path).value(),
                                     .headers = std::move(headers),
                                     .body = one.body.is_null() ? "" : json::to_text(one.body),
                                     .limits = Limits::within(Clock::system(), testing::generous(10s))});
    if (!reply) throw std::runtime_error(one.to_string() + ": " + reply.error().message);
    return *std::move(reply);
  }
  http::Reply as_master(const std::string& method, const std::string& path, json::Value body = nullptr,
                        const std::string& type = "application/json") const {
    return send({.user = "master", .method = method, .path = path, .type = type, .body = std::move(body)});
  }

 private:
  std::string url_, authority_;
  std::map<std::string, std::unique_ptr<http::Client>> clients_;
};

/// The code, and the reason of a Status.
std::string verdict_of(const http::Reply& reply) {
  const auto body = json::parse(reply.body);
  const auto reason = body ? json::find_string(*body, "reason") : std::nullopt;
  return std::to_string(reply.status) + (reason && reply.status >= 400 ? " " + std::string(*reason) : "");
}

/// A PEM request in base64, made with openssl.
std::string signing_request(const testing::TempDirectory& folder, const std::string& subject) {
  const std::string key = (folder / "matrix.key").string(), out = (folder / "matrix.csr").string();
  const auto made =
      kube::run_program({.command = "openssl",
                         .args = {"req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                                  "-nodes", "-keyout", key, "-out", out, "-subj", subject},
                         .env = {},
                         .limits = Limits::within(Clock::system(), testing::generous(10s))});
  if (!made) throw std::runtime_error(made.error().message);
  std::ifstream file(out, std::ios::binary);
  return base64_encode(std::string(std::istreambuf_iterator<char>(file), {}));
}

class WriteMatrix : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cluster.is_embedded()) GTEST_SKIP() << "this compares with a real kube-apiserver";
    auto started = apiserver::EmbeddedServer::start({.garbage_collector = false,
                                                     .namespace_controller = false,
                                                     .namespace_defaults = false,
                                                     .role_aggregation = false,
                                                     .token_secrets = false});
    ASSERT_OK(started);
    server = *std::move(started);
    real.emplace(cluster.server(), cluster.authority());
    ours.emplace(server->url(), server->authority());
    ours->add("master", server->admin());
    real->add("master", of(cluster.ca().client("kubernetes-admin", "system:masters")));
    for (const auto& [user, group] : users_of_cases) {
      real->add(user, of(cluster.ca().client(user, group)));
      ours->add(user, server
                          ->client_certificate(user, group.empty() ? std::vector<std::string>{}
                                                                   : std::vector<std::string>{group})
                          .value());
    }
    csr = signing_request(cluster.folder(), "/CN=somebody");
    csr_of_masters = signing_request(cluster.folder(), "/O=system:masters/CN=somebody");
    on_both("POST", "/api/v1/namespaces", json::Object{{"metadata", json::Object{{"name", space_of_cases}}}});
    for (const char* name : {"m-a", "m-b"})
      on_both("POST", "/api/v1/namespaces/matrix/serviceaccounts",
              json::Object{{"metadata", json::Object{{"name", name}}}});
  }

  static http::KeyedCertificate of(const testing::CertificateAndKey& made) {
    return {.certificate = made.certificate, .key = made.key};
  }
  void on_both(const std::string& method, const std::string& path, const json::Value& body,
               const std::string& type = "application/json") {
    for (const Side* side : {&*real, &*ours}) {
      const http::Reply reply = side->as_master(method, path, body, type);
      // An earlier test may have made it.
      ASSERT_TRUE(reply.status < 300 || reply.status == 409) << path << ": " << reply.body;
    }
  }
  void apply(const std::string& path, const json::Value& body) {
    on_both("PATCH", path + "?fieldManager=rights&force=true", body, "application/apply-patch+yaml");
  }

  /// Gives each user the rules; the last one, to whom a round counts as begun, a rule of its own.
  void give(const std::string& user, const json::Array& rules, const std::string& place) {
    const bool of_cluster = place.empty();
    const std::string base =
        "/apis/rbac.authorization.k8s.io/v1/" + (of_cluster ? "" : "namespaces/" + place + "/");
    const std::string kind = of_cluster ? "ClusterRole" : "Role", name = "rights-" + user;
    const json::Value api_version("rbac.authorization.k8s.io/v1");
    apply(base + (of_cluster ? "clusterroles/" : "roles/") + name,
          json::Object{{"apiVersion", api_version},
                       {"kind", kind},
                       {"metadata", json::Object{{"name", name}}},
                       {"rules", rules}});
    apply(
        base + (of_cluster ? "clusterrolebindings/" : "rolebindings/") + name,
        json::Object{
            {"apiVersion", api_version},
            {"kind", kind + "Binding"},
            {"metadata", json::Object{{"name", name}}},
            {"roleRef",
             json::Object{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", kind}, {"name", name}}},
            {"subjects", json::Array{json::Object{
                             {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "User"}, {"name", user}}}}});
  }
  /// Waits until kube-apiserver knows the roles of this round: it learns of them by watches.
  void await_rights(const std::string& round) {
    const std::string resource = "marker" + round;
    const json::Array rules{json::Object{{"verbs", json::Array{"get"}},
                                         {"apiGroups", json::Array{"example.com"}},
                                         {"resources", json::Array{json::Value(resource)}}}};
    give("marker-of-cluster", rules, "");
    give("marker-of-space", rules, std::string(space_of_cases));
    for (const char* user : {"marker-of-cluster", "marker-of-space"}) {
      const json::Object review{
          {"spec", json::Object{{"user", user},
                                {"resourceAttributes", json::Object{{"namespace", space_of_cases},
                                                                    {"verb", "get"},
                                                                    {"group", "example.com"},
                                                                    {"resource", resource}}}}}};
      ASSERT_TRUE(testing::eventually([&] {
        const http::Reply reply =
            real->as_master("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
        return reply.body.find("\"allowed\":true") != std::string::npos;
      })) << user;
    }
  }

  /// The case for one of the servers.
  WriteCase for_side(const Side& side, WriteCase one) const {
    if (json::Value* spec = one.body.is_object() ? one.body.get_object().if_contains("spec") : nullptr;
        spec != nullptr && spec->is_object()) {
      if (json::Value* request = spec->get_object().if_contains("request"))
        *request = json::to_text(*request).find("MASTERS") != std::string::npos ? csr_of_masters : csr;
    }
    if (one.takes_version && one.body.is_object()) {
      const std::string path = one.path.substr(0, one.path.find('?'));
      const auto now = json::parse(side.as_master("GET", path).body);
      if (now) {
        const k8s::Dynamic object(now->as_object());
        if (!object.resource_version().empty())
          one.body.get_object()["metadata"].as_object()["resourceVersion"] = object.resource_version();
      }
    }
    return one;
  }

  Cluster& cluster = Cluster::shared();
  std::unique_ptr<apiserver::EmbeddedServer> server;
  std::optional<Side> real, ours;
  std::string csr, csr_of_masters;
};

/// The media type of a case's body.
std::string media_type(const json::Value& one) {
  const std::string type(json::find_string(one, "type").value_or(""));
  if (type.empty()) return "application/json";
  return "application/" + type + (type == "apply-patch" ? "+yaml" : "+json");
}

// tests/apiserver/grants_test.cc asks the embedded server the same.
TEST_F(WriteMatrix, TheTableOfGrantsHasTheCodesOfTheRealServer) {
  const auto read = read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/grants.json");
  const json::Value table = json::parse(read.value()).value();
  for (const auto& [user, rules] : table.at("users").as_object()) {
    real->add(user, of(cluster.ca().client(user)));
    ours->add(user, server->client_certificate(user, {}).value());
    give(user, rules.as_array(), "");
  }
  for (const json::Value& object : table.at("objects").as_array())
    on_both("POST", std::string(object.at("path").as_string()), object.at("body"));
  await_rights("of-the-table");
  if (HasFatalFailure()) return;
  for (const json::Value& one : table.at("cases").as_array()) {
    std::string path(one.at("path").as_string());
    path += (path.find('?') == std::string::npos ? "?" : "&") + std::string("dryRun=All");
    const WriteCase asked{.user = std::string(one.at("user").as_string()),
                          .method = std::string(one.at("method").as_string()),
                          .path = path,
                          .type = media_type(one),
                          .body = one.at("body")};
    SCOPED_TRACE(std::string(one.at("name").as_string()));
    const http::Reply theirs = real->send(asked), our = ours->send(asked);
    EXPECT_EQ(theirs.status, one.at("status").to_number<int>()) << theirs.body;
    EXPECT_EQ(verdict_of(theirs), verdict_of(our)) << theirs.body << "\n" << our.body;
  }
}

TEST_F(WriteMatrix, EveryVerdictIsThatOfTheRealServer) {
  const int rounds = number_of("FAIRWAY_ROUNDS", std::getenv("FAIRWAY_ALL") != nullptr ? 500 : 20);
  WriteCases cases(static_cast<unsigned>(number_of("FAIRWAY_SEED", 1)));
  std::map<std::string, int> verdicts;
  int different = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const auto& [user, group] : users_of_cases) {
      give(user, cases.rights(true), "");
      give(user, cases.rights(false), std::string(space_of_cases));
    }
    await_rights(std::to_string(round));
    if (HasFatalFailure()) return;
    for (int i = 0; i < cases_a_round; ++i) {
      const WriteCase one = cases.next();
      const http::Reply theirs = real->send(for_side(*real, one)), our = ours->send(for_side(*ours, one));
      ++verdicts[verdict_of(theirs)];
      if (verdict_of(theirs) == verdict_of(our)) continue;
      if (++different <= 20) {
        ADD_FAILURE() << round << "/" << i << ": " << one.to_string()
                      << "\nkube-apiserver: " << verdict_of(theirs) << " " << theirs.body
                      << "\nours: " << verdict_of(our) << " " << our.body
                      << "\nthe object there: " << real->as_master("GET", one.path).body
                      << "\nand ours: " << ours->as_master("GET", one.path).body;
      }
    }
  }
  std::printf("%d writes, %d with another verdict than kube-apiserver's\n", rounds * cases_a_round,
              different);
  for (const auto& [verdict, count] : verdicts) std::printf("  %6d  %s\n", count, verdict.c_str());
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace fairway::conformance
