// A webhook server whole: what it serves, and what API servers are told of it.
#include "conversion/webhook_server.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/base64.h"
#include "base/file.h"
#include "conversion/admission_registration.h"
#include "conversion/widgets.h"
#include "http/certificates.h"
#include "http/client.h"
#include "kube/object_shelf.h"
#include "support/process.h"
#include "support/temp_directory.h"
#include "webhook/crd_registration.h"

namespace fairway::conversion {
namespace {

const std::string name = "widgets.widgets.example.com";
const std::string crd_path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + name;
const std::string admission = "/apis/admissionregistration.k8s.io/v1/";
const std::string mutating_path = admission + "mutatingwebhookconfigurations/" + name;
const std::string validating_path = admission + "validatingwebhookconfigurations/" + name;
const std::string secret_path = "/api/v1/namespaces/ns/secrets/certificates";

std::vector<k8s::CustomResourceDefinition> widget_definitions() {
  const std::string file = FAIRWAY_SOURCE_DIR "/tests/conversion/data/widgets-crd.yaml";
  return read_definitions(read_file(file).value(), file).value();
}

class WholeWebhook : public ::testing::Test {
 protected:
  WholeWebhook() {
    k8s::CustomResourceDefinition established = definitions.front();
    for (const char* type : {"NamesAccepted", "Established"}) {
      k8s::Editor condition = established.append("status.conditions");
      condition.set("type", type);
      condition.set("status", "True");
    }
    shelf.put(crd_path, established);
    testing::add_widgets(*converters)
        .defaults("v1",
                  [](k8s::Dynamic& object) {
                    if (!object.has("spec.mode")) object.set("spec.mode", "slow");
                  })
        .validates("v1", [](const k8s::Dynamic&, const k8s::Dynamic*) -> Result<void> { return {}; });
    if (!converters->prepare(definitions)) throw std::runtime_error("not prepared");
  }

  WebhookServerOptions options() const {
    const std::string address = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
    WebhookServerOptions result;
    result.listen = address;
    result.address.url = "https://" + address;
    result.definitions = definitions;
    result.release = Version::parse("1.0.0").value();
    result.secret = {"ns", "certificates"};
    return result;
  }
  Result<std::unique_ptr<WebhookServer>> start(WebhookServerOptions options) {
    return WebhookServer::start(shelf.client(Clock::system()), converters, std::move(options), metrics);
  }
  std::string error_of(WebhookServerOptions options) {
    const auto started = start(std::move(options));
    return started ? "none" : started.error().message;
  }
  static bool eventually(const std::function<bool()>& holds) {
    Clock& clock = Clock::system();
    for (const SteadyTime until = clock.steady() + std::chrono::seconds(20); clock.steady() < until;) {
      if (holds()) return true;
      clock.wait_until(clock.steady() + std::chrono::milliseconds(10), {});
    }
    return false;
  }
  /// What a server answers to one who trusts this CA bundle (base64).
  static int status(const std::string& url, std::string_view ca_bundle) {
    const auto client =
        http::Client::create({.system_cas = false,
                              .ca_texts = {{base64_decode(ca_bundle).value_or(""), "caBundle"}},
                              .proxy_environment = false});
    if (!client) throw std::runtime_error(client.error().message);
    http::Call call;
    call.url = http::Url::parse(url).value();
    call.deadline = Clock::system().steady() + std::chrono::seconds(20);
    const auto reply = (*client)->send(call);
    if (!reply) throw std::runtime_error(reply.error().message);
    return reply->status;
  }

