// SPDX-License-Identifier: Apache-2.0

// An operator's program under a service manager.
#include <gtest/gtest.h>

#include <cstdlib>

#include "program/running_operator.h"
#include "support/notify_listener.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::program {
namespace {

using fairway::testing::NotifyListener;
using testing::Running;
using testing::World;

/// The environment that a service manager gives to what it starts, here to processes of this one.
class Managed {
 public:
  Managed() {
    ::setenv("NOTIFY_SOCKET", listener.address().c_str(), 1);
    ::setenv("WATCHDOG_USEC", "1500000", 1);
  }
  ~Managed() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
  }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;

  const fairway::testing::TempDirectory folder;
  const NotifyListener listener{(folder / "notify").string()};
};

TEST(ServiceManager, HearsHowAnOperatorIs) {
  for (const bool has_status_port : {true, false}) {
    SCOPED_TRACE(has_status_port ? "with a status port" : "without a status port");
    const Managed managed;
    const World world;
    const std::string port = std::to_string(fairway::testing::free_loopback_port());
    Running running({"operate", "controllers", "--kubeconfig", world.kubeconfig,
                     "--status-listen=" + (has_status_port ? "127.0.0.1:" + port : "")});
    EXPECT_TRUE(managed.listener.next_with("READY=1").contains("STATUS=ready\n"));
    EXPECT_TRUE(managed.listener.next_with("WATCHDOG=1").starts_with("WATCHDOG=1\n"));
    const auto ended = running.end();
    EXPECT_EQ(ended.exit_code, 0) << ended.output;
    EXPECT_TRUE(managed.listener.next_with("STOPPING=1").contains("STATUS=stopping\n"));
  }
}

// Webhooks start with their certificates, which are in the cluster: that may take as long as its API server
// is down.
TEST(ServiceManager, HearsThatAnOperatorWaitsForTheApiServer) {
  const Managed managed;
  const std::string kubeconfig =
      managed.folder
          .write("kubeconfig",
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                 "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}]\nusers: [{name: u, user: "
                 "{}}]\n"
                 "contexts: [{name: c, context: {cluster: c, user: u, namespace: home}}]\n")
          .string();
  Running running({"operate", "kinds", "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0", "--webhook-url",
                   "https://127.0.0.1:1", "--status-listen="});
  EXPECT_TRUE(managed.listener.next_with("EXTEND_TIMEOUT_USEC=")
                  .contains("STATUS=not ready: waiting for the API server\n"));
  running.end();
  EXPECT_TRUE(managed.listener.next_with("STOPPING=1").contains("STATUS=stopping\n"));
}

}  // namespace
}  // namespace fairway::program
