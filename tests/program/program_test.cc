// SPDX-License-Identifier: Apache-2.0

// An operator's program by the parts that it has.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "http/client.h"
#include "k8s/core.h"
#include "k8s/lease.h"
#include "k8s/webhook_configuration.h"
#include "program/running_operator.h"
#include "support/eventually.h"
#include "support/process.h"

namespace fairway::program {
namespace {

using testing::Ended;
using testing::Running;
using testing::World;

/// Returns the status of a port's reply; 0 if there is none.
int status_of(const std::string& url, std::string* body = nullptr) {
  const auto client = http::Client::create({.system_cas = false, .proxy_environment = false}).value();
  http::Call call;
  call.url = http::Url::parse(url).value();
  call.limits.deadline = Clock::system().steady() + std::chrono::seconds(20);
  const auto reply = client->send(call);
  if (reply && body != nullptr) *body = reply->body;
  return reply ? reply->status : 0;
}

Ended help_of(const std::string& parts) {
  return Running({"operate", parts, "--help"}).end(0);
}

class Program : public ::testing::Test {
 protected:
  /// The flags that all of these need, and more.
  std::vector<std::string> operate(const std::string& parts, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"operate",         parts,
                                 "--kubeconfig",    world.kubeconfig,
                                 "--status-listen", "127.0.0.1:" + std::to_string(status_port)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string status(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(status_port) + path;
  }
  /// Flags of webhooks that nobody has to reach.
  static std::vector<std::string> webhook_flags() {
    const std::string address = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
    return {"--listen", address, "--webhook-url", "https://" + address};
  }

  World world;
  const int status_port = fairway::testing::free_loopback_port();
};

TEST_F(Program, RunsControllersAloneWithoutServerSecretOrDefinition) {
  Running running(operate("controllers"));
  world.make_map("one");
  EXPECT_EQ(world.greeting_of("one"), "hello");
  EXPECT_EQ(status_of(status("/livez")), 200);
  EXPECT_EQ(status_of(status("/readyz")), 200);
  std::string metrics;
  EXPECT_EQ(status_of(status("/metrics"), &metrics), 200);
  EXPECT_TRUE(metrics.contains("copies")) << metrics;
  EXPECT_TRUE(world.has(k8s::Lease::resource, {"home", "tiny"}));
  const Ended ended = running.end();
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_TRUE(ended.output.ends_with(" info stopped")) << ended.output;
  EXPECT_FALSE(ended.output.contains("serving webhooks")) << ended.output;
  for (const char* part : {"/secrets", "/customresourcedefinitions", "webhookconfigurations"})
    EXPECT_FALSE(world.was_asked(part)) << part;
  // The Lease is given back.
  const auto lease = world.client->get(k8s::Lease::resource.group_version_resource(), {"home", "tiny"});
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->text("spec.holderIdentity"), "");
}

TEST_F(Program, WithKindsServesTheirWebhooksAndRegistersThem) {
  Running running(operate("kinds", webhook_flags()));
  EXPECT_NE(running.line_with("serving webhooks"), "");
  EXPECT_TRUE(world.has(k8s::CustomResourceDefinition::resource, {"", "gadgets.example.com"}));
  EXPECT_TRUE(world.has(k8s::Secret::resource, {"home", "tiny-certificates"}));
  const Ended ended = running.end();
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
}

TEST_F(Program, QuarantinesTheKindsOfTheFlagAndGuardsThem) {
  for (const char* flag : {"--quarantine", "--quarantine=Gadget.example.com", "--quarantine=true"}) {
    SCOPED_TRACE(flag);
    std::vector<std::string> flags{flag};  // without a value, more flags follow it
    for (const std::string& more : webhook_flags()) flags.push_back(more);
    Running running(operate("kinds", flags));
    EXPECT_NE(running.line_with("serving webhooks"), "");
    const auto guard =
        world.client->get(k8s::ValidatingWebhookConfiguration::resource.group_version_resource(),
                          {"", "quarantine.gadgets.example.com"});
    ASSERT_TRUE(guard) << guard.error().message;
    const k8s::View webhook = guard->items("webhooks").front();
    EXPECT_EQ(webhook.text("failurePolicy"), "Fail");
    const k8s::View rule = webhook.items("rules").front();
    EXPECT_EQ(rule.texts("resources"), (std::vector<std::string_view>{"gadgets", "gadgets/status"}));
    EXPECT_EQ(rule.texts("apiVersions"), std::vector<std::string_view>{"*"});
    EXPECT_EQ(running.end().exit_code, 0);
    EXPECT_TRUE(world.client->remove(k8s::ValidatingWebhookConfiguration::resource.group_version_resource(),
                                     {"", "quarantine.gadgets.example.com"}));
  }
  const Ended refused = Running(operate("kinds", {"--quarantine=Gizmo.example.com"})).end(0);
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_TRUE(
      refused.output.contains("--quarantine Gizmo.example.com: there is no such kind; there are "
                              "Gadget.example.com"))
      << refused.output;
  // As of a variable that is not set: it would quarantine all.
  const Ended empty = Running(operate("kinds", {"--quarantine="})).end(0);
  EXPECT_EQ(empty.exit_code, 2) << empty.output;
  EXPECT_TRUE(empty.output.contains("--quarantine: its value is empty")) << empty.output;
  EXPECT_FALSE(help_of("controllers").output.contains("--quarantine"));
}

TEST_F(Program, RecordsAnEventAboutAQuarantinedObject) {
  std::vector<std::string> flags{"--quarantine"};
  const std::vector<std::string> webhook = webhook_flags();
  flags.insert(flags.end(), webhook.begin(), webhook.end());
  Running running(operate("kinds", flags));
  EXPECT_NE(running.line_with("serving webhooks"), "");
  const auto definition = world.client->get(k8s::CustomResourceDefinition::resource.group_version_resource(),
                                            {"", "gadgets.example.com"});
  ASSERT_TRUE(definition);
  const auto bundle = base64_decode(definition->text("spec.conversion.webhook.clientConfig.caBundle"));
  ASSERT_TRUE(bundle);
  const auto client =
      http::Client::create(
          {.system_cas = false, .ca_texts = {{*bundle, "the definition"}}, .proxy_environment = false})
          .value();
  http::Call call;
  call.method = "POST";
  call.url = http::Url::parse("https://" + webhook[1] + "/convert").value();
  call.headers.set("Content-Type", "application/json");
  call.body =
      R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u",)"
      R"("desiredAPIVersion":"example.com/v1","objects":[{"apiVersion":"example.com/v1beta1",)"
      R"("kind":"Gadget","metadata":{"name":"g","namespace":"shop","uid":"1"},"spec":{"broken":true}}]}})";
  // It fails as without quarantine until the guard was seen on the API server.
  const auto is_quarantined = [&] {
    call.limits.deadline = Clock::system().steady() + std::chrono::seconds(20);
    const auto reply = client->send(call);
    return reply && reply->body.contains("conversion.fairway.dev/quarantined");
  };
  ASSERT_TRUE(fairway::testing::eventually(is_quarantined));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_quarantined());
  const auto events = k8s::Event::resource.group_version_resource();
  std::vector<k8s::Dynamic> found;
  EXPECT_TRUE(fairway::testing::eventually([&] {
    found = world.client->list(events, "shop")->items;
    return !found.empty();
  }));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].text("reason"), "Quarantined");
  EXPECT_EQ(found[0].text("involvedObject.kind"), "Gadget");
  EXPECT_EQ(found[0].text("involvedObject.name"), "g");
  EXPECT_TRUE(found[0].text("message").starts_with(
      "it does not convert (v1beta1 to v1), and is served without its content: spec.broken: it has no v1"))
      << found[0].text("message");
  EXPECT_EQ(running.end().exit_code, 0);
}

