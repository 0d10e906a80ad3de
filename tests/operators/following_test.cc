// SPDX-License-Identifier: Apache-2.0

// `fairway adm upgrade --wait` beside the operator that it follows.
#include <sys/wait.h>

#include <csignal>

#include "base/text.h"
#include "operators/updating_case.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::Process;

/// A client that follows an update, and what it has printed.
class Client {
 public:
  Client(const fairway::testing::TempDirectory& folder, const std::string& name,
         const std::vector<std::string>& flags)
      : output_((folder / name).string()), process_(command(folder, flags), output_) {}

  std::string printed() const { return read_file(output_).value_or(""); }
  bool prints(const std::string& text) const {
    return eventually([&] { return printed().contains(text); });
  }
  /// Returns the exit code; -1: it has not ended by itself.
  int exit_code() {
    if (!eventually([&] { return !process_.running(); })) return -1;
    const int status = process_.wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void interrupt() const { process_.signal(SIGINT); }

 private:
  static std::vector<std::string> command(const fairway::testing::TempDirectory& folder,
                                          const std::vector<std::string>& flags) {
    std::vector<std::string> all{FAIRWAY_BINARY, "adm", "upgrade", "--kubeconfig",
                                 (folder / "kubeconfig").string()};
    all.insert(all.end(), flags.begin(), flags.end());
    return all;
  }
  const std::string output_;
  Process process_;
};

class Following : public Updating {
 protected:
  void add_releases() {
    add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
    add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "2")}, {"0000_20_b_1.yaml", deployment}});
    add_release("4.6.25", {{"0000_10_a_1.yaml", map_yaml("a", "3")}});
    add_release("4.9.0", {{"0000_10_a_1.yaml", map_yaml("a", "9")}});
  }
  Client client(const std::string& name, const std::vector<std::string>& flags) const {
    return {folder_, name, flags};
  }
};

constexpr const char* waits = "Working towards 4.6.24: 1 of 2 done (50% complete), waiting on deployment";

TEST_F(Following, FollowsAnUpdateFromItsRequestToItsEnd) {
  add_releases();
  begin();
  Client lines = client("lines", {"--to", "4.6.24", "--wait"});
  ASSERT_TRUE(lines.prints(waits)) << lines.printed() << why();
  EXPECT_TRUE(lines.printed().starts_with("Requested update to 4.6.24\n")) << lines.printed();
  Client documents = client("documents", {"--wait", "-o", "json"});
  ASSERT_TRUE(documents.prints(waits)) << documents.printed();
  Client stuck = client("stuck", {"why"});
  EXPECT_EQ(stuck.exit_code(), 0);
  EXPECT_TRUE(
      stuck.printed().contains("- a workload has not rolled out\n    waiting on deployment "
                               "\"default/web\"\n"))
      << stuck.printed();
  EXPECT_TRUE(stuck.printed().contains("    kubectl describe deployment web -n default\n"))
      << stuck.printed();
  roll_out();
  EXPECT_EQ(lines.exit_code(), 0) << lines.printed();
  EXPECT_EQ(documents.exit_code(), 0) << documents.printed();
  const std::string printed = lines.printed();
  EXPECT_TRUE(printed.contains("Z the update to 4.6.24 is completed")) << printed;
  EXPECT_FALSE(printed.contains('\r')) << "a file has no line that is rewritten";
  std::vector<std::string> states;
  const std::string text = documents.printed();
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto document = json::parse(line);
    ASSERT_TRUE(document) << line;
    EXPECT_EQ(fairway::operators::testing::text(*document, "version"), "4.6.24");
    states.push_back(fairway::operators::testing::text(*document, "state"));
  }
  ASSERT_GE(states.size(), 2u) << text;
  EXPECT_EQ(states.front(), "updating");
  EXPECT_EQ(states.back(), "completed");
  EXPECT_EQ(std::ranges::count(states, "completed"), 1);

  Client again = client("again", {"--wait"});
  EXPECT_EQ(again.exit_code(), 0) << "what is asked for is completed already";
  EXPECT_TRUE(again.printed().contains("the update to 4.6.24 is completed")) << again.printed();
}

TEST_F(Following, EndsWithAnErrorWhereTheClusterRefusesTheUpdate) {
  add_releases();
  begin();
  Client precondition = client("precondition", {"--to", "4.9.0", "--wait"});
  EXPECT_EQ(precondition.exit_code(), 1);
  const std::string printed = precondition.printed();
  EXPECT_TRUE(printed.contains("error: the cluster refuses the update to 4.9.0: PreconditionChecks: "))
      << printed;
  EXPECT_TRUE(printed.contains("MultipleMinorVersionsUpdate")) << printed;
  EXPECT_TRUE(printed.contains("`fairway adm upgrade --clear`")) << printed;

  Client blocked = client("blocked", {"why"});
  EXPECT_EQ(blocked.exit_code(), 0);
  EXPECT_TRUE(blocked.printed().contains("The update to 4.9.0 is asked for, and has not begun.\n"))
      << blocked.printed();
  EXPECT_TRUE(blocked.printed().contains("- a precondition of the update is not met since "))
      << blocked.printed();

  // The refusal of 4.9.0 is still there when the next one is asked for.
  Client fits = client("fits", {"--to", "4.6.25", "--wait"});
  EXPECT_EQ(fits.exit_code(), 0) << fits.printed() << why();
  EXPECT_EQ(history(), "Completed 4.6.25, Completed 4.6.23");

  const std::string no_release = releases_.image("4.6.25").substr(0, releases_.image("4.6.25").find('@')) +
                                 "@sha256:" + std::string(64, '0');
  Client absent = client("absent", {"--to-image", no_release, "--allow-explicit-upgrade", "--wait"});
  EXPECT_EQ(absent.exit_code(), 1);
  EXPECT_TRUE(absent.printed().contains("refuses the update to " + no_release + ": RetrievePayload: "))
      << absent.printed();

  ask_for({{"version", "4.6.99"}});
  Client invalid = client("invalid", {"--wait"});
  EXPECT_EQ(invalid.exit_code(), 1);
  EXPECT_TRUE(invalid.printed().contains("refuses the update to 4.6.99: InvalidClusterVersion: "))
      << invalid.printed();
}

