// SPDX-License-Identifier: Apache-2.0

// Checks of converters that do harm, and of ones that do not.
#include "conversion/check/conversion_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conversion/check/converter.h"
#include "conversion/webhook.h"
#include "conversion/widgets.h"
#include "http/certificates.h"
#include "http/client.h"
#include "support/loopback_server.h"
#include "webhook/server.h"

namespace fairway::conversion {
namespace {

using testing::widget;

k8s::Dynamic stored(const std::string& name, json::Object spec, const std::string& version = "v1beta1") {
  k8s::Dynamic object = widget(version, std::move(spec));
  object.set_name(name);
  return object;
}

/// The widgets of the other tests, whose way from v1 loses what the older version does not have.
std::shared_ptr<const Converters> widgets(bool keeps) {
  auto converters = std::make_shared<Converters>();
  KindConverters& kind = testing::add_widgets(*converters);
  if (keeps) kind.keep_lost_fields();
  if (!converters->prepare()) throw std::runtime_error("not prepared");
  return converters;
}

CheckRequest request(const std::string& to = "v1") {
  return {.group = std::string(testing::group), .kind = "Widget", .to = to};
}

/// The objects that are named, with kind and path: "fails n/a spec.size".
std::vector<std::string> named(const Findings& findings) {
  std::vector<std::string> names;
  for (const FindingCause& cause : findings.causes()) {
    for (const FindingExample& example : cause.examples) {
      names.push_back(std::string(to_string(cause.kind)) + " " + example.object + " " + example.path);
    }
  }
  return names;
}

/// Many objects that convert, and three that do not.
std::vector<k8s::Dynamic> many() {
  std::vector<k8s::Dynamic> objects;
  for (int i = 0; i < 600; ++i) {
    const bool is_bad = i == 7 || i == 300 || i == 599;
    objects.push_back(stored("w" + std::to_string(i), {{"size", is_bad ? "huge" : "S"}}));
  }
  return objects;
}

TEST(ConversionCheck, FindsTheObjectsThatFailAReview) {
  const AskConverter ask = ask_converters(widgets(true));
  std::size_t reviews = 0, largest = 0;
  ConversionCheck check(request(), {}, [&](const k8s::ConversionQuestion& question) {
    ++reviews;
    largest = std::max(largest, question.objects.size());
    return ask(question);
  });
  ASSERT_TRUE(check.add(many()));
  EXPECT_EQ(check.findings().objects(), 600);
  EXPECT_EQ(named(check.findings()),
            (std::vector<std::string>{"fails default/w7 spec.size", "fails default/w300 spec.size",
                                      "fails default/w599 spec.size"}));
  ASSERT_EQ(check.findings().causes().size(), 1U);
  EXPECT_EQ(check.findings().causes().front().cause,
            "Widget: converting from v1beta1 to v1: spec.size: 'huge' is no size");
  EXPECT_EQ(check.findings().causes().front().examples.front().detail, "\"huge\"");
  EXPECT_EQ(largest, 500U);
  EXPECT_LT(reviews, 80U) << "a review is halved, and not taken apart";
}

TEST(ConversionCheck, FindsWhatARoundTripLosesAndChanges) {
  const auto objects = [] {
    return std::vector{stored("plain", {{"capacity", json::Object{{"size", "L"}}}}, "v1"),
                       stored("fast", {{"capacity", json::Object{{"size", "L"}}}, {"mode", "fast"}}, "v1"),
                       stored("big", {{"capacity", json::Object{{"size", "XL"}}}}, "v1")};
  };
  ConversionCheck loses(request("v1beta1"), {}, ask_converters(widgets(false)));
  ASSERT_TRUE(loses.add(objects()));
  EXPECT_EQ(named(loses.findings()), (std::vector<std::string>{"loses default/fast spec.mode",
                                                               "changes default/big spec.capacity.size"}));
  ConversionCheck keeps(request("v1beta1"), {}, ask_converters(widgets(true)));
  ASSERT_TRUE(keeps.add(objects()));
  EXPECT_EQ(named(keeps.findings()), std::vector<std::string>());
  EXPECT_EQ(keeps.findings().objects(), 3);
}

TEST(ConversionCheck, DoesTheServersPartBySchema) {
  k8s::Dynamic definition;
  const auto version = [&](const char* name, std::string_view properties) {
    k8s::Editor entry = definition.append("spec.versions");
    entry.set("name", name);
    entry.set("schema.openAPIV3Schema.type", "object");
    entry.set("schema.openAPIV3Schema.properties.spec",
              json::Object{{"type", "object"}, {"properties", json::parse(properties).value()}});
  };
  version("v1beta1", R"({"size": {"type": "string"}, "color": {"type": "string"}})");
  // It has forgotten `color`, and wants a mode.
  version("v1",
          R"({"size": {"type": "string", "maxLength": 1}, "mode": {"type": "string", "default": "x"}})");
  ConversionCheck check(request(), VersionSchemas(k8s::CustomResourceDefinition(definition.json())),
                        ask_nobody());
  ASSERT_TRUE(check.add({stored("fine", {{"size", "S"}}), stored("red", {{"size", "S"}, {"color", "red"}}),
                         stored("long", {{"size", "huge"}}), stored("new", {{"size", "XL"}}, "v1")}));
  EXPECT_EQ(named(check.findings()),
            (std::vector<std::string>{"loses default/red spec.color", "refused default/new spec.size",
                                      "refused default/long spec.size"}));
}

TEST(ConversionCheck, AsksForObjectsAsTheServerReadsThem) {
  k8s::Dynamic definition;
  k8s::Editor entry = definition.append("spec.versions");
  entry.set("name", "v1beta1");
  entry.set("schema.openAPIV3Schema", json::parse(R"({"type": "object", "properties": {"spec": {
      "type": "object", "properties": {"size": {"type": "string", "default": "S"}}}}})")
                                          .value());
  std::vector<std::string> asked;
  const AskConverter ask = ask_nobody();
  ConversionCheck check(request(), VersionSchemas(k8s::CustomResourceDefinition(definition.json())),
                        [&](const k8s::ConversionQuestion& question) {
                          asked.push_back(json::to_text(question.objects.front()->at("spec")));
                          return ask(question);
                        });
  ASSERT_TRUE(check.add({stored("a", {{"unknown", 1}})}));
  EXPECT_EQ(asked, (std::vector<std::string>{R"({"size":"S"})", R"({"size":"S"})"}));
  EXPECT_EQ(check.findings().faulty_objects(), 0);
}

