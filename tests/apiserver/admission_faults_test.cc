// SPDX-License-Identifier: Apache-2.0

// Webhooks that do not answer as they should, and what that does to others.
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/fake_webhook.h"
#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

constexpr const char* maps = "/api/v1/namespaces/default/configmaps";

/// Returns limits by which requests without a place are refused at once.
WaitLimits with_places(int total) {
  WaitLimits limits = WaitLimits::of(total);
  limits.queue_timeout = std::chrono::milliseconds(0);
  return limits;
}

class AdmissionFaults : public ::testing::Test {
 protected:
  ~AdmissionFaults() override { release(); }

  /// Returns a validating webhook for ConfigMaps whose name begins with "held".
  std::string configuration(const std::string& client_config, const std::string& more = "") const {
    return R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
        "metadata":{"name":"v"},"webhooks":[{"name":"v.example.com","clientConfig":{)" +
           client_config + R"(},"admissionReviewVersions":["v1"],"sideEffects":"None",)" + more +
           R"rules("rules":[
        {"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}],
        "matchConditions":[{"name":"held","expression":"request.name.startsWith('held')"}]}]})rules";
  }
  std::string by_url() const {
    return R"("url":"https://)" + webhook.address() + R"(/v","caBundle":")" + webhook.ca_bundle() + "\"";
  }
  void configure(const std::string& document) const {
    const http::Reply made = client->send(
        "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {}, document);
    ASSERT_EQ(made.status, 201) << made.body;
  }
  http::Reply create(const std::string& name) const {
    return client->send("POST", maps, {}, R"({"metadata":{"name":")" + name + "\"}}");
  }
  static std::string message(const http::Reply& reply) { return std::string(body_of(reply).text("message")); }

  void answer_with(std::string text) {
    const std::scoped_lock lock(mutex);
    answer = std::move(text);
    is_released = true;
  }
  void release() {
    const std::scoped_lock lock(mutex);
    is_released = true;
    changed.notify_all();
  }
  /// Waits until `count` requests wait for the webhook's reply.
  void wait_until_held(int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return held >= count; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::string answer;
  bool is_released = false;
  int held = 0;
  FakeWebhook webhook{[this](const http::Request&) {
    std::unique_lock lock(mutex);
    ++held;
    changed.notify_all();
    changed.wait(lock, [&] { return is_released; });
    return http::Response::json(200, answer);
  }};
  std::unique_ptr<EmbeddedServer> server =
      start_server({.requests = {.in_flight = 4}, .waits = with_places(3), .namespace_defaults = false});
  std::unique_ptr<RawClient> client = std::make_unique<RawClient>(*server, &server->admin());
};

TEST_F(AdmissionFaults, OfADeadWebhookAreThoseOfItsPolicy) {
  configure(configuration(R"("url":"https://127.0.0.1:1/v")"));
  const http::Reply refused = create("held");
  EXPECT_EQ(refused.status, 500);
  EXPECT_TRUE(message(refused).starts_with(
      "Internal error occurred: failed calling webhook \"v.example.com\": failed to call webhook: Post "
      "\"https://127.0.0.1:1/v?timeout=10s\": "))
      << message(refused);
  EXPECT_EQ(create("other").status, 201);
  EXPECT_EQ(client->send("GET", std::string(maps) + "/held").status, 404);
  client->send("PATCH", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v",
               {{"Content-Type", "application/json-patch+json"}},
               R"([{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}])");
  EXPECT_EQ(create("held").status, 201);
}

TEST_F(AdmissionFaults, NameThePathThatWasAskedFor) {
  // As envtest writes URLs.
  configure(configuration(R"("url":"https://127.0.0.1:1//v/../w//")"));
  const http::Reply refused = create("held");
  EXPECT_NE(message(refused).find("Post \"https://127.0.0.1:1/w?timeout=10s\": "), std::string::npos)
      << message(refused);
}

TEST_F(AdmissionFaults, OfAServiceThatIsNotThere) {
  configure(configuration(R"("service":{"namespace":"default","name":"hook","path":"/v"})"));
  EXPECT_EQ(message(create("held")),
            "Internal error occurred: failed calling webhook \"v.example.com\": failed to call webhook: Post "
            "\"https://hook.default.svc:443/v?timeout=10s\": service \"hook\" not found");
}

TEST_F(AdmissionFaults, OfAnotherAuthorityKeepItFromBeingAsked) {
  configure(configuration(R"("url":"https://)" + webhook.address() + "/v\""));
  EXPECT_EQ(create("held").status, 500);
  EXPECT_EQ(held, 0);
}

TEST_F(AdmissionFaults, OfAnswersAreRefused) {
  configure(configuration(by_url()));
  const std::string huge =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"x":")" +
      std::string(std::size_t{9} << 20, 'x') + "\"}}";
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& wrong : {std::string(), std::string("null"), std::string("[]"), std::string("{}"),
                                   std::string("\xff\xfe"), deep, huge}) {
    answer_with(wrong);
    const http::Reply refused = create("held");
    EXPECT_EQ(refused.status, 500) << wrong.substr(0, 80);
    EXPECT_TRUE(
        message(refused).starts_with("Internal error occurred: failed calling webhook \"v.example.com\": "))
        << message(refused);
  }
}

TEST_F(AdmissionFaults, OfASlowWebhookHoldNobodyElse) {
  configure(configuration(by_url(), R"("timeoutSeconds":30,)"));
  auto waiting = std::async(std::launch::async, [&] { return create("held").status; });
  wait_until_held(1);
  EXPECT_EQ(create("a").status, 201);
  EXPECT_EQ(client
                ->send("PATCH", std::string(maps) + "/a", {{"Content-Type", "application/merge-patch+json"}},
                       R"({"data":{"a":"b"}})")
                .status,
            200);
  EXPECT_EQ(client->send("DELETE", std::string(maps) + "/a").status, 200);
  answer_with("{}");
  release();
  EXPECT_EQ(waiting.get(), 500);
}

TEST_F(AdmissionFaults, OfASlowWebhookLeaveThreadsToOthers) {
  configure(configuration(by_url(), R"("timeoutSeconds":30,)"));
  std::vector<std::future<int>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::async(std::launch::async, [&, i] {
      return RawClient(*server, &server->admin())
          .send("POST", maps, {}, R"({"metadata":{"name":"held)" + std::to_string(i) + "\"}}")
          .status;
    }));
  }
  wait_until_held(3);
  const http::Reply refused = create("held9");
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_TRUE(refused.headers.find("Retry-After").has_value());
  EXPECT_EQ(create("a").status, 201);
  answer_with("{}");
  release();
  for (std::future<int>& one : waiting) EXPECT_EQ(one.get(), 500);
}

TEST_F(AdmissionFaults, OfAWebhookThatHangsDoNotHoldTheEnd) {
  configure(configuration(by_url(), R"("timeoutSeconds":30,)"));
  auto waiting = std::async(std::launch::async, [&] {
    try {
      return create("held").status;
    } catch (const std::runtime_error&) {
      return 0;  // the connection has ended with the server
    }
  });
  wait_until_held(1);
  server.reset();
  // Had it waited for the webhook's 30 s, this were a 500.
  const int status = waiting.get();
  EXPECT_TRUE(status == 503 || status == 0) << status;
}

}  // namespace
}  // namespace fairway::apiserver::testing