TEST_F(Following, EndsWithAnErrorWhereItIsReplacedStoppedOrTooLong) {
  add_releases();
  begin();
  Client replaced = client("replaced", {"--to", "4.6.24", "--wait"});
  ASSERT_TRUE(replaced.prints(waits)) << replaced.printed() << why();

  Client late = client("late", {"--wait", "--timeout", "1s"});
  EXPECT_EQ(late.exit_code(), 1);
  EXPECT_TRUE(
      late.printed().contains("error: the update to 4.6.24 has not ended within 1s; it is at: Working "
                              "towards 4.6.24"))
      << late.printed();
  EXPECT_TRUE(
      late.printed().contains("goes on in the cluster. To follow it again: `fairway adm upgrade --wait`"))
      << late.printed();

  Client stopped = client("stopped", {"--wait"});
  ASSERT_TRUE(stopped.prints(waits)) << stopped.printed();
  stopped.interrupt();
  EXPECT_EQ(stopped.exit_code(), 1);
  EXPECT_TRUE(stopped.printed().contains("error: stopped following the update to 4.6.24 (Working towards"))
      << stopped.printed();
  EXPECT_TRUE(stopped.printed().contains("goes on in the cluster")) << stopped.printed();
  EXPECT_EQ(history(), "Partial 4.6.24, Completed 4.6.23") << "the update goes on";

  ask_for({{"version", "4.6.25"}, {"image", releases_.image("4.6.25")}});
  EXPECT_EQ(replaced.exit_code(), 1);
  EXPECT_TRUE(replaced.printed().contains("the cluster is asked for 4.6.25 now")) << replaced.printed();
}

TEST_F(Following, SaysThatNothingIsUpdated) {
  add_releases();
  begin();
  Client idle = client("idle", {"--wait"});
  EXPECT_EQ(idle.exit_code(), 0);
  EXPECT_EQ(idle.printed(), "The cluster is not updating.\n");
  Client there = client("there", {"--to", "4.6.23", "--wait"});
  EXPECT_EQ(there.exit_code(), 0);
  EXPECT_TRUE(there.printed().starts_with("info: Cluster is already at version 4.6.23\n")) << there.printed();
}

/// The API server is a process of its own, which a test ends and starts again with the same data.
class FollowingARestart : public Following {
 protected:
  void SetUp() override {
    listen_ = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
    start_api_server();
    ASSERT_TRUE(eventually([&] {
      auto config = kube::load_client_config({.file = (folder_ / "kubeconfig").string()});
      if (!config) return false;
      auto client = kube::Client::create(*std::move(config));
      if (!client || !(*client)->get({"", "v1", "namespaces"}, {"", "default"})) return false;
      client_ = *std::move(client);
      return true;
    })) << read_file(folder_ / "api-server-log").value_or("");
    ASSERT_TRUE(eventually([&] { return client_->list(kind_, "").has_value(); }))
        << read_file(folder_ / "api-server-log").value_or("");
    set_clock(0);
    setenv("FAIRWAY_TEST_CLOCK", (folder_ / "clock").c_str(), 1);
    setenv("https_proxy", "http://127.0.0.1:1", 1);
    setenv("no_proxy", "127.0.0.1", 1);
  }
  void start_api_server() {
    folder_.write("definitions.yaml", std::string(definitions()));
    api_server_ = std::make_unique<Process>(
        std::vector<std::string>{FAIRWAY_BINARY, "apiserver", "--data", (folder_ / "api-server").string(),
                                 "--listen", listen_, "--kubeconfig", (folder_ / "kubeconfig").string(),
                                 "--apply", (folder_ / "definitions.yaml").string()},
        (folder_ / "api-server-log").string());
  }

  std::string listen_;
  std::unique_ptr<Process> api_server_;
};

TEST_F(FollowingARestart, GoesOnWhenTheApiServerIsKilledAndStartsAgain) {
  add_releases();
  begin();
  Client follower = client("follower", {"--to", "4.6.24", "--wait"});
  ASSERT_TRUE(follower.prints(waits)) << follower.printed() << why();
  api_server_->end(SIGKILL);
  ASSERT_TRUE(follower.prints("warning: the API server does not answer, and is asked again: "))
      << follower.printed();
  start_api_server();
  ASSERT_TRUE(eventually([&] { return client_->get(deployments, {"default", "web"}).has_value(); }));
  roll_out();
  // The operator and its client ask again after up to some seconds each.
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  EXPECT_EQ(follower.exit_code(), 0) << follower.printed();
  const std::string printed = follower.printed();
  EXPECT_TRUE(printed.contains("the update to 4.6.24 is completed")) << printed;
  const std::size_t first = printed.find("warning: ");
  EXPECT_EQ(printed.find("warning: ", first + 1), std::string::npos) << "an outage is told once\n" << printed;
  EXPECT_EQ(history(), "Completed 4.6.24, Completed 4.6.23");
}

}  // namespace
}  // namespace fairway::operators::testing