TEST(ConversionCheck, LeavesOutOtherKindsAndSendsNothingForObjectsOfTheVersion) {
  int reviews = 0;
  ConversionCheck check(request(), {}, [&](const k8s::ConversionQuestion&) {
    ++reviews;
    return std::unexpected(NoAnswer{});
  });
  k8s::Dynamic other = stored("pod", {});
  other.set("kind", "Gadget");
  ASSERT_TRUE(check.add({stored("new", {{"mode", "x"}}, "v1"), std::move(other)}));
  EXPECT_EQ(check.findings().objects(), 1);
  EXPECT_EQ(check.other_kinds(), 1);
  EXPECT_EQ(reviews, 0);
}

TEST(ConversionCheck, NamesAnObjectWhoseMetadataTheConverterChanges) {
  ConversionCheck check(request(), {}, [&](const k8s::ConversionQuestion& question) {
    std::vector<json::Object> objects;
    for (const json::Object* object : question.objects) {
      k8s::Dynamic made(*object);
      made.set("apiVersion", question.desired.to_string());
      if (made.name() == "bad") made.set_name("worse");
      objects.push_back(made.release());
    }
    return std::expected<std::string, NoAnswer>(write_converted(question, objects));
  });
  ASSERT_TRUE(check.add({stored("a", {}), stored("bad", {}), stored("c", {})}));
  EXPECT_EQ(named(check.findings()), std::vector<std::string>{"fails default/bad "});
  EXPECT_TRUE(check.findings().causes().front().cause.contains("returned invalid"))
      << check.findings().causes().front().cause;
}

