// SPDX-License-Identifier: Apache-2.0

// Custom resources whose versions are converted by a webhook.
#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "apiserver/definition_case.h"
#include "base/base64.h"
#include "http/certificate.h"
#include "http/server.h"
#include "k8s/wire/conversion_review.h"
#include "kube/wait/wait_until.h"
#include "support/eventually.h"
#include "support/generous.h"
#include "support/loopback_tls.h"

namespace fairway::apiserver::testing {
namespace {

/// Converts an object: v1 has spec.a and v2 has spec.b, with the same value.
json::Value converted(json::Value object, const std::string& desired) {
  json::Object& fields = object.get_object();
  const std::string version(k8s::View(fields).text("apiVersion"));
  fields["apiVersion"] = desired;
  json::Value& spec = fields["spec"];
  if (!spec.is_object() || version == desired) return object;
  const char *from = desired.ends_with("v2") ? "a" : "b", *to = desired.ends_with("v2") ? "b" : "a";
  if (const json::Value* value = spec.get_object().if_contains(from)) {
    const json::Value moved = *value;
    spec.get_object().erase(from);
    spec.get_object()[to] = moved;
  }
  return object;
}

/// Keeps the request that it receives.
struct Asked final : k8s::ConversionRequestSink {
  k8s::ConversionRequest request;
  json::Array objects;
  void begin(k8s::ConversionRequest begun) override { request = std::move(begun); }
  void add(json::Value object) override { objects.push_back(std::move(object)); }
};

/// A webhook over HTTPS, which a test can make fail.
class FakeWebhook {
 public:
  FakeWebhook() {
    auto [authority, options] = fairway::testing::loopback_tls("webhook", {"127.0.0.1", "hook.default.svc"});
    authority_ = std::move(authority);
    options.listen = "127.0.0.1:0";
    options.io_threads = 1;
    http::Router router;
    router.blocking("/convert", "POST", [this](const http::Request& request) { return answer(request); });
    router.blocking("/admit", "POST", [this](const http::Request& request) { return admit(request); });
    server_ = http::Server::start(options, router).value();
  }

  std::uint16_t port() const { return server_->port(); }
  std::string ca_bundle() const { return base64_encode(authority_.certificate); }
  std::string by_url() const {
    return R"("url":"https://127.0.0.1:)" + std::to_string(port()) + R"(/convert","caBundle":")" +
           ca_bundle() + "\"";
  }
  void change_answers(std::function<std::string(std::string)> change) {
    const std::scoped_lock lock(mutex_);
    change_ = std::move(change);
  }
  int calls() const { return calls_; }
  /// Returns the versions of the objects that admission has sent.
  std::string admitted() {
    const std::scoped_lock lock(mutex_);
    return admitted_;
  }

 private:
  http::Response admit(const http::Request& request) {
    const json::Value review = parsed(request.body);
    const json::Value& asked = review.at("request");
    const std::scoped_lock lock(mutex_);
    admitted_ += std::string(json::find_string(asked.at("object"), "apiVersion").value_or("")) + " ";
    return http::Response::json(
        200,
        json::to_text(json::Object{{"apiVersion", "admission.k8s.io/v1"},
                                   {"kind", "AdmissionReview"},
                                   {"response", json::Object{{"uid", asked.at("uid")}, {"allowed", true}}}}));
  }

  http::Response answer(const http::Request& request) {
    ++calls_;
    Asked asked;
    if (!k8s::read_conversion_request(request.body, asked, 1 << 20)) return http::Response::json(400, "{}");
    std::string body;
    k8s::ConversionResponseWriter writer(body, asked.request);
    for (json::Value& object : asked.objects) {
      json::append_text(writer.next(), converted(std::move(object), asked.request.desired_api_version));
    }
    writer.end();
    const std::scoped_lock lock(mutex_);
    return http::Response::json(200, change_ ? change_(std::move(body)) : std::move(body));
  }

  http::KeyedCertificate authority_;
  std::mutex mutex_;
  std::function<std::string(std::string)> change_;
  std::string admitted_;
  std::atomic<int> calls_ = 0;
  std::unique_ptr<http::Server> server_;
};

std::string version(const std::string& name, const std::string& field, bool storage) {
  return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
         R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{")" +
         field + R"(":{"type":"integer"}}}}}}})";
}

class WebhookConversion : public OnServer {
 protected:
  json::Value post(const std::string& path, const std::string& body) const {
    return parsed(send({.method = "POST", .path = path, .content_type = "application/json", .body = body}));
  }
  void define(const std::string& client_config, const std::string& reviews = R"(["v1"])") const {
    const json::Value made =
        post(std::string(definitions_path),
             R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"widgets","kind":"Widget"},
        "conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":)" +
                 reviews + R"(,"clientConfig":{)" + client_config + R"(}}},
        "versions":[)" +
                 version("v1", "a", false) + "," + version("v2", "b", true) + "]}}");
    ASSERT_EQ(json::find_string(made, "kind"), "CustomResourceDefinition") << json::to_text(made);
    server->wait_until_current();
    server->wait_until_current();
  }
  json::Value create(const std::string& name, const std::string& spec) const {
    return post("/apis/example.com/v1/namespaces/default/widgets",
                R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" + name +
                    R"("},"spec":)" + spec + "}");
  }
  json::Value read(const std::string& version, const std::string& name = "/x") const {
    return parsed(get("/apis/example.com/" + version + "/namespaces/default/widgets" + name));
  }
  static std::string message(const json::Value& reply) {
    return std::string(json::find_string(reply, "message").value_or(json::to_text(reply)));
  }

  FakeWebhook webhook;
};

