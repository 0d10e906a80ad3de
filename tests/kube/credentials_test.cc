// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/credentials.h"

#include <gtest/gtest.h>

#include <thread>

#include "http/certificates.h"
#include "k8s/view.h"
#include "kube/client/client.h"
#include "kube/data.h"
#include "kube/internal/client/exec_plugin.h"
#include "kube/scripted_api.h"
#include "support/eventually.h"
#include "support/temp_directory.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using fairway::testing::TempDirectory;
using fairway::testing::TestCa;
using testing::ScriptedApi;

constexpr std::string_view version = "client.authentication.k8s.io/v1";

Limits soon(const Clock& clock, std::stop_token stop = {}) {
  return Limits::within(clock, 30s, std::move(stop));
}

/// Returns a plugin that runs a shell script.
ExecPlugin script(const std::string& text) {
  ExecPlugin plugin;
  plugin.api_version = version;
  plugin.command = "sh";
  plugin.args = {"-c", text};
  return plugin;
}

/// Returns a script that writes an ExecCredential with this `status`.
std::string answering(const std::string& status) {
  return "cat <<END\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + std::string(version) +
         "\",\"status\":" + status + "}\nEND\n";
}

json::Value exchange(std::string_view request, int status) {
  return json::Value{{"request", json::parse(request).value()},
                     {"reply", {{"status", status}, {"body", {{"apiVersion", "v1"}, {"kind", "Pod"}}}}}};
}

TEST(ExecCredential, IsReadAsTheTableSays) {
  for (const auto& row : fairway::testing::read_table(testing::data_path("exec_credentials.tsv"))) {
    const auto read = parse_exec_credential(row.at(0), script(""));
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    const std::string is = read ? or_dash(read->token) + " " + or_dash(read->certificate) + " " +
                                      or_dash(read->key) + " " +
                                      (read->expires ? format_time(*read->expires) : "-")
                                : "error: " + read.error().message;
    if (row.at(1).starts_with("error: ")) {
      EXPECT_TRUE(is.starts_with("error: ") && is.find(row.at(1).substr(7)) != std::string::npos) << is;
    } else {
      EXPECT_EQ(is, row.at(1)) << row.at(0);
    }
  }
}

TEST(ExecPlugin, IsToldOfTheClusterWhereItWantsToKnow) {
  ClientConfig config;
  config.server = "https://a:6443";
  config.ca = "CA";
  config.tls_server_name = "b";
  ExecPlugin plugin = script("");
  EXPECT_EQ(
      exec_info(plugin, config),
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
  plugin.provide_cluster_info = true;
  plugin.cluster_extension = R"({"audience":"x"})";
  EXPECT_EQ(
      exec_info(plugin, config),
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false,)"
      R"("cluster":{"server":"https://a:6443","tls-server-name":"b","certificate-authority-data":"Q0E=","config":{"audience":"x"}}}})");
}

TEST(ExecPlugin, IsRunWithItsEnvironment) {
  ClientConfig config;
  config.exec = script("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + std::string(version) +
                       "\",\"status\":{\"token\":\"'$A'\"}}'; test -n \"$KUBERNETES_EXEC_INFO\"");
  config.exec->env = {{"A", "b"}};
  const auto credential = run_exec_plugin(config, soon(Clock::system()), Clock::system());
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->token, "b");
}

TEST(ExecPlugin, FaultsNameUserProgramAndWhatToDo) {
  ClientConfig config;
  config.user_origin = "user 'u' of /f:3";
  config.exec = script("echo no luck >&2; exit 4");
  const auto message = [&] {
    return run_exec_plugin(config, soon(Clock::system()), Clock::system()).error().message;
  };
  EXPECT_EQ(
      message(),
      "user 'u' of /f:3: asking the exec plugin sh for credentials: it failed with exit code 4: no luck");
  config.exec = script("echo nonsense");
  EXPECT_NE(message().find("not JSON"), std::string::npos) << message();
  config.exec->command = "fairway-has-no-such-plugin";
  config.exec->install_hint = "install it from example.com";
  EXPECT_TRUE(message().ends_with("; install it from example.com")) << message();
  config.exec->interactive_mode = "Always";
  EXPECT_NE(message().find("wants a terminal"), std::string::npos) << message();
}