/// A webhook on loopback that answers as its test says.
class Webhook {
 public:
  using Answer = std::function<http::Response(const json::Value& review)>;
  explicit Webhook(Answer answer)
      : server_(fairway::testing::serve_on_loopback("POST",
                                                    [answer = std::move(answer)](const http::Request& asked) {
                                                      return answer(json::parse(asked.body).value());
                                                    },
                                                    {})) {}
  AskConverter ask() const {
    return ask_webhook({.url = "http://" + server_->address() + "/convert"}).value();
  }

 private:
  std::unique_ptr<http::Server> server_;
};

/// The answer of a webhook that only changes apiVersion.
json::Object answer_to(const json::Value& review) {
  const json::Object& asked = review.at("request").as_object();
  json::Array objects;
  for (const json::Value& object : asked.at("objects").as_array()) {
    objects.push_back(object);
    objects.back().as_object()["apiVersion"] = asked.at("desiredAPIVersion");
  }
  return {{"apiVersion", review.at("apiVersion")},
          {"kind", "ConversionReview"},
          {"response", json::Object{{"uid", asked.at("uid")},
                                    {"convertedObjects", std::move(objects)},
                                    {"result", json::Object{{"status", "Success"}}}}}};
}

bool has_object(const json::Value& review, std::string_view name) {
  for (const json::Value& object : review.at("request").at("objects").as_array()) {
    if (object.at("metadata").at("name").as_string() == name) return true;
  }
  return false;
}

TEST(ConversionCheck, EndsWhereTheAnswerIsNoneToTheReview) {
  struct Row {
    const char* name;
    Webhook::Answer answer;
    const char* error;
  };
  const std::vector<Row> rows{
      {"no JSON", [](const json::Value&) { return http::Response::text(200, "<html>hello"); },
       "the converter's answer is no answer to the review"},
      {"another document",
       [](const json::Value&) { return http::Response::json(200, R"({"apiVersion":"v1","kind":"Pod"})"); },
       "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got v1, Kind=Pod"},
      {"another uid",
       [](const json::Value& review) {
         json::Object answer = answer_to(review);
         answer["response"].as_object()["uid"] = "other";
         return http::Response::json(200, json::to_text(answer));
       },
       "got \"other\""},
      {"fewer objects",
       [](const json::Value& review) {
         json::Object answer = answer_to(review);
         answer["response"].as_object()["convertedObjects"].as_array().pop_back();
         return http::Response::json(200, json::to_text(answer));
       },
       "returned 2 objects, expected 3"},
      {"no such path", [](const json::Value&) { return http::Response::text(404, "404 page not found"); },
       "answered with status 404: 404 page not found"},
      {"fails for all", [](const json::Value&) { return http::Response::text(500, "it is broken"); },
       "it is the likely cause, and not the objects: the webhook http"},
      {"too large",
       [](const json::Value&) { return http::Response::text(200, std::string((64 << 20) + 1, ' ')); },
       "asking the webhook"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Webhook webhook(row.answer);
    ConversionCheck check(request(), {}, webhook.ask());
    std::vector<k8s::Dynamic> objects{stored("a", {}), stored("b", {}), stored("c", {})};
    if (std::string_view(row.name) == "fails for all") {
      for (int i = 0; i < 20; ++i) objects.push_back(stored("d" + std::to_string(i), {}));
    }
    const auto done = check.add(std::move(objects));
    ASSERT_FALSE(done);
    EXPECT_TRUE(done.error().message.starts_with("converting from v1beta1 to v1, ")) << done.error().message;
    EXPECT_TRUE(done.error().message.contains("default/")) << done.error().message;
    EXPECT_TRUE(done.error().message.contains(row.error)) << done.error().message;
  }
}

TEST(ConversionCheck, EndsAtOnceWhereNobodyListens) {
  std::string url;
  {
    const auto server = fairway::testing::serve_on_loopback(
        "POST", [](const http::Request&) { return http::Response::text(200, ""); }, {});
    url = "http://" + server->address() + "/convert";
  }
  const AskConverter ask = ask_webhook({.url = url}).value();
  int reviews = 0;
  ConversionCheck check(request(), {}, [&](const k8s::ConversionQuestion& question) {
    ++reviews;
    return ask(question);
  });
  const auto done = check.add({stored("a", {}), stored("b", {})});
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.contains("2 objects from default/a to default/b")) << done.error().message;
  EXPECT_EQ(reviews, 1);
}

