// SPDX-License-Identifier: Apache-2.0

// The webhooks over HTTPS.
#include "conversion/webhook.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/base64.h"
#include "base/file.h"
#include "base/text.h"
#include "conversion/widgets.h"
#include "http/certificates.h"
#include "http/client.h"
#include "http/raw_client.h"
#include "webhook/crd_registration.h"

namespace fairway::conversion {
namespace {

class Webhook : public ::testing::Test {
 protected:
  Webhook() { start(1 << 16); }

  void start(std::size_t max_body_bytes) {
    const auto converters = std::make_shared<Converters>();
    testing::add_widgets(*converters)
        .defaults("v1",
                  [](k8s::Dynamic& object) {
                    if (!object.has("spec.mode")) object.set("spec.mode", "slow");
                  })
        .validates("v1", [](const k8s::Dynamic& object, const k8s::Dynamic* old) -> Result<void> {
          if (old != nullptr && old->text("spec.mode") != object.text("spec.mode")) {
            return invalid_field("spec.mode", "it cannot change");
          }
          return {};
        });
    if (!converters->prepare()) throw std::runtime_error("not prepared");
    const fairway::testing::TestCa ca;
    const auto made = ca.server();
    auto handlers = webhook_handlers(converters, {}, metrics_);
    handlers.push_back(webhook::admission_handler(
        "/breaks",
        [](const webhook::AdmissionRequest&) -> webhook::AdmissionAnswer {
          throw std::runtime_error("broken");
        },
        metrics_, {}, true));
    http::TlsServerOptions tls;
    tls.certificate = made.certificate;
    tls.key = made.key;
    http::ServerOptions options = webhook::listen_options("127.0.0.1:0", tls, handlers);
    EXPECT_EQ(options.max_body_bytes, webhook::max_conversion_bytes);
    options.io_threads = 1;
    options.max_body_bytes = max_body_bytes;
    server_ = webhook::listen(options, handlers).value();
    client_ = http::Client::create({.system_cas = false,
                                    .ca_texts = {{ca.certificate(), "the test's CA"}},
                                    .proxy_environment = false})
                  .value();
  }

  http::Reply post(const std::string& path, const std::string& body,
                   const std::string& type = "application/json") {
    http::Call call;
    call.method = "POST";
    call.url = http::Url::parse("https://" + server_->address() + path).value();
    if (!type.empty()) call.headers.set("Content-Type", type);
    call.body = body;
    call.limits.deadline = Clock::system().steady() + std::chrono::seconds(20);
    auto reply = client_->send(call);
    if (!reply) throw std::runtime_error(reply.error().message);
    return *std::move(reply);
  }

