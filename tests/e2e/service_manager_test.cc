// SPDX-License-Identifier: Apache-2.0

// The programs under a service manager: what they tell it, and that their children know nothing of it.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "support/notify_listener.h"
#include "support/process.h"
#include "support/small_graph.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

using testing::NotifyListener;
using testing::Process;

class ServiceManager : public ::testing::Test {
 protected:
  /// Starts fairway with these words, as a service manager with a watchdog of 1.5 s does.
  void start(std::vector<std::string> words) {
    words.insert(words.begin(), {"env", "NOTIFY_SOCKET=" + listener.address(), "WATCHDOG_USEC=1500000",
                                 "WATCHDOG_PID=", FAIRWAY_BINARY});
    process.emplace(words, log);
  }
  std::string text_of_log() const { return read_file(log).value_or(""); }
  int exit_code(int status) const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

  const testing::TempDirectory directory;
  const NotifyListener listener{(directory / "notify").string()};
  const std::string log = (directory / "log").string();
  std::optional<Process> process;
};

TEST_F(ServiceManager, HearsHowTheUpdateServiceIs) {
  for (const auto& [path, text] : testing::small_graph_data()) directory.write("graph-data/" + path, text);
  const std::filesystem::path settings = directory.write("serve.toml", "[serve]\ninterval = \"1s\"\n");
  start({"--config", settings.string(), "serve", "--releases", (directory / "releases.json").string(),
         "--graph-data", (directory / "graph-data").string(), "--listen", "127.0.0.1:0", "--status-listen",
         "127.0.0.1:0", "--drain", "7s"});
  // No release list yet.
  const std::string waiting = listener.next_with("releases.json");
  EXPECT_TRUE(waiting.contains("STATUS=not ready: no graph yet: ")) << waiting << text_of_log();
  directory.write("releases.json", testing::small_release_list());
  EXPECT_TRUE(listener.next_with("READY=1").contains("STATUS=ready\n")) << text_of_log();
  EXPECT_EQ(listener.next_with("WATCHDOG=1"), "WATCHDOG=1\n");

  process->signal(SIGHUP);
  EXPECT_TRUE(listener.next_with("RELOADING=1").contains("MONOTONIC_USEC="));
  EXPECT_EQ(listener.next_with("READY=1"), "READY=1\n");
  directory.write("serve.toml", "[serve]\ninterval = \"soon\"\n");
  process->signal(SIGHUP);
  EXPECT_EQ(listener.next_with("READY=1"), "READY=1\n");
  const std::string failed = listener.next_with("STATUS=");
  EXPECT_TRUE(failed.contains("STATUS=ready; the last reload failed: reading the settings again: "))
      << failed;

  process->signal(SIGTERM);
  EXPECT_EQ(listener.next_with("STOPPING=1"), "STOPPING=1\nEXTEND_TIMEOUT_USEC=12000000\nSTATUS=stopping\n");
  EXPECT_EQ(exit_code(process->wait()), 0) << text_of_log();
}

TEST_F(ServiceManager, HearsHowTheApiServerIs) {
  start({"apiserver", "--memory", "--listen", "127.0.0.1:0", "--kubeconfig",
         (directory / "kubeconfig").string()});
  EXPECT_TRUE(listener.next_with("READY=1").contains("STATUS=ready\n")) << text_of_log();
  EXPECT_TRUE(std::filesystem::exists(directory / "kubeconfig")) << "it is written before";
  EXPECT_EQ(listener.next_with("WATCHDOG=1"), "WATCHDOG=1\n");
  process->signal(SIGTERM);
  EXPECT_TRUE(listener.next_with("STOPPING=1").contains("EXTEND_TIMEOUT_USEC=")) << text_of_log();
  EXPECT_EQ(exit_code(process->wait()), 0) << text_of_log();
}

TEST_F(ServiceManager, IsNotHeardOfByACommandOfTheApiServer) {
  start({"apiserver", "--memory", "--listen", "127.0.0.1:0", "--", "env"});
  EXPECT_EQ(exit_code(process->wait()), 0) << text_of_log();
  EXPECT_TRUE(text_of_log().contains("KUBECONFIG="));
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
    EXPECT_FALSE(text_of_log().contains(name)) << text_of_log();
}

}  // namespace
}  // namespace fairway