TEST_F(Program, WithDefinitionsAloneRegistersThemAndServesNothing) {
  Running running(operate("definitions,controllers"));
  world.make_map("one");
  EXPECT_EQ(world.greeting_of("one"), "hello");
  EXPECT_TRUE(world.has(k8s::CustomResourceDefinition::resource, {"", "gizmos.example.com"}));
  const Ended ended = running.end();
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_FALSE(ended.output.contains("serving webhooks")) << ended.output;
  EXPECT_FALSE(world.was_asked("/secrets"));
}

TEST_F(Program, WithAdmissionAloneRegistersItsConfiguration) {
  Running running(operate("admission", webhook_flags()));
  EXPECT_NE(running.line_with("serving webhooks"), "");
  EXPECT_TRUE(world.has(k8s::ValidatingWebhookConfiguration::resource, {"", "maps.tiny.example.com"}));
  EXPECT_FALSE(world.was_asked("/customresourcedefinitions"));
  EXPECT_EQ(running.end().exit_code, 0);
}

TEST_F(Program, LeadsWithoutALeaseWhereItIsToldTo) {
  for (const auto& [parts, more] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"controllers", {"--leader-elect=false"}}, {"controllers,alone", {}}}) {
    SCOPED_TRACE(parts);
    Running running(operate(parts, more));
    const std::string name = parts == "controllers" ? "one" : "two";
    world.make_map(name);
    EXPECT_EQ(world.greeting_of(name), "hello");
    EXPECT_EQ(running.end().exit_code, 0);
    EXPECT_FALSE(world.was_asked("/leases"));
  }
}

