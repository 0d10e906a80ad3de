// SPDX-License-Identifier: Apache-2.0

// `fairway serve` as a process: flags, signals, restarts.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "base/pattern.h"
#include "base/text.h"
#include "e2e/docker_registry.h"
#include "http/certificates.h"
#include "http/client.h"
#include "support/eventually.h"
#include "support/generous.h"
#include "support/small_graph.h"
#include "support/temp_directory.h"
#include "updateservice/running_service.h"

namespace fairway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Process;
using updateservice::testing::send_request;
using updateservice::testing::TestReply;

class Serve : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [path, text] : testing::small_graph_data()) directory.write("graph-data/" + path, text);
    directory.write("releases.json", testing::small_release_list());
  }

  void start(const std::vector<std::string>& flags = {}) {
    log = (directory / ("log" + std::to_string(++starts))).string();
    started = std::chrono::steady_clock::now();
    std::vector<std::string> command{FAIRWAY_BINARY,    "serve",
                                     "--releases",      (directory / "releases.json").string(),
                                     "--graph-data",    (directory / "graph-data").string(),
                                     "--listen",        "127.0.0.1:0",
                                     "--status-listen", "127.0.0.1:0",
                                     "--data",          (directory / "data").string()};
    command.insert(command.end(), flags.begin(), flags.end());
    process.emplace(command, log);
    address = word_after(log, "address=");
    status_address = word_after(log, "status=");
  }

  /// Waits until `key` is in the log, and returns the word behind it.
  std::string word_after(const std::string& log, const std::string& key) {
    while (std::chrono::steady_clock::now() < started + testing::generous(seconds(10))) {
      const std::string text = read_file(log).value_or("");
      const std::size_t at = text.find(key);
      const std::size_t end = text.find_first_of("/ \n", at);
      if (at != std::string::npos && end != std::string::npos)
        return text.substr(at + key.size(), end - at - key.size());
      std::this_thread::sleep_for(milliseconds(1));
    }
    ADD_FAILURE() << read_file(log).value_or("");
    return "127.0.0.1:1";
  }

  TestReply get(const std::string& path) { return send_request(address, "GET", "/api/upgrades_info" + path); }

  template <class Good>
  TestReply get_until(const std::string& path, Good good) {
    const auto limit = std::chrono::steady_clock::now() + testing::generous(seconds(10));
    TestReply reply = get(path);
    while (!good(reply) && std::chrono::steady_clock::now() < limit) reply = get(path);
    EXPECT_TRUE(good(reply)) << reply.status << reply.body;
    return reply;
  }

  static bool is_ok(const TestReply& reply) { return reply.status == 200; }

  testing::TempDirectory directory;
  std::optional<Process> process;
  std::string address, status_address, log;
  std::chrono::steady_clock::time_point started;
  int starts = 0;
};

TEST_F(Serve, EndsWellOnATerm) {
  start();
  get_until("/graph?channel=stable-4.7", is_ok);
  const int status = process->end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Serve, TakesUpAChangedFolderSoon) {
  start();
  const TestReply before = get_until("/graph?channel=stable-4.7", is_ok);
  const auto changed = std::chrono::steady_clock::now();
  directory.write("graph-data/blocked-edges/4.7.4-b.yaml", "to: 4.7.4\nfrom: 4[.]7[.]0[+].*\n");
  const TestReply after = get_until("/graph?channel=stable-4.7",
                                    [&](const TestReply& reply) { return reply.body != before.body; });
  EXPECT_LT(std::chrono::steady_clock::now() - changed, testing::generous(seconds(2)));
  EXPECT_EQ(get("/changes?channel=stable-4.7&since=" + before.header("ETag")).status, 200);
}

TEST_F(Serve, AnswersSoonAfterARestartWhileItsSourcesAreGone) {
  start();
  const TestReply before = get_until("/graph?channel=stable-4.7", is_ok);
  process->end(SIGTERM);
  std::filesystem::remove_all(directory / "graph-data");
  std::filesystem::remove(directory / "releases.json");
  start();
  const TestReply after = get("/graph?channel=stable-4.7");
  EXPECT_LT(std::chrono::steady_clock::now() - started, testing::generous(seconds(2)));
  EXPECT_EQ(after.body, before.body);
  EXPECT_NE(after.header("Fairway-Graph-Age"), "");
  EXPECT_EQ(send_request(status_address, "GET", "/readyz").status, 200);
}

