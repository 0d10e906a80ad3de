// SPDX-License-Identifier: Apache-2.0

// A webhook server whole: what it serves, and what API servers are told of it.
#include "webhook/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>

#include "base/base64.h"
#include "base/file.h"
#include "http/certificates.h"
#include "http/client.h"
#include "kube/object_shelf.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_directory.h"
#include "webhook/crd_registration.h"

namespace fairway::webhook {
namespace {

using fairway::testing::eventually;

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

/// Converts Widgets between three versions, which it leaves as they are.
Handler convert_widgets() {
  Conversion conversion;
  conversion.converts = [](std::string_view group, std::string_view kind) {
    return group == "widgets.example.com" && kind == "Widget";
  };
  conversion.reaches = [](const k8s::CustomResourceDefinition& on_server) -> Result<void> {
    for (const auto& version : on_server.versions()) {
      if (version.name() != "v1alpha1" && version.name() != "v1beta1" && version.name() != "v1")
        return fail(ErrorCode::invalid, "there is no path to " + std::string(version.name()));
    }
    return {};
  };
  return {.path = "/convert",
          .answer = [](const http::Request&) { return http::Response::json(200, "{}"); },
          .max_body_bytes = max_conversion_bytes,
          .conversion = conversion};
}

AdmissionWebhook widgets_webhook(AdmissionWebhook::Kind kind) {
  AdmissionWebhook webhook;
  webhook.kind = kind;
  webhook.name = name;
  webhook.group = "widgets.example.com";
  webhook.versions = {"v1"};
  webhook.resources = {"widgets"};
  return webhook;
}

std::vector<Handler> handlers(metrics::Registry& metrics) {
  const auto allow = [](const AdmissionRequest&) { return AdmissionAnswer::allow(); };
  return {
      convert_widgets(),
      admission_handler("/default", allow, metrics, {widgets_webhook(AdmissionWebhook::Kind::mutating)}),
      admission_handler("/validate", allow, metrics, {widgets_webhook(AdmissionWebhook::Kind::validating)})};
}

class RunningWebhookServer : public ::testing::Test {
 protected:
  RunningWebhookServer() {
    k8s::CustomResourceDefinition established = definitions.front();
    for (const char* type : {"NamesAccepted", "Established"}) {
      k8s::Editor condition = established.append("status.conditions");
      condition.set("type", type);
      condition.set("status", "True");
    }
    shelf.put(crd_path, established);
  }

  ServerOptions options() const {
    const std::string address = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
    ServerOptions result;
    result.listen = address;
    result.address.url = "https://" + address;
    result.definitions = definitions;
    result.handlers = handlers(metrics);
    result.release = Version::parse("1.0.0").value();
    result.secret = {"ns", "certificates"};
    return result;
  }
  Result<std::unique_ptr<WebhookServer>> start(ServerOptions options) {
    return WebhookServer::start(shelf.client(Clock::system()), std::move(options));
  }
  std::string error_of(ServerOptions options) {
    const auto started = start(std::move(options));
    return started ? "none" : started.error().message;
  }
  /// Returns the status of a server's answer to a client that trusts this CA bundle (base64).
  static int status(const std::string& url, std::string_view ca_bundle) {
    return post(url, ca_bundle, "").status;
  }
  /// Returns the reply to a POST of this body, or to a GET without one.
  static http::Reply post(const std::string& url, std::string_view ca_bundle, const std::string& body) {
    const auto client =
        http::Client::create({.system_cas = false,
                              .ca_texts = {{base64_decode(ca_bundle).value_or(""), "caBundle"}},
                              .proxy_environment = false});
    if (!client) throw std::runtime_error(client.error().message);
    http::Call call;
    call.url = http::Url::parse(url).value();
    if (!body.empty()) {
      call.method = "POST";
      call.headers.set("Content-Type", "application/json");
      call.body = body;
    }
    call.limits.deadline = Clock::system().steady() + std::chrono::seconds(20);
    auto reply = (*client)->send(call);
    if (!reply) throw std::runtime_error(reply.error().message);
    return *std::move(reply);
  }