TEST(Credentials, ReadATokensFileEveryMinute) {
  const TempDirectory directory;
  ClientConfig config;
  config.token_file = directory.write("token", "one\n");
  FakeClock clock;
  Credentials credentials(config, clock);
  const auto shown = [&] { return credentials.current(soon(clock)).value().authorization; };
  EXPECT_EQ(shown(), "Bearer one");
  directory.write("token", "two");
  EXPECT_EQ(shown(), "Bearer one");
  clock.advance(60s);
  EXPECT_EQ(shown(), "Bearer two");
  // One that cannot be read leaves the last one in place.
  directory.write("token", " \n");
  clock.advance(60s);
  EXPECT_EQ(shown(), "Bearer two");
  std::filesystem::remove(config.token_file);
  clock.advance(60s);
  EXPECT_EQ(shown(), "Bearer two");
  directory.write("token", "three");
  EXPECT_TRUE(credentials.refused(credentials.current(soon(clock))->version));
  EXPECT_EQ(shown(), "Bearer three");
}

TEST(Credentials, NeedATokenOnceAtLeast) {
  ClientConfig config;
  config.user_origin = "user 'u' of /f:3";
  config.token_file = "/nowhere/token";
  FakeClock clock;
  const auto none = Credentials(config, clock).current(soon(clock));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::unauthenticated);
  EXPECT_NE(none.error().message.find("user 'u' of /f:3: reading the token"), std::string::npos)
      << none.error().message;
  config.token = "given";
  EXPECT_EQ(Credentials(config, clock).current(soon(clock))->authorization, "Bearer given");
}

TEST(Credentials, AskAProgramAgainWhenTheyExpireOrAreRefused) {
  const TempDirectory directory;
  const std::string count = directory.write("count", "");
  ClientConfig config;
  FakeClock clock(parse_time("2026-02-19T23:00:00Z").value());
  config.exec = script("echo >> '" + count + "'; n=$(wc -l < '" + count + "'); " +
                       answering(R"({"token":"t$n","expirationTimestamp":"2026-02-19T23:1$n:00Z"})"));
  Credentials credentials(config, clock);
  const auto shown = [&] { return credentials.current(soon(clock)).value().authorization; };
  EXPECT_EQ(shown(), "Bearer t1");
  clock.advance(10min);
  EXPECT_EQ(shown(), "Bearer t1");
  clock.advance(1min);
  EXPECT_EQ(shown(), "Bearer t2");
  const std::uint64_t old = credentials.current(soon(clock))->version;
  EXPECT_TRUE(credentials.refused(old));
  EXPECT_EQ(shown(), "Bearer t3");
  // Somebody else's news are old: the new ones were not refused.
  EXPECT_TRUE(credentials.refused(old));
  EXPECT_EQ(shown(), "Bearer t3");
}

TEST(Credentials, AreAskedForOnceByManyThreads) {
  const TempDirectory directory;
  const std::string count = directory.write("count", "");
  ClientConfig config;
  config.exec = script("echo >> '" + count + "'; sleep 0.1; n=$(wc -l < '" + count + "'); " +
                       answering(R"({"token":"t$n"})"));
  Credentials credentials(config, Clock::system());
  std::vector<std::string> shown(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& one : shown) {
      threads.emplace_back([&] { one = credentials.current(soon(Clock::system())).value().authorization; });
    }
  }
  EXPECT_EQ(shown, std::vector<std::string>(4, "Bearer t1"));
}

TEST(Credentials, AreNotWaitedForTooLong) {
  const TempDirectory directory;
  const std::string begun = directory.text() + "/begun";
  ClientConfig config;
  config.exec = script("echo > '" + begun + "'; sleep 60");
  FakeClock clock;
  Credentials credentials(config, clock);
  std::stop_source stop;
  std::optional<ErrorCode> first;
  std::jthread asker([&] { first = credentials.current(soon(clock, stop.get_token())).error().code; });
  EXPECT_TRUE(fairway::testing::eventually([&] { return std::filesystem::exists(begun); }));
  std::optional<ErrorCode> second;
  std::jthread waiter([&] { second = credentials.current(soon(clock)).error().code; });
  clock.wait_for_waiters(1);
  clock.advance(30s);
  waiter.join();
  EXPECT_EQ(second, ErrorCode::deadline_exceeded);
  stop.request_stop();
  EXPECT_EQ(credentials.current(soon(clock, stop.get_token())).error().code, ErrorCode::cancelled);
  asker.join();
  EXPECT_EQ(first, ErrorCode::cancelled);
}