TEST_F(Program, HasTheFlagsOfItsPartsOnly) {
  struct Case {
    std::string parts, flag;
    bool there;
  };
  for (const auto& [parts, flag, there] : std::vector<Case>{{"controllers", "--listen", false},
                                                            {"definitions", "--listen", false},
                                                            {"kinds", "--listen", true},
                                                            {"admission", "--tls-cert", true},
                                                            {"controllers", "--lease", true},
                                                            {"controllers,alone", "--lease", false},
                                                            {"controllers,alone", "--leader-elect", false},
                                                            {"controllers", "--greeting", false},
                                                            {"controllers,flags", "--greeting", true},
                                                            {"controllers", "convert", false},
                                                            {"admission", "convert", false},
                                                            {"kinds", "convert", true}}) {
    SCOPED_TRACE(parts);
    const Ended help = help_of(parts);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.output.contains("  " + flag + " "), there) << help.output;
  }
  const Ended refused = Running(operate("controllers", {"--tls-cert", "x"})).end(0);
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
}

TEST_F(Program, TakesEachSettingFromTheFlagElseTheEnvironmentElseTheFile) {
  const std::string file =
      world.folder.write("tiny.toml", "greeting = \"from the file\"\nleader-elect = false\n").string();
  struct Case {
    std::string name, flag, variable, expected;
  };
  for (const auto& [name, flag, variable, expected] :
       std::vector<Case>{{"file", "", "", "from the file"},
                         {"variable", "", "from the environment", "from the environment"},
                         {"flag", "from the flag", "from the environment", "from the flag"},
                         {"empty-variable", "", "none", "from the file"}}) {
    SCOPED_TRACE(name);
    std::vector<std::string> more{"--config", file};
    if (!flag.empty()) more.insert(more.end(), {"--greeting", flag});
    if (!variable.empty()) setenv("TINY_GREETING", variable == "none" ? "" : variable.c_str(), 1);
    Running running(operate("controllers,flags", more));
    unsetenv("TINY_GREETING");
    world.make_map(name);
    EXPECT_EQ(world.greeting_of(name), expected);
    EXPECT_EQ(running.end().exit_code, 0);
  }
  EXPECT_FALSE(world.was_asked("/leases"));
  // The file may be named by the environment, too.
  setenv("TINY_CONFIG", file.c_str(), 1);
  Running running(operate("controllers,flags"));
  unsetenv("TINY_CONFIG");
  world.make_map("named");
  EXPECT_EQ(world.greeting_of("named"), "from the file");
  EXPECT_EQ(running.end().exit_code, 0);
}