  /// The response to an AdmissionReview.
  json::Value admit(const std::string& path, const std::string& operation, const json::Value& object,
                    const json::Value& old = nullptr, const std::string& subresource = "") {
    const json::Object request{{"uid", "u"},
                               {"operation", operation},
                               {"object", object},
                               {"oldObject", old},
                               {"subResource", subresource}};
    const http::Reply reply = post(
        path, json::to_text(json::Object{
                  {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", request}}));
    EXPECT_EQ(reply.status, 200) << reply.body;
    json::Value response = testing::field(json::parse(reply.body).value(), "response");
    EXPECT_EQ(testing::text(response, "uid"), "u");
    return response;
  }

  metrics::Registry metrics_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Client> client_;
};

const std::string review =
    R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u",)"
    R"("desiredAPIVersion":"widgets.example.com/v1","objects":[{"apiVersion":"widgets.example.com/v1alpha1",)"
    R"("kind":"Widget","metadata":{"name":"a"},"spec":{"size":"S"}}]}})";

TEST_F(Webhook, ConvertsOverHttps) {
  for (const std::string type :
       {"application/json", "application/json; charset=utf-8", "Application/JSON ;a=b"}) {
    const http::Reply reply = post("/convert", review, type);
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.headers.find("Content-Type"), "application/json");
    EXPECT_NE(reply.body.find(R"("spec":{"capacity":{"size":"S"},"mode":"slow"})"), std::string::npos)
        << reply.body;
  }
  EXPECT_NE(
      metrics_.text().find(
          R"(fairway_conversion_objects_total{from="v1alpha1",group="widgets.example.com",kind="Widget",)"
          R"(result="converted",to="v1"} 3)"),
      std::string::npos)
      << metrics_.text();
  EXPECT_NE(metrics_.text().find(R"(fairway_conversion_reviews_total{result="success"} 3)"),
            std::string::npos);
}

TEST_F(Webhook, RefusesWhatIsNoReviewWithAStatus) {
  const auto refused = [&](const std::string& path, const std::string& body, const std::string& type,
                           int status) {
    const http::Reply reply = post(path, body, type);
    EXPECT_EQ(reply.status, status) << reply.body;
    const auto answer = json::parse(reply.body);
    ASSERT_TRUE(answer) << reply.body;
    EXPECT_EQ(testing::text(*answer, "kind"), "Status");
    EXPECT_EQ(testing::field(*answer, "code").as_int64(), status);
    EXPECT_EQ(testing::text(*answer, "message").find("bytes") != std::string::npos, status == 413);
  };
  for (const std::string path : {"/convert", "/default", "/validate"}) {
    refused(path, "{}", "application/json", 400);
    refused(path, "", "application/json", 400);
    refused(path, "{}", "text/plain", 415);
    refused(path, "{}", "", 415);
    refused(path, std::string(1 << 17, ' '), "application/json", 413);
  }
  refused("/breaks", R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
                         "request":{"uid":"u","operation":"CREATE","object":{}}})",
          "application/json", 500);
  // An AdmissionReview has one object and what it was: it has to be shorter than what is read of others.
  start(webhook::max_admission_bytes + 1);
  for (const std::string path : {"/convert", "/default", "/validate"}) {
    refused(path, std::string(webhook::max_admission_bytes, ' '), "application/json", 400);
    refused(path, std::string(webhook::max_admission_bytes + 1, ' '), "application/json",
            path == "/convert" ? 400 : 413);
  }
}

TEST(WebhookHandlers, OnePeerDoesNotStarveOthersByHalfBodies) {
  metrics::Registry metrics;
  const std::vector<webhook::Handler> handlers{webhook::admission_handler(
      "/any", [](const webhook::AdmissionRequest&) { return webhook::AdmissionAnswer::allow(); }, metrics)};
  http::ServerOptions options = webhook::listen_options("127.0.0.1:0", {}, handlers);
  EXPECT_GT(options.min_body_rate, 0) << "a body that comes slowly is ended soon, one that is long is not";
  EXPECT_LE(options.rate_window, std::chrono::seconds(5));
  options.tls.reset();
  const auto server = webhook::listen(options, handlers).value();
  const std::string head =
      "POST /any HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " +
      std::to_string(webhook::max_admission_bytes) + "\r\n\r\n";
  const std::string most(webhook::max_admission_bytes - 1, ' ');
  std::vector<http::RawClient> half;
  for (int i = 0; i < 5; ++i) {
    half.emplace_back(server->port(), 0, "127.0.0.2");
    half.back().send(head);
    half.back().send(most);  // what is too much is refused on the way
  }
  http::RawClient other(server->port());
  other.send(head + most + "x");
  EXPECT_EQ(http::status_of(other.read_reply()), 400) << "it was read: it is no review";
}

TEST_F(Webhook, DefaultsByAPatch) {
  const k8s::Dynamic bare = testing::widget("v1", json::Object{});
  const json::Value response = admit("/default", "CREATE", bare.json());
  EXPECT_TRUE(testing::field(response, "allowed").as_bool());
  EXPECT_EQ(testing::text(response, "patchType"), "JSONPatch");
  EXPECT_EQ(base64_decode(testing::text(response, "patch")),
            R"([{"op":"add","path":"/spec/mode","value":"slow"}])");
  // Nothing to say: no patch.
  for (const auto& [operation, version, subresource] : std::vector<std::array<std::string, 3>>{
           {"DELETE", "v1", ""}, {"UPDATE", "v1", "status"}, {"CREATE", "v1beta1", ""}}) {
    const json::Value widget = testing::widget(version, json::Object{}).json(), no_widget;
    const json::Value none = admit("/default", operation, operation == "DELETE" ? no_widget : widget,
                                   operation == "CREATE" ? no_widget : widget, subresource);
    EXPECT_TRUE(testing::field(none, "allowed").as_bool());
    EXPECT_EQ(json::find(none, "patch"), nullptr);
  }
}

TEST_F(Webhook, ValidatesAndNamesTheField) {
  const json::Value slow = testing::widget("v1", json::Object{{"mode", "slow"}}).json();
  const json::Value fast = testing::widget("v1", json::Object{{"mode", "fast"}}).json();
  EXPECT_TRUE(testing::field(admit("/validate", "CREATE", fast), "allowed").as_bool());
  EXPECT_TRUE(testing::field(admit("/validate", "UPDATE", fast, fast), "allowed").as_bool());
  EXPECT_TRUE(testing::field(admit("/validate", "DELETE", nullptr, fast), "allowed").as_bool());
  const json::Value denied = admit("/validate", "UPDATE", fast, slow);
  EXPECT_FALSE(testing::field(denied, "allowed").as_bool());
  const json::Value& status = testing::field(denied, "status");
  EXPECT_EQ(testing::text(status, "message"), "spec.mode: it cannot change");
  EXPECT_EQ(testing::field(status, "code").as_int64(), 422);
  EXPECT_EQ(testing::text(status.at("details").at("causes").at(0), "field"), "spec.mode");
  // Clients show the field before the message.
  EXPECT_FALSE(testing::text(status.at("details").at("causes").at(0), "message").starts_with("spec.mode"));
}

TEST(WebhookHandlers, WantConfigurationsForKindsThatHaveSomethingToSay) {
  const std::string file = FAIRWAY_SOURCE_DIR "/tests/conversion/data/widgets-crd.yaml";
  const auto definitions = webhook::read_definitions(read_file(file).value(), file).value();
  metrics::Registry metrics;
  const auto wanted = [&](const std::function<void(Converters&)>& add) {
    const auto converters = std::make_shared<Converters>();
    add(*converters);
    std::vector<std::string> found;
    for (const webhook::Handler& handler : webhook_handlers(converters, definitions, metrics)) {
      for (const webhook::AdmissionWebhook& one : handler.webhooks) {
        EXPECT_EQ(one.name, "widgets.widgets.example.com");
        EXPECT_EQ(one.group, "widgets.example.com");
        EXPECT_EQ(one.resources, std::vector<std::string>{"widgets"});
        found.push_back(handler.path + " " + join(one.versions, ","));
        EXPECT_EQ(one.kind == webhook::AdmissionWebhook::Kind::mutating, handler.path == "/default");
      }
    }
    return found;
  };
  const auto valid = [](const k8s::Dynamic&, const k8s::Dynamic*) -> Result<void> { return {}; };
  EXPECT_EQ(wanted([](Converters& silent) { testing::add_widgets(silent); }), std::vector<std::string>{});
  EXPECT_EQ(wanted([](Converters& defaulting) {
              testing::add_widgets(defaulting).defaults("v1", [](k8s::Dynamic&) {});
            }),
            std::vector<std::string>{"/default v1"});
  EXPECT_EQ(
      wanted([&](Converters& validating) { testing::add_widgets(validating).validates("v1beta1", valid); }),
      std::vector<std::string>{"/validate v1beta1"});
  // A version that the webhook does not see would be one in which anybody can write the status.
  EXPECT_EQ(wanted([](Converters& guarding) { testing::add_widgets(guarding).keep_lost_status(); }),
            std::vector<std::string>{"/validate *"});
  EXPECT_EQ(
      wanted([&](Converters& both) { testing::add_widgets(both).validates("v1", valid).keep_lost_status(); }),
      std::vector<std::string>{"/validate *"});
  EXPECT_EQ(wanted([](Converters& other) {
              other.kind("other.example.com", "Widget").defaults("v1", [](k8s::Dynamic&) {});
            }),
            std::vector<std::string>{});
}

TEST(WebhookHandlers, SayWhichVersionsOnTheServerTheyDoNotReach) {
  const std::string file = FAIRWAY_SOURCE_DIR "/tests/conversion/data/widgets-crd.yaml";
  auto definition = webhook::read_definitions(read_file(file).value(), file).value().front();
  definition.set("spec.conversion.strategy", "Webhook");
  const auto converters = std::make_shared<Converters>();
  testing::add_widgets(*converters);
  ASSERT_TRUE(converters->prepare({definition}));
  metrics::Registry metrics;
  const auto handlers = webhook_handlers(converters, {definition}, metrics);
  const webhook::Conversion& conversion = handlers.front().conversion.value();
  EXPECT_TRUE(conversion.converts("widgets.example.com", "Widget"));
  EXPECT_FALSE(conversion.converts("widgets.example.com", "Gadget"));
  EXPECT_TRUE(conversion.reaches(definition));
  definition.append("spec.versions").set("name", "v2");
  const auto reached = conversion.reaches(definition);
  ASSERT_FALSE(reached);
  EXPECT_TRUE(reached.error().message.contains("there is no path from v1 to v2")) << reached.error().message;
}

}  // namespace
}  // namespace fairway::conversion