TEST_F(WebhookConversion, StoresAndServesEachVersion) {
  for (const char* reviews : {R"(["v1"])", R"(["v9","v1beta1","v1"])"}) {
    SCOPED_TRACE(reviews);
    define(webhook.by_url(), reviews);
    EXPECT_EQ(create("x", R"({"a":1})").at("spec"), parsed(R"({"a":1})"));
    EXPECT_EQ(read("v2").at("spec"), parsed(R"({"b":1})"));
    EXPECT_EQ(read("v1").at("spec"), parsed(R"({"a":1})"));
    EXPECT_EQ(read("v1", "").at("items").at(0).at("spec"), parsed(R"({"a":1})"));
    send({.method = "DELETE", .path = std::string(definitions_path) + "/widgets.example.com"});
    const auto gone = kube::wait_until(
        client, k8s::GroupVersionResource{"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
        {"", "widgets.example.com"}, kube::is_deleted(),
        Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(1))));
    ASSERT_TRUE(gone) << gone.error().message;
    server->wait_until_current();
  }
}

TEST_F(WebhookConversion, FailsWithoutLosingAnything) {
  define(R"("url":"https://127.0.0.1:1/convert")");
  const json::Value refused = create("x", R"({"a":1})");
  EXPECT_EQ(refused.at("code"), 500);
  // As kube-apiserver answers errors of its storage.
  EXPECT_EQ(json::find_string(refused, "reason"), std::nullopt);
  EXPECT_TRUE(
      message(refused).starts_with("conversion webhook for example.com/v1, Kind=Widget failed: Post "
                                   "\"https://127.0.0.1:1/convert?timeout=30s\": "))
      << message(refused);
  EXPECT_EQ(read("v2").at("code"), 404);
}

TEST_F(WebhookConversion, ThatFailsOnceIsTriedAgain) {
  define(webhook.by_url());
  create("x", R"({"a":1})");
  // As the storage version has it, without a conversion that is kept.
  json::Value stored = read("v2");
  stored.at("spec").get_object()["b"] = 2;
  send({.method = "PUT",
        .path = "/apis/example.com/v2/namespaces/default/widgets/x",
        .content_type = "application/json",
        .body = json::to_text(stored)});
  webhook.change_answers([](const std::string&) { return "{}"; });
  EXPECT_EQ(read("v1").at("code"), 500);
  EXPECT_EQ(parsed(get("/apis/example.com/v1/namespaces/default/widgets")).at("code"), 500);
  EXPECT_EQ(read("v2").at("spec"), parsed(R"({"b":2})"));
  webhook.change_answers({});
  EXPECT_EQ(read("v1").at("spec"), parsed(R"({"a":2})"));
}

// Counted beside kube-apiserver 1.36.3 and its etcd.
TEST_F(WebhookConversion, IsAskedForEachReadOfTheLatestState) {
  define(webhook.by_url());
  create("x", R"({"a":1})");
  struct Case {
    std::string name;
    int calls;
    bool is_list = false;
  };
  const std::string revision = std::string(*json::find_string(read("v2").at("metadata"), "resourceVersion"));
  const std::vector<Case> asks = {{"/x", 1},
                                  {"", 1, true},
                                  {"?limit=1", 1, true},
                                  {"?labelSelector=!none", 1, true},
                                  {"?resourceVersionMatch=Exact&resourceVersion=" + revision, 1, true}};
  const std::vector<Case> keeps = {
      {"/x?resourceVersion=0", 0},
      {"/x?resourceVersion=" + revision, 0},
      {"?resourceVersion=0", 0, true},
      {"?resourceVersion=0&labelSelector=!none", 0, true},
      {"?resourceVersionMatch=NotOlderThan&resourceVersion=" + revision, 0, true}};
  const auto check = [&](const std::vector<Case>& cases, const std::string& spec) {
    for (const Case& one : cases) {
      const int before = webhook.calls();
      const json::Value answer = read("v1", one.name);
      EXPECT_EQ(webhook.calls() - before, one.calls) << one.name;
      const json::Value& object = one.is_list ? answer.at("items").at(0) : answer;
      EXPECT_EQ(json::to_text(object.at("spec")), spec) << one.name;
    }
  };
  check(asks, R"({"a":1})");
  read("v1", "/x?resourceVersion=0");
  check(keeps, R"({"a":1})");
  // It is corrected.
  webhook.change_answers([](std::string body) {
    const std::size_t at = body.find(R"({"a":1})");
    if (at != std::string::npos) body.replace(at, 7, R"({"a":9})");
    return body;
  });
  check(asks, R"({"a":9})");
  check(keeps, R"({"a":1})");
  // It fails.
  webhook.change_answers([](const std::string&) { return "{}"; });
  for (const Case& one : asks) EXPECT_EQ(read("v1", one.name).at("code"), 500) << one.name;
  check(keeps, R"({"a":1})");
}

TEST_F(WebhookConversion, WhoseAnswerIsNoneIsRefused) {
  define(webhook.by_url());
  const auto replaced = [](const std::string& from, const std::string& to) {
    return [from, to](std::string body) {
      const std::size_t at = body.find(from);
      if (at != std::string::npos) body.replace(at, from.size(), to);
      return body;
    };
  };
  const std::string prefix = "conversion webhook for example.com/v1, Kind=Widget ";
  webhook.change_answers(replaced(R"("name":"x")", R"("name":"y")"));
  EXPECT_EQ(message(create("x", R"({"a":1})")),
            prefix + "returned invalid object: must have the same name: x != y");
  webhook.change_answers(replaced(R"("example.com/v2")", R"("example.com/v3")"));
  EXPECT_NE(message(create("x", R"({"a":1})")).find("invalid groupVersion"), std::string::npos);
  webhook.change_answers(replaced("Success", "Failed"));
  EXPECT_EQ(message(create("x", R"({"a":1})")),
            prefix + "failed: response.result.status was 'Failed', not 'Success'");
  webhook.change_answers({});
  EXPECT_EQ(create("x", R"({"a":1})").at("spec"), parsed(R"({"a":1})"));
}

TEST_F(WebhookConversion, IsNotTrustedWithoutItsAuthority) {
  define(R"("url":"https://127.0.0.1:)" + std::to_string(webhook.port()) + R"(/convert")");
  EXPECT_EQ(create("x", R"({"a":1})").at("code"), 500);
  EXPECT_EQ(webhook.calls(), 0);
}

TEST_F(WebhookConversion, CanBeBehindAService) {
  define(R"("service":{"namespace":"default","name":"hook","path":"/convert"},"caBundle":")" +
         webhook.ca_bundle() + "\"");
  EXPECT_EQ(message(create("x", R"({"a":1})")),
            "conversion webhook for example.com/v1, Kind=Widget failed: Post "
            "\"https://hook.default.svc:443/convert?timeout=30s\": service \"hook\" not found");
  post("/api/v1/namespaces/default/services",
       R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"hook"},
           "spec":{"clusterIP":"None","ports":[{"name":"https","port":443}]}})");
  EXPECT_NE(message(create("x", R"({"a":1})")).find("no endpoints available for service \"hook\""),
            std::string::npos);
  post("/api/v1/namespaces/default/endpoints",
       R"({"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"hook"},"subsets":[
           {"addresses":[{"ip":"127.0.0.1"}],"ports":[{"name":"https","port":)" +
           std::to_string(webhook.port()) + "}]}]}");
  EXPECT_EQ(create("x", R"({"a":1})").at("spec"), parsed(R"({"a":1})"));
  EXPECT_EQ(read("v2").at("spec"), parsed(R"({"b":1})"));
}

TEST_F(WebhookConversion, IsAskedWhileWebhooksOfAdmissionAre) {
  define(webhook.by_url());
  const json::Value made =
      post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
           R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
        "metadata":{"name":"w"},"webhooks":[{"name":"w.example.com","matchPolicy":"Equivalent","sideEffects":"None",
        "admissionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:)" +
               std::to_string(webhook.port()) + R"(/admit","caBundle":")" + webhook.ca_bundle() +
               R"("},"rules":[{"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["widgets"],)"
               R"("operations":["CREATE"]}]}]})");
  ASSERT_EQ(json::find_string(made, "kind"), "ValidatingWebhookConfiguration") << json::to_text(made);
  // Written as v2, judged as v1, which the other webhook makes of it: a wait within a wait.
  for (int i = 0; i < 20; ++i) {
    const json::Value widget =
        post("/apis/example.com/v2/namespaces/default/widgets",
             R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w)" + std::to_string(i) +
                 R"("},"spec":{"b":1}})");
    ASSERT_EQ(json::find_string(widget, "kind"), "Widget") << json::to_text(widget);
  }
  EXPECT_TRUE(webhook.admitted().contains("example.com/v1 ")) << webhook.admitted();
  EXPECT_FALSE(webhook.admitted().contains("v2")) << webhook.admitted();
  // Nothing counts that has ended: the one that runs is this one. A handler counts for a moment after its
  // answer.
  std::string metrics;
  const auto counts_itself_alone = [&] {
    metrics = get("/metrics");
    return metrics.contains("current_executing_requests{priority_level=\"system\"} 1\n");
  };
  EXPECT_TRUE(fairway::testing::eventually(counts_itself_alone)) << metrics;
}

}  // namespace
}  // namespace fairway::apiserver::testing
