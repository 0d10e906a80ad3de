// SPDX-License-Identifier: Apache-2.0

// Kubelets and webhooks that say nothing: whoever waits for them holds up nobody else.
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "apiserver/fake_webhook.h"
#include "apiserver/raw_client.h"
#include "apiserver/seen_watch.h"
#include "apiserver/server_case.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::eventually;

/// Listens over TLS, accepts every request, and replies to none before the test lets it.
class SilentParty {
 public:
  ~SilentParty() { speak(); }
  void speak() {
    const std::scoped_lock lock(mutex_);
    speaks_ = true;
    changed_.notify_all();
  }
  int asked() {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  http::Response answer(const http::Request& request) {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.wait(lock, request.cancelled, [this] { return speaks_; });
    return http::Response::text(500, "at last");
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool speaks_ = false;
  int asked_ = 0;
};

/// A server with 2 threads, and 8 places for those that wait: 2 for each user, 4 for each namespace.
class SilentParties : public ::testing::Test {
 protected:
  static ServerOptions options() {
    ServerOptions options{
        .requests = {.in_flight = 2}, .waits = WaitLimits::of(8), .namespace_defaults = false};
    options.waits.queue_timeout = std::chrono::milliseconds(0);
    return options;
  }
  ~SilentParties() override { party.speak(); }

  http::Reply make(const std::string& path, const std::string& object) {
    http::Reply reply = admin.send("POST", path, {}, object);
    if (reply.status != 201) throw std::runtime_error(reply.body);
    return reply;
  }
  /// Makes a user who may do the requests of the tests in every namespace.
  http::KeyedCertificate tenant(const std::string& name) {
    static constexpr const char* rbac = "/apis/rbac.authorization.k8s.io/v1/";
    make(
        std::string(rbac) + "clusterroles",
        R"({"metadata":{"name":")" + name +
            R"("},"rules":[{"apiGroups":["*"],"resources":["pods/log","widgets","configmaps"],"verbs":["*"]}]})");
    make(std::string(rbac) + "clusterrolebindings",
         R"({"metadata":{"name":")" + name + R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)" +
             R"("kind":"ClusterRole","name":")" + name + R"("},"subjects":[{"kind":"User","name":")" + name +
             R"(","apiGroup":"rbac.authorization.k8s.io"}]})");
    return server->client_certificate(name, {}).value();
  }
  std::future<int> ask(const http::KeyedCertificate& who, const std::string& path) {
    return std::async(std::launch::async,
                      [this, &who, path] { return RawClient(*server, &who).send("GET", path).status; });
  }
  /// Defines widgets, which are stored as v2, and converted to v1 by a webhook.
  void define_widgets() {
    const auto version = [](const std::string& name, bool storage) {
      return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
             R"(,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})";
    };
    make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
         R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)"
         R"("names":{"plural":"widgets","kind":"Widget"},"conversion":{"strategy":"Webhook","webhook":{)"
         R"("conversionReviewVersions":["v1"],"clientConfig":{"url":"https://)" +
             webhook.address() + R"(/convert","caBundle":")" + webhook.ca_bundle() + R"("}}},"versions":[)" +
             version("v1", false) + "," + version("v2", true) + "]}}");
    server->wait_until_current();
    server->wait_until_current();
    for (const char* name : {"default", "kube-public"}) {
      make("/apis/example.com/v2/namespaces/" + std::string(name) + "/widgets",
           R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w"}})");
    }
  }

  SilentParty party;
  FakeWebhook webhook{[this](const http::Request& request) { return party.answer(request); }};
  std::unique_ptr<EmbeddedServer> server = start_server(options());
  RawClient admin{*server, &server->admin()};
};

TEST_F(SilentParties, AreWaitedForWithoutThreads) {
  define_widgets();
  const auto eve = tenant("eve"), mallory = tenant("mallory");
  std::vector<std::future<int>> asked;
  for (int i = 0; i < 2; ++i) asked.push_back(ask(eve, "/apis/example.com/v1/namespaces/default/widgets/w"));
  ASSERT_TRUE(eventually([&] { return party.asked() == 2; }));
  // As many as there are threads wait. Others are answered, also those of the same user.
  EXPECT_EQ(admin.send("GET", "/api/v1/namespaces/default").status, 200);
  EXPECT_EQ(ask(eve, "/api/v1/namespaces/default/configmaps").get(), 200);
  // One more of this user has no place; of another user it has.
  const http::Reply refused =
      RawClient(*server, &eve).send("GET", "/apis/example.com/v1/namespaces/default/widgets");
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_TRUE(refused.body.contains("the share of user \\\"eve\\\"")) << refused.body;
  EXPECT_TRUE(refused.headers.find("Retry-After").has_value());
  asked.push_back(ask(mallory, "/apis/example.com/v1/namespaces/kube-public/widgets/w"));
  asked.push_back(ask(server->admin(), "/apis/example.com/v1/namespaces/default/widgets/w"));
  ASSERT_TRUE(eventually([&] { return party.asked() == 4; }));
  const std::string metrics = admin.send("GET", "/metrics").body;
  EXPECT_TRUE(metrics.contains("fairway_waiting_requests 4\n")) << metrics;
  EXPECT_TRUE(metrics.contains("fairway_waiting_requests_refused_total{share=\"user\"} 1\n")) << metrics;
  EXPECT_TRUE(
      metrics.contains("apiserver_flowcontrol_dispatched_requests_total{priority_level=\"workload\"}"));
  party.speak();
  for (auto& one : asked) EXPECT_EQ(one.get(), 500);
}

TEST_F(SilentParties, HoldUpNoOtherWatches) {
  define_widgets();
  const auto client = client_of(*server, {.max_retries = 0});
  const kube::WatchOptions from_the_start;
  Seen widgets(client, {"example.com", "v1", "widgets"}, from_the_start);
  ASSERT_TRUE(eventually([&] { return party.asked() > 0; }));
  Seen maps(client, config_maps, from_the_start);
  ASSERT_OK(client->create(config_maps, object_of(R"({"apiVersion":"v1","kind":"ConfigMap",
    "metadata":{"name":"a","namespace":"default"}})")));
  EXPECT_EQ(maps.events(1), std::vector<std::string>{"ADDED a"});
  party.speak();
}

TEST_F(SilentParties, AreLeftByThoseWhoseClientHasGone) {
  define_widgets();
  const auto eve = tenant("eve");
  for (int i = 0; i < 8; ++i) {
    http::ClientOptions settings{.system_cas = false,
                                 .ca_texts = {{server->authority(), "the test's server"}},
                                 .proxy_environment = false};
    settings.certificate = eve.certificate;
    settings.key = eve.key;
    const auto client = http::Client::create(settings).value();
    std::stop_source gone;
    const int before = party.asked();
    auto asked = std::async(std::launch::async, [&] {
      return client->send(
          {.method = "GET",
           .url =
               http::Url::parse(server->url() + "/apis/example.com/v1/namespaces/default/widgets/w").value(),
           .limits = Limits::within(Clock::system(), std::chrono::minutes(5), gone.get_token())});
    });
    ASSERT_TRUE(eventually([&] { return party.asked() > before; })) << i;
    gone.request_stop();
    EXPECT_FALSE(asked.get().has_value());
    ASSERT_TRUE(eventually(
        [&] { return admin.send("GET", "/metrics").body.contains("fairway_waiting_requests 0\n"); }));
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