TEST(ConversionCheck, FindsTheObjectAtWhichTheWebhookFails) {
  const Webhook webhook([](const json::Value& review) {
    if (has_object(review, "bad")) return http::Response::text(500, "panic: nil pointer");
    return http::Response::json(200, json::to_text(answer_to(review)));
  });
  ConversionCheck check(request(), {}, webhook.ask());
  std::vector<k8s::Dynamic> objects;
  for (int i = 0; i < 20; ++i) objects.push_back(stored(i == 13 ? "bad" : "w" + std::to_string(i), {}));
  const auto done = check.add(std::move(objects));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(named(check.findings()), std::vector<std::string>{"fails default/bad "});
  EXPECT_TRUE(check.findings().causes().front().cause.contains("panic: nil pointer"));
  EXPECT_EQ(check.findings().objects(), 20);
}

/// The webhook fails at each object whose name begins with "bad".
TEST(ConversionCheck, GoesOnAfterNeighboursAtWhichTheWebhookFails) {
  const Webhook webhook([](const json::Value& review) {
    for (const json::Value& object : review.at("request").at("objects").as_array()) {
      if (object.at("metadata").at("name").as_string().starts_with("bad")) {
        return http::Response::text(500, "panic: nil pointer");
      }
    }
    return http::Response::json(200, json::to_text(answer_to(review)));
  });
  for (const int first : {0, 6, 13}) {
    SCOPED_TRACE(first);
    ConversionCheck check(request(), {}, webhook.ask());
    std::vector<k8s::Dynamic> objects;
    for (int i = 0; i < 20; ++i) {
      const bool is_bad = i >= first && i < first + 7;
      objects.push_back(stored((is_bad ? "bad" : "w") + std::to_string(i), {}));
    }
    const auto done = check.add(std::move(objects));
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(check.findings().objects(), 20);
    EXPECT_EQ(check.findings().faulty_objects(), 7);
  }
}

TEST(ConversionCheck, KeepsWhatItHasFoundWhereItEnds) {
  int reviews = 0;
  const AskConverter ask = ask_converters(widgets(true));
  ConversionCheck check(request(), {}, [&](const k8s::ConversionQuestion& question) {
    ++reviews;
    // From the page after the first on, it is broken.
    if (question.objects.front()->at("metadata").at("name").as_string().starts_with("later")) {
      return std::expected<std::string, NoAnswer>(
          std::unexpected(NoAnswer{{ErrorCode::unavailable, "it is broken"}, true}));
    }
    return ask(question);
  });
  ASSERT_TRUE(check.add({stored("a", {{"size", "huge"}}), stored("b", {{"size", "S"}})}));
  std::vector<k8s::Dynamic> objects;
  for (int i = 0; i < 9; ++i) objects.push_back(stored("later" + std::to_string(i), {{"size", "S"}}));
  // It still converts `b`, so that the objects are the cause.
  ASSERT_TRUE(check.add(objects));
  EXPECT_EQ(check.findings().objects(), 11);
  EXPECT_EQ(check.findings().faulty_objects(), 10);
  ConversionCheck broken(request(), {}, [&](const k8s::ConversionQuestion&) {
    return std::unexpected(NoAnswer{{ErrorCode::unavailable, "it is broken"}, true});
  });
  const auto done = broken.add(objects);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.contains("it is the likely cause, and not the objects: it is broken"))
      << done.error().message;
  EXPECT_EQ(broken.findings().objects(), ConversionCheck::most_failures);
  EXPECT_EQ(broken.findings().count(FindingKind::fails), ConversionCheck::most_failures);
}