TEST(Client, ShowsNewCredentialsOnceAfterA401) {
  const TempDirectory directory;
  const std::string count = directory.write("count", "");
  const ScriptedApi server({exchange(R"({"headers":{"Authorization":"Bearer t1"}})", 401),
                            exchange(R"({"headers":{"Authorization":"Bearer t2"}})", 200),
                            exchange(R"({"headers":{"Authorization":"Bearer t2"}})", 401),
                            exchange(R"({"headers":{"Authorization":"Bearer t3"}})", 401)});
  ClientConfig config;
  config.server = server.url();
  config.exec =
      script("echo >> '" + count + "'; n=$(wc -l < '" + count + "'); " + answering(R"({"token":"t$n"})"));
  const auto client = Client::create(config);
  ASSERT_TRUE(client) << client.error().message;
  const auto get = [&] { return (*client)->get({"", "v1", "pods"}, {"a", "b"}); };
  EXPECT_TRUE(get());
  const auto refused = get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
  EXPECT_EQ(server.faults(), "");
}

TEST(Client, DoesNotTryAgainWhereThereIsNothingElseToShow) {
  const ScriptedApi server({exchange(R"({"headers":{"Authorization":"Bearer t"}})", 401)});
  ClientConfig config;
  config.server = server.url();
  config.token = "t";
  const auto client = Client::create(config);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE((*client)->get({"", "v1", "pods"}, {"a", "b"}).error().is(k8s::reason::unauthorized));
  EXPECT_EQ(server.faults(), "");
}

TEST(Client, SpeaksTlsWithWhatTheConfigurationHas) {
  const TestCa ca;
  const TempDirectory directory;
  const auto serving = ca.server("DNS:kubernetes.default");
  http::TlsServerOptions tls;
  tls.certificate_file = directory.write("tls.crt", serving.certificate);
  tls.key_file = directory.write("tls.key", serving.key);
  tls.client_ca_file = directory.write("clients.crt", ca.certificate());
  const ScriptedApi server(
      {exchange(R"({"subject":"CN=alice"})", 200), exchange(R"({"subject":"CN=alice"})", 200),
       exchange(R"({"subject":"CN=bob"})", 200), exchange(R"({"subject":""})", 200)},
      tls);
  const auto alice = ca.client("alice"), bob = ca.client("bob");
  ClientConfig config;
  config.server = "https://" + server.address();
  config.cluster_origin = "the test's cluster";
  config.tls_server_name = "kubernetes.default";
  config.ca = ca.certificate();
  config.certificate = alice.certificate;
  config.key = alice.key;
  const auto get = [](const ClientConfig& how) -> ApiResult<k8s::Dynamic> {
    auto client = Client::create(how);
    if (!client) return std::unexpected(ApiError(client.error()));
    return (*client)->get({"", "v1", "pods"}, {"a", "b"});
  };
  EXPECT_TRUE(get(config));

  ClientConfig files = config;
  files.ca.clear();
  files.certificate.clear();
  files.key.clear();
  files.ca_file = directory.write("ca.crt", ca.certificate());
  files.certificate_file = directory.write("alice.crt", alice.certificate);
  files.key_file = directory.write("alice.key", alice.key);
  EXPECT_TRUE(get(files));

  // A program's certificate.
  directory.write("bob.json", json::to_text(json::Value{{"clientCertificateData", bob.certificate},
                                                        {"clientKeyData", bob.key}}));
  ClientConfig plugin = config.anonymous();
  plugin.exec = script("printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + std::string(version) +
                       "\",\"status\":'; cat '" + directory.text() + "/bob.json'; echo '}'");
  const auto by_plugin = get(plugin);
  EXPECT_TRUE(by_plugin) << by_plugin.error().message;
  EXPECT_TRUE(get(config.anonymous()));
  EXPECT_EQ(server.faults(), "");

  ClientConfig other = config;
  other.tls_server_name.clear();
  EXPECT_EQ(get(other).error().code, ErrorCode::unavailable);
  other = config;
  other.ca = TestCa("another").certificate();
  EXPECT_EQ(get(other).error().code, ErrorCode::unavailable);
  other.ca = "nonsense";
  EXPECT_NE(get(other).error().message.find("the test's cluster: certificate-authority-data"),
            std::string::npos);
}

}  // namespace
}  // namespace fairway::kube