  kube::testing::ObjectShelf shelf;
  metrics::Registry metrics;
  const std::shared_ptr<Converters> converters = std::make_shared<Converters>();
  const std::vector<k8s::CustomResourceDefinition> definitions = widget_definitions();
};

TEST_F(WholeWebhook, IsServedByACertificateThatApiServersTrust) {
  const WebhookServerOptions wanted = options();
  const auto server = start(wanted);
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_EQ((*server)->address(), wanted.listen);
  const k8s::Dynamic crd = shelf.get(crd_path);
  const k8s::View client = crd.at("spec.conversion.webhook.clientConfig");
  EXPECT_EQ(client.text("url"), wanted.address.url + "/convert");
  EXPECT_EQ(crd.annotation(release_annotation), "1.0.0");
  EXPECT_EQ(status(wanted.address.url + "/readyz", client.text("caBundle")), 200);
  for (const auto& [path, where] : {std::pair{mutating_path, "/default"}, {validating_path, "/validate"}}) {
    const k8s::Dynamic configuration = shelf.get(path);
    const auto webhooks = configuration.items("webhooks");
    ASSERT_EQ(webhooks.size(), 1U) << path;
    EXPECT_EQ(webhooks.front().text("clientConfig.url"), wanted.address.url + where);
    EXPECT_EQ(webhooks.front().text("clientConfig.caBundle"), client.text("caBundle"));
    EXPECT_EQ(
        json::to_text(*webhooks.front().find("rules")),
        R"([{"apiGroups":["widgets.example.com"],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],)"
        R"("resources":["widgets"]}])");
  }
  EXPECT_TRUE(metrics.text().contains("fairway_conversion_objects_total"));
}

TEST_F(WholeWebhook, SharesItsCertificatesWithOtherReplicasAndItselfLater) {
  const auto authority = [&] {
    return std::string(shelf.get(crd_path).text("spec.conversion.webhook.clientConfig.caBundle"));
  };
  std::string first;
  {
    const auto one = start(options());
    ASSERT_TRUE(one) << one.error().message;
    first = authority();
    WebhookServerOptions second = options();
    const auto two = start(second);
    ASSERT_TRUE(two) << two.error().message;
    EXPECT_EQ(authority(), first);
    EXPECT_EQ(status(second.address.url + "/livez", first), 200);
    (*one)->drain(std::chrono::seconds(5));
  }
  const auto again = start(options());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(authority(), first);
}

TEST_F(WholeWebhook, TakesCertificatesOfSomebodyElse) {
  const fairway::testing::TestCa ca;
  const auto made = ca.server();
  const fairway::testing::TempDirectory folder;
  WebhookServerOptions wanted = options();
  wanted.certificate_file = folder.write("tls.crt", made.certificate).string();
  wanted.key_file = folder.write("tls.key", made.key).string();
  const auto server = start(wanted);
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_FALSE(shelf.get(secret_path).has("data"));
  const k8s::Dynamic crd = shelf.get(crd_path);
  EXPECT_EQ(crd.text("spec.conversion.webhook.clientConfig.url"), wanted.address.url + "/convert");
  EXPECT_FALSE(crd.has("spec.conversion.webhook.clientConfig.caBundle"));
  EXPECT_EQ(status(wanted.address.url + "/livez", base64_encode(ca.certificate())), 200);
}

// What a newer release has registered: another version, which converters of this one do not reach.
TEST_F(WholeWebhook, IsNotReadyBeforeItReachesEveryVersionOnTheServerAndStaysReadyOnceItWas) {
  const auto of_newer_release = [&] {
    k8s::CustomResourceDefinition newer(shelf.get(crd_path).json());
    newer.set("spec.conversion.strategy", "Webhook");
    newer.set("spec.conversion.webhook.clientConfig.url", "https://127.0.0.1:1/convert");
    newer.set_annotation(release_annotation, "2.0.0");
    newer.append("spec.versions").set("name", "v2");
    return newer;
  };
  const k8s::CustomResourceDefinition own(shelf.get(crd_path).json());
  const fairway::testing::TestCa ca;
  const auto made = ca.server();
  const fairway::testing::TempDirectory folder;
  for (const bool of_somebody_else : {false, true}) {
    SCOPED_TRACE(of_somebody_else ? "certificates of somebody else" : "its own certificates");
    shelf.put(crd_path, of_newer_release());
    WebhookServerOptions wanted = options();
    wanted.look_every = std::chrono::milliseconds(100);
    if (of_somebody_else) {
      wanted.certificate_file = folder.write("tls.crt", made.certificate).string();
      wanted.key_file = folder.write("tls.key", made.key).string();
    }
    const auto server = start(wanted);
    ASSERT_TRUE(server) << server.error().message;
    const auto trusted = [&] {
      return of_somebody_else
                 ? base64_encode(ca.certificate())
                 : std::string(shelf.get(crd_path).text("spec.conversion.webhook.clientConfig.caBundle"));
    };
    EXPECT_EQ(status(wanted.address.url + "/readyz", trusted()), 503);
    EXPECT_EQ(status(wanted.address.url + "/livez", trusted()), 200);
    const std::string why = (*server)->not_ready().value_or("ready");
    EXPECT_TRUE(why.contains("Widget.widgets.example.com: there is no path from v1 to v2")) << why;
    EXPECT_TRUE(why.contains("from v2 to v1alpha1")) << why;
    EXPECT_EQ(shelf.get(crd_path).annotation(release_annotation), "2.0.0");
    // That release is taken back.
    k8s::CustomResourceDefinition back(shelf.get(crd_path).json());
    back.set("spec.versions", own.json().at("spec").at("versions"));
    shelf.put(crd_path, back);
    ASSERT_TRUE(eventually([&] { return !(*server)->not_ready(); }));
    EXPECT_EQ(status(wanted.address.url + "/readyz", trusted()), 200);
    // It comes again, and takes over: until it has, this one serves what it can.
    shelf.put(crd_path, of_newer_release());
    const int looks = shelf.reads(crd_path);
    ASSERT_TRUE(eventually([&] { return shelf.reads(crd_path) > looks + 6; }));
    EXPECT_EQ((*server)->not_ready(), std::nullopt);
    shelf.put(crd_path, own);
  }
}

TEST_F(WholeWebhook, PutsItsConfigurationsRightAndLeavesThoseOfANewerReleaseAlone) {
  WebhookServerOptions wanted = options();
  wanted.look_every = std::chrono::milliseconds(100);
  const auto server = start(wanted);
  ASSERT_TRUE(server) << server.error().message;
  for (const std::string& path : {mutating_path, validating_path}) {
    SCOPED_TRACE(path);
    const k8s::Dynamic own = shelf.get(path);
    EXPECT_EQ(own.annotation(release_annotation), "1.0.0");
    const auto webhook = [&](const k8s::Dynamic& of) { return json::to_text(of.json().at("webhooks")); };
    const auto with = [&](const char* key, json::Value value) {
      k8s::Dynamic changed = own;
      k8s::Editor(changed.array("webhooks").front().as_object()).set(key, std::move(value));
      return changed;
    };
    json::Value deletions = own.json().at("webhooks").at(0).at("rules");
    deletions.as_array().front().as_object()["operations"] = json::Array{"DELETE"};
    for (const k8s::Dynamic& by_hand : {with("failurePolicy", "Ignore"), with("rules", deletions)}) {
      shelf.put(path, by_hand);
      ASSERT_TRUE(eventually([&] { return webhook(shelf.get(path)) == webhook(own); }))
          << webhook(shelf.get(path));
    }
    // What somebody adds that nobody here speaks of stays, and is no reason to write.
    k8s::Dynamic added = with("timeoutSeconds", 5);
    shelf.put(path, added);
    const std::string version(shelf.get(path).resource_version());
    int reads = shelf.reads(path);
    ASSERT_TRUE(eventually([&] { return shelf.reads(path) > reads + 3; }));
    EXPECT_EQ(shelf.get(path).resource_version(), version);

    json::Value newer_rules = own.json().at("webhooks").at(0).at("rules");
    newer_rules.as_array().front().as_object()["apiVersions"] = json::Array{"v1", "v2"};
    k8s::Dynamic newer = with("rules", newer_rules);
    newer.set_annotation(release_annotation, "1.1.0");
    shelf.put(path, newer);
    reads = shelf.reads(path);
    ASSERT_TRUE(eventually([&] { return shelf.reads(path) > reads + 3; }));
    EXPECT_EQ(webhook(shelf.get(path)), webhook(newer)) << "by a replica that runs";
    ASSERT_TRUE(start(options()));
    EXPECT_EQ(webhook(shelf.get(path)), webhook(newer)) << "by one that starts";
    newer.set_annotation(release_annotation, "0.9.0");
    shelf.put(path, newer);
    ASSERT_TRUE(eventually([&] { return webhook(shelf.get(path)) == webhook(own); }));
  }
}

TEST_F(WholeWebhook, NamesTheServiceInFrontOfIt) {
  WebhookServerOptions wanted = options();
  wanted.address = {.service_namespace = "ns", .service_name = "webhook"};
  const auto server = start(wanted);
  ASSERT_TRUE(server) << server.error().message;
  const k8s::Dynamic configuration = shelf.get(mutating_path);
  EXPECT_EQ(json::to_text(configuration.items("webhooks").front().at("clientConfig.service").json()),
            R"({"namespace":"ns","name":"webhook","path":"/default","port":443})");
  const k8s::Secret secret(shelf.get(secret_path).json());
  const auto facts = http::read_certificates(secret.data("server-cert.pem").value_or(""), "the Secret");
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->front().names, std::vector<std::string>{"webhook.ns.svc"});
}

TEST_F(WholeWebhook, SaysWhyItDoesNotStart) {
  WebhookServerOptions wanted = options();
  wanted.address.url.clear();
  EXPECT_EQ(error_of(wanted),
            "nothing says how API servers reach the webhooks: name a Service, or give a URL");
  wanted.address.url = "http://127.0.0.1:1";
  EXPECT_EQ(error_of(wanted),
            "'http://127.0.0.1:1' does not begin with https://: API servers call webhooks by no other");
  wanted = options();
  wanted.listen = "nowhere";
  EXPECT_TRUE(error_of(wanted).contains("nowhere")) << error_of(wanted);
  shelf.before_write([&](const std::string& path) { return path == mutating_path ? 403 : 0; });
  EXPECT_TRUE(error_of(options()).contains("registering MutatingWebhookConfiguration " + name))
      << error_of(options());
  shelf.before_write([&](const std::string& path) { return path == crd_path ? 403 : 0; });
  EXPECT_TRUE(error_of(options()).contains("registering CustomResourceDefinition " + name))
      << error_of(options());
}

TEST(AdmissionRegistration, IsForKindsThatHaveSomethingToSay) {
  const auto definitions = widget_definitions();
  const auto kinds_planned = [&](Converters& converters) {
    std::vector<std::string> kinds;
    for (const auto& one : plan_admission(converters, definitions, {})) kinds.emplace_back(one.kind());
    return kinds;
  };
  Converters silent, defaulting, validating, other;
  testing::add_widgets(silent);
  testing::add_widgets(defaulting).defaults("v1", [](k8s::Dynamic&) {});
  testing::add_widgets(validating)
      .validates("v1beta1", [](const k8s::Dynamic&, const k8s::Dynamic*) -> Result<void> { return {}; });
  other.kind("other.example.com", "Widget").defaults("v1", [](k8s::Dynamic&) {});
  EXPECT_EQ(kinds_planned(silent), std::vector<std::string>{});
  EXPECT_EQ(kinds_planned(defaulting), std::vector<std::string>{"MutatingWebhookConfiguration"});
  EXPECT_EQ(kinds_planned(validating), std::vector<std::string>{"ValidatingWebhookConfiguration"});
  EXPECT_EQ(kinds_planned(other), std::vector<std::string>{});
}

}  // namespace
}  // namespace fairway::conversion