TEST(ConversionCheck, EndsWhereItIsStopped) {
  std::stop_source stop;
  int reviews = 0;
  const AskConverter ask = ask_converters(widgets(true));
  ConversionCheck check(
      request(), {},
      [&](const k8s::ConversionQuestion& question) {
        if (++reviews == 2) stop.request_stop();
        return ask(question);
      },
      stop.get_token());
  const auto done = check.add(many());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::cancelled);
  EXPECT_EQ(reviews, 2);
}

/// Fairway's own webhook, over TLS with an authority of its own.
class OwnWebhook : public ::testing::Test {
 protected:
  OwnWebhook() {
    const auto made = ca_.server();
    const auto handlers = webhook_handlers(widgets(true), {}, metrics_);
    http::TlsServerOptions tls;
    tls.certificate = made.certificate;
    tls.key = made.key;
    http::ServerOptions options = webhook::listen_options("127.0.0.1:0", tls, handlers);
    options.io_threads = 1;
    server_ = webhook::listen(options, handlers).value();
  }
  std::string url() const { return "https://" + server_->address() + "/convert"; }

  fairway::testing::TestCa ca_;
  metrics::Registry metrics_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(OwnWebhook, IsCheckedOverTls) {
  ConversionCheck check(request(), {}, ask_webhook({.url = url(), .ca_bundle = ca_.certificate()}).value());
  const auto done = check.add(many());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(named(check.findings()),
            (std::vector<std::string>{"fails default/w7 spec.size", "fails default/w300 spec.size",
                                      "fails default/w599 spec.size"}));
  EXPECT_EQ(check.findings().causes().size(), 1U);
}

TEST_F(OwnWebhook, IsNotTrustedWithoutItsAuthority) {
  ConversionCheck check(request(), {}, ask_webhook({.url = url()}).value());
  const auto done = check.add(many());
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.contains("certificate")) << done.error().message;
}

TEST(WebhookAddress, IsThatOfTheDefinition) {
  k8s::Dynamic definition;
  const auto address = [&] { return webhook_address(k8s::CustomResourceDefinition(definition.json())); };
  definition.set_name("widgets.example.com");
  EXPECT_FALSE(address());
  definition.set("spec.conversion.strategy", "Webhook");
  EXPECT_TRUE(address().error().message.contains("neither url nor service"));
  const std::string config = "spec.conversion.webhook.clientConfig.";
  definition.set(config + "service", json::Object{{"namespace", "n"}, {"name", "w"}, {"path", "/convert"}});
  EXPECT_EQ(address()->url, "https://w.n.svc:443/convert");
  definition.set(config + "caBundle", "?");
  EXPECT_TRUE(address().error().message.contains("caBundle is not base64"));
  definition.set(config + "caBundle", "Cg==");
  EXPECT_EQ(address()->ca_bundle, "") << "white space alone is none";
  definition.erase(config + "service");
  EXPECT_FALSE(ask_webhook({.url = "ftp://127.0.0.1/convert"}));
  definition.set(config + "url", "https://127.0.0.1:9443/x");
  EXPECT_EQ(address()->url, "https://127.0.0.1:9443/x");
}

}  // namespace
}  // namespace fairway::conversion