  kube::testing::ObjectShelf shelf;
  mutable metrics::Registry metrics;
  const std::vector<k8s::CustomResourceDefinition> definitions = widget_definitions();
};

TEST_F(RunningWebhookServer, IsServedByACertificateThatApiServersTrust) {
  const ServerOptions wanted = options();
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
  EXPECT_TRUE(metrics.text().contains("fairway_admission_reviews_total"));
}

TEST_F(RunningWebhookServer, SharesItsCertificatesWithOtherReplicasAndItselfLater) {
  const auto authority = [&] {
    return std::string(shelf.get(crd_path).text("spec.conversion.webhook.clientConfig.caBundle"));
  };
  std::string first;
  {
    const auto one = start(options());
    ASSERT_TRUE(one) << one.error().message;
    first = authority();
    ServerOptions second = options();
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

TEST_F(RunningWebhookServer, TakesCertificatesOfSomebodyElse) {
  const fairway::testing::TestCa ca;
  const auto made = ca.server();
  const fairway::testing::TempDirectory folder;
  ServerOptions wanted = options();
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

TEST_F(RunningWebhookServer, AnswersClientsOfItsCaAloneWhereItHasOne) {
  const fairway::testing::TestCa ca, clients("API servers"), others("others");
  const auto made = ca.server();
  const fairway::testing::TempDirectory folder;
  ServerOptions wanted = options();
  wanted.certificate_file = folder.write("tls.crt", made.certificate).string();
  wanted.key_file = folder.write("tls.key", made.key).string();
  wanted.client_ca_file = folder.write("clients.crt", clients.certificate()).string();
  const auto server = start(wanted);
  ASSERT_TRUE(server) << server.error().message;
  const auto ask = [&](const std::string& path, const fairway::testing::CertificateAndKey& known) {
    const auto client = http::Client::create({.system_cas = false,
                                              .ca_texts = {{ca.certificate(), "the server's CA"}},
                                              .certificate = known.certificate,
                                              .key = known.key,
                                              .proxy_environment = false})
                            .value();
    http::Call call;
    call.url = http::Url::parse(wanted.address.url + path).value();
    if (path != "/livez" && path != "/readyz") {
      call.method = "POST";
      call.headers.set("Content-Type", "application/json");
      call.body = "{}";
    }
    call.limits.deadline = Clock::system().steady() + std::chrono::seconds(20);
    const auto reply = client->send(call);
    return reply ? reply->status : 0;
  };
  for (const char* path : {"/livez", "/readyz"}) EXPECT_EQ(ask(path, {}), 200) << "probes have none";
  for (const auto& [path, status] : {std::pair{"/convert", 200}, std::pair{"/validate", 400}}) {
    EXPECT_EQ(ask(path, {}), 401) << path;
    EXPECT_EQ(ask(path, clients.client("kube-apiserver")), status) << path;
    EXPECT_EQ(ask(path, others.client("kube-apiserver")), 0) << "no handshake with " << path;
  }
  wanted.client_ca_file = (folder / "absent").string();
  wanted.listen = "127.0.0.1:0";
  EXPECT_TRUE(error_of(wanted).contains("CAs of clients"))
      << "nobody is let in because the file is not there";
}

// What a newer release has registered: another version, which converters of this one do not reach.
TEST_F(RunningWebhookServer, IsNotReadyBeforeItReachesEveryVersionOnTheServerAndStaysReadyOnceItWas) {
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
    ServerOptions wanted = options();
    wanted.check_interval = std::chrono::milliseconds(100);
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
    EXPECT_TRUE(why.contains("there is no path to v2")) << why;
    EXPECT_EQ(shelf.get(crd_path).annotation(release_annotation), "2.0.0");
    // That release is taken back.
    k8s::CustomResourceDefinition back(shelf.get(crd_path).json());
    back.set_json("spec.versions", own.json().at("spec").at("versions"));
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

// Definitions of several versions and of one, whoever makes the certificate.
TEST_F(RunningWebhookServer, RegistersEveryDefinitionThatSomebodyDeletes) {
  const std::string gadgets_path =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.widgets.example.com";
  std::vector<k8s::CustomResourceDefinition> both = definitions;
  k8s::CustomResourceDefinition& gadgets = both.emplace_back(definitions.front());
  gadgets.set_name("gadgets.widgets.example.com");
  gadgets.set_json("spec.names", json::Object{{"kind", "Gadget"}, {"plural", "gadgets"}});
  json::Array& versions = gadgets.array("spec.versions");
  versions.erase(versions.begin() + 1, versions.end());
  shelf.complete([](const std::string&, k8s::Dynamic& object) {
    if (object.kind() != "CustomResourceDefinition" || object.has("status.conditions")) return;
    for (const char* type : {"NamesAccepted", "Established"}) {
      k8s::Editor condition = object.append("status.conditions");
      condition.set("type", type);
      condition.set("status", "True");
    }
  });
  const fairway::testing::TestCa ca;
  const auto made = ca.server();
  const fairway::testing::TempDirectory folder;
  for (const bool of_somebody_else : {false, true}) {
    SCOPED_TRACE(of_somebody_else ? "a certificate of somebody else" : "its own certificate");
    shelf.remove(crd_path);
    shelf.remove(gadgets_path);
    FakeClock clock(parse_time("2026-03-01T12:00:00Z").value());
    ServerOptions wanted = options();
    wanted.definitions = both;
    if (of_somebody_else) {
      wanted.certificate_file = folder.write("tls.crt", made.certificate).string();
      wanted.key_file = folder.write("tls.key", made.key).string();
    }
    const auto server = WebhookServer::start(shelf.client(clock), wanted);
    ASSERT_TRUE(server) << server.error().message;
    for (const std::string& path : {crd_path, gadgets_path}) {
      SCOPED_TRACE(path);
      clock.wait_for_waiters(of_somebody_else ? 1 : 2);
      const std::string before = json::to_text(shelf.get(path).json().at("spec"));
      shelf.remove(path);
      clock.advance(wanted.check_interval);
      EXPECT_TRUE(shelf.wait_for(path, [&](const k8s::Dynamic& object) {
        return json::to_text(object.json().at("spec")) == before;
      }));
      clock.wait_for_waiters(of_somebody_else ? 1 : 2);
    }
  }
}

TEST_F(RunningWebhookServer, PutsItsConfigurationsRightAndLeavesThoseOfANewerReleaseAlone) {
  ServerOptions wanted = options();
  wanted.check_interval = std::chrono::milliseconds(100);
  const auto server = start(wanted);
  ASSERT_TRUE(server) << server.error().message;
  // Both before the loop: the replica that starts in it writes its own address for a moment.
  const k8s::Dynamic own_mutating = shelf.get(mutating_path), own_validating = shelf.get(validating_path);
  for (const std::string& path : {mutating_path, validating_path}) {
    SCOPED_TRACE(path);
    const k8s::Dynamic& own = path == mutating_path ? own_mutating : own_validating;
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

TEST_F(RunningWebhookServer, NamesTheServiceInFrontOfIt) {
  ServerOptions wanted = options();
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

TEST_F(RunningWebhookServer, SaysWhyItDoesNotStart) {
  ServerOptions wanted = options();
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

TEST_F(RunningWebhookServer, WaitsForAnApiServerThatIsNotThereYet) {
  for (const bool definitions_alone : {false, true}) {
    SCOPED_TRACE(definitions_alone ? "definitions alone" : "with handlers");
    shelf.remove(secret_path);
    std::atomic<int> refused = 0;
    shelf.before_write([&](const std::string&) { return refused++ < 2 ? 503 : 0; });
    FakeClock clock(parse_time("2026-03-01T12:00:00Z").value());
    ServerOptions wanted = options();
    if (definitions_alone) {
      wanted.handlers.clear();
      wanted.definitions.front().set("spec.conversion.strategy", "None");
    }
    auto starting = std::async(std::launch::async,
                               [&] { return WebhookServer::start(shelf.client(clock), std::move(wanted)); });
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(eventually([&] { return refused == round + 1; }));
      clock.wait_for_waiters(1);
      clock.advance(std::chrono::seconds(1));
    }
    const auto server = starting.get();
    ASSERT_TRUE(server) << server.error().message;
    EXPECT_GT(refused, 2);
  }
}

TEST_F(RunningWebhookServer, StopsWaitingForAnApiServer) {
  shelf.before_write([](const std::string&) { return 503; });
  FakeClock clock(parse_time("2026-03-01T12:00:00Z").value());
  std::stop_source stop;
  auto starting = std::async(std::launch::async, [&] {
    return WebhookServer::start(shelf.client(clock), options(), stop.get_token());
  });
  clock.wait_for_waiters(1);
  stop.request_stop();
  EXPECT_FALSE(starting.get());
}

TEST_F(RunningWebhookServer, PutsBackWhatSomebodyChangesOfADefinitionAndKeepsWhatOthersAdd) {
  FakeClock clock(parse_time("2026-03-01T12:00:00Z").value());
  const auto server = WebhookServer::start(shelf.client(clock), options());
  ASSERT_TRUE(server) << server.error().message;
  clock.wait_for_waiters(2);
  const k8s::Dynamic own = shelf.get(crd_path);
  // As a `kubectl apply` of the file without the stanza leaves it: objects would be stored unconverted.
  k8s::Dynamic changed = own;
  changed.set("spec.conversion", json::Object{{"strategy", "None"}});
  changed.set("metadata.annotations.note", "of somebody");
  shelf.put(crd_path, changed);
  clock.advance(std::chrono::seconds(30));
  ASSERT_TRUE(shelf.wait_for(crd_path, [&](const k8s::Dynamic& now) {
    return now.text("spec.conversion.webhook.clientConfig.caBundle") ==
           own.text("spec.conversion.webhook.clientConfig.caBundle");
  }));
  EXPECT_EQ(shelf.get(crd_path).annotation("note"), "of somebody");
}

TEST_F(RunningWebhookServer, DoesNotWriteBecauseTheServerFillsSomethingIn) {
  FakeClock clock(parse_time("2026-03-01T12:00:00Z").value());
  const auto server = WebhookServer::start(shelf.client(clock), options());
  ASSERT_TRUE(server) << server.error().message;
  clock.wait_for_waiters(2);
  k8s::Dynamic filled = shelf.get(crd_path);
  filled.set("spec.names.singular", "widget");
  shelf.put(crd_path, filled);
  const std::string version(shelf.get(crd_path).resource_version());
  for (int round = 0; round < 2; ++round) {
    clock.wait_for_waiters(2);
    const int reads = shelf.reads(crd_path);
    clock.advance(std::chrono::seconds(30));
    // Of who looks after the definitions, and of who keeps the certificates.
    ASSERT_TRUE(eventually([&] { return shelf.reads(crd_path) >= reads + 2; }));
  }
  clock.wait_for_waiters(2);
  EXPECT_EQ(shelf.get(crd_path).resource_version(), version);
}

// docs/webhooks.md
TEST_F(RunningWebhookServer, HostsAdmissionAlone) {
  ServerOptions wanted = options();
  wanted.definitions.clear();
  AdmissionWebhook pods;
  pods.name = "pods.limits.example.com";
  pods.versions = {"v1"};
  pods.resources = {"pods"};
  pods.operations = {"CREATE"};
  pods.namespace_selector = json::Object{{"matchLabels", json::Object{{"limits", "on"}}}};
  const auto limit = [](const AdmissionRequest& request) {
    const k8s::View pod(*request.object());
    if (pod.items("spec.containers").size() > 2)
      return AdmissionAnswer::deny(k8s::reason::forbidden, "at most 2 containers", "spec.containers");
    return AdmissionAnswer::allow();
  };
  wanted.handlers = {admission_handler("/pods", limit, metrics, {pods})};
  const auto server = start(wanted);
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_FALSE((*server)->not_ready());
  EXPECT_EQ(shelf.reads(crd_path), 0);
  const k8s::Dynamic configuration =
      shelf.get(admission + "validatingwebhookconfigurations/pods.limits.example.com");
  ASSERT_EQ(configuration.items("webhooks").size(), 1U);
  const k8s::View webhook = configuration.items("webhooks").front();
  EXPECT_EQ(json::to_text(*webhook.find("rules")),
            R"([{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}])");
  EXPECT_EQ(webhook.text("namespaceSelector.matchLabels.limits"), "on");
  EXPECT_EQ(webhook.text("failurePolicy"), "Fail");
  EXPECT_EQ(webhook.text("clientConfig.url"), wanted.address.url + "/pods");

  const auto ask = [&](int containers) {
    const json::Object pod{
        {"spec",
         json::Object{{"containers", json::Array(static_cast<std::size_t>(containers), json::Object{})}}}};
    for (const auto& [path, expected] : {std::pair{"/convert", 404}, {"/pods", 200}}) {
      const http::Reply reply =
          post(wanted.address.url + path, webhook.text("clientConfig.caBundle"),
               json::to_text(json::Object{
                   {"apiVersion", "admission.k8s.io/v1"},
                   {"kind", "AdmissionReview"},
                   {"request", json::Object{{"uid", "u"}, {"operation", "CREATE"}, {"object", pod}}}}));
      EXPECT_EQ(reply.status, expected) << reply.body;
      if (expected == 200) return json::parse(reply.body)->at("response").at("allowed").as_bool();
    }
    return false;
  };
  EXPECT_TRUE(ask(2));
  EXPECT_FALSE(ask(3));
}

TEST_F(RunningWebhookServer, SaysWhichHandlersAreMissingOrTwice) {
  ServerOptions wanted = options();
  wanted.handlers.erase(wanted.handlers.begin());
  EXPECT_EQ(error_of(wanted),
            "CustomResourceDefinition widgets.widgets.example.com has several versions, and no handler "
            "converts them: add one, or say spec.conversion.strategy: None where they have the same schema");
  wanted.definitions.front().set("spec.conversion.strategy", "None");
  EXPECT_EQ(error_of(wanted), "none");
  wanted = options();
  wanted.handlers.push_back(wanted.handlers.back());
  EXPECT_EQ(error_of(wanted),
            "two admission webhooks of one kind are called 'widgets.widgets.example.com': "
            "each has its own configuration");
}

}  // namespace
}  // namespace fairway::webhook