TEST_F(Serve, LosesNothingWhenItIsKilled) {
  start();
  const TestReply before = get_until("/graph?channel=stable-4.7", is_ok);
  // The graph is on disk once the last file of three is.
  while (!std::filesystem::exists(directory / "data/last-good/last-good"))
    std::this_thread::sleep_for(milliseconds(1));
  process->end(SIGKILL);
  std::filesystem::remove(directory / "releases.json");
  start();
  EXPECT_EQ(get("/graph?channel=stable-4.7").body, before.body);
}

TEST_F(Serve, ReloadsOnAHangup) {
  start();
  get_until("/graph?channel=stable-4.7", is_ok);
  std::string list = testing::small_release_list();
  list.replace(list.find("4.7.0\",\"previous"), 5, "4.7.1");
  directory.write("releases.json", list);
  process->signal(SIGHUP);
  get_until("/graph?channel=stable-4.7",
            [](const TestReply& reply) { return reply.body.find("\"4.7.0\"") == std::string::npos; });
}

/// Returns the reply over TLS to a client that trusts one CA alone; status 0 if it does not trust the server.
TestReply get_over_tls(const std::string& address, const testing::TestCa& ca, const std::string& path) {
  const auto client = http::Client::create({.system_cas = false,
                                            .ca_texts = {{ca.certificate(), "the test's CA"}},
                                            .proxy_environment = false})
                          .value();
  http::Call call;
  call.url = http::Url::parse("https://" + address + "/api/upgrades_info" + path).value();
  call.limits.deadline = Clock::system().steady() + testing::generous(seconds(10));
  const auto reply = client->send(call);
  return reply ? TestReply{.status = reply->status, .headers = {}, .body = reply->body} : TestReply{};
}

TEST_F(Serve, ReadsItsCertificateAgainAtOnceAndSaysHowThatWent) {
  const testing::TestCa first, second;
  const auto write = [&](const std::string& folder, const testing::CertificateAndKey& made) {
    directory.write(folder + "/tls.crt", made.certificate);
    directory.write(folder + "/tls.key", made.key);
  };
  write("one", first.server());
  write("two", second.server());
  write("broken", {"no certificate", "no key"});
  // As Kubernetes swaps the files of a mounted Secret.
  const auto point_to = [&](const std::string& folder) {
    std::filesystem::create_directory_symlink(folder, directory / "next");
    std::filesystem::rename(directory / "next", directory / "tls");
  };
  point_to("one");
  start({"--tls-cert", (directory / "tls/tls.crt").string(), "--tls-key",
         (directory / "tls/tls.key").string()});
  const auto eventually = [](const auto& holds) { return testing::eventually(holds); };
  const auto failed = [&] {
    return send_request(status_address, "GET", "/metrics")
        .body.contains("fairway_reloads_total{result=\"failed\"} 1");
  };
  const auto told = [&](const testing::TestCa& ca) {
    return get_over_tls(address, ca, "/problems").body.contains("the certificate could not be taken up");
  };
  ASSERT_TRUE(eventually([&] { return get_over_tls(address, first, "/problems").status == 200; }));
  EXPECT_EQ(get_over_tls(address, second, "/problems").status, 0);

  point_to("two");
  EXPECT_TRUE(eventually([&] { return get_over_tls(address, second, "/problems").status == 200; }));
  EXPECT_EQ(get_over_tls(address, first, "/problems").status, 0);
  EXPECT_TRUE(eventually([&] { return read_file(log)->contains("the certificate was read again"); }));
  EXPECT_FALSE(failed());

  point_to("broken");
  EXPECT_TRUE(eventually(failed));
  EXPECT_TRUE(eventually([&] { return told(second); })) << "the old one is still served";
  EXPECT_TRUE(read_file(log)->contains("the certificate could not be taken up"));

  point_to("one");
  EXPECT_TRUE(
      eventually([&] { return get_over_tls(address, first, "/problems").status == 200 && !told(first); }));
}

}  // namespace
}  // namespace fairway