TEST_F(Program, RefusesSettingsThatItDoesNotKnow) {
  const std::string unknown = world.folder.write("unknown.toml", "greting = \"hello\"\n").string();
  struct Case {
    std::vector<std::string> flags;
    std::string says;
  };
  for (const auto& [flags, says] : std::vector<Case>{
           {{"--config", unknown}, "error: the file of --config has a key that is no setting: greting"},
           {{"--config", world.folder / "nowhere.toml"}, "error: "},
           {{"--greting", "x"}, "error: "},
           {{"--log-format", "xml"}, "error: "},
           {{"--leader-elect=maybe"}, "error: "}}) {
    SCOPED_TRACE(flags.front());
    const Ended ended = Running(operate("controllers,flags", flags)).end(0);
    EXPECT_EQ(ended.exit_code, 2) << ended.output;
    EXPECT_TRUE(ended.output.starts_with(says)) << ended.output;
  }
  setenv("TINY_CONFIG", (world.folder / "nowhere.toml").c_str(), 1);
  const Ended ended = Running(operate("controllers,flags")).end(0);
  unsetenv("TINY_CONFIG");
  EXPECT_EQ(ended.exit_code, 2) << ended.output;
}

TEST_F(Program, WritesItsLogAsJsonWhereItIsToldTo) {
  Running running(operate("controllers", {"--log-format=json"}));
  world.make_map("one");
  EXPECT_EQ(world.greeting_of("one"), "hello");
  const Ended ended = running.end();
  EXPECT_EQ(ended.exit_code, 0);
  const auto lines = split(ended.output, '\n');
  EXPECT_GT(lines.size(), 1U);
  for (const std::string_view line : lines) EXPECT_TRUE(json::parse(line)) << line;
}

TEST_F(Program, IsACommandOfAnotherProgram) {
  const Ended list = Running({"command", "controllers,flags,kinds", "--help"}).end(0);
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_TRUE(list.output.contains("  greet ")) << list.output;
  const Ended help = Running({"command", "controllers,flags,kinds", "greet", "--help"}).end(0);
  for (const char* flag : {"--greeting", "--listen", "--lease", "--status-listen", "--log-format"})
    EXPECT_TRUE(help.output.contains(flag)) << flag;

  // Its settings are those of that program: a section of its file, its variables.
  const std::string file =
      world.folder
          .write("tool.toml",
                 "[greet]\ngreeting = \"from the section\"\nkubeconfig = \"" + world.kubeconfig + "\"\n")
          .string();
  setenv("TOOL_STATUS_LISTEN", ("127.0.0.1:" + std::to_string(status_port)).c_str(), 1);
  Running running({"command", "controllers,flags", "--config", file, "greet"});
  unsetenv("TOOL_STATUS_LISTEN");
  world.make_map("one");
  EXPECT_EQ(world.greeting_of("one"), "from the section");
  EXPECT_EQ(status_of(status("/readyz")), 200);
  EXPECT_EQ(running.end().exit_code, 0);
}

TEST_F(Program, ConvertsInsteadOfOperatingWhereThatIsAsked) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto object =
      world.folder.write("gadget.yaml", "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: one}\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"operate", "kinds", "convert", "v1beta1"},
        std::vector<std::string>{"command", "kinds", "greet", "convert", "v1beta1"}}) {
    SCOPED_TRACE(command.front());
    std::vector<std::string> shell{"/bin/sh", "-c", "exec \"$0\" \"$@\" <" + object.string(), own};
    shell.insert(shell.end(), command.begin(), command.end());
    const auto output = world.folder / command.front();
    fairway::testing::Process process(shell, output.string());
    const int status = process.wait();
    const std::string said = read_file(output).value();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << said;
    EXPECT_TRUE(said.contains("\"apiVersion\": \"example.com/v1beta1\"")) << said;
    EXPECT_FALSE(world.was_asked("/"));
  }
}

}  // namespace
}  // namespace fairway::program
