// SPDX-License-Identifier: Apache-2.0

// Levels and flows of a server, as its clients see them.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using fairway::testing::eventually;

/// Requests of the level "usual", of one thread, that wait; the first word of a path is the flow.
class Flows : public ::testing::Test {
 protected:
  std::unique_ptr<Server> start() {
    Router router;
    router.blocking("/", "GET", [this](const Request& request) {
      if (request.path.contains("hold")) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return open; });
      }
      return Response::text(200, "done");
    });
    router.flow([](const Request& request) -> Flow {
      if (request.path == "/throws") throw std::runtime_error("no flow");
      if (request.path == "/urgent") return {0, {}};
      return {1, std::string(request.path.substr(1, 1))};
    });
    return Server::start({.listen = "127.0.0.1:0",
                          .io_threads = 1,
                          .blocking_threads = 2,
                          .levels = {{.name = "urgent"},
                                     {.name = "usual", .threads = 1, .queue = 2, .queue_of_flow = 1}}},
                         router)
        .value();
  }
  static RawClient ask(const Server& server, const std::string& path) {
    RawClient client(server.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    return client;
  }
  void let_go() {
    const std::scoped_lock lock(mutex);
    open = true;
    changed.notify_all();
  }
  ~Flows() override { let_go(); }

  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
};

TEST_F(Flows, RefuseOneThatHasItsShareAndServeOthers) {
  const auto server = start();
  const auto level = [&] { return server->flows().at(1); };
  RawClient running = ask(*server, "/a-hold");
  ASSERT_TRUE(eventually([&] { return level().running == 1; }));
  RawClient waiting = ask(*server, "/a-hold");
  ASSERT_TRUE(eventually([&] { return level().waiting == 1; }));
  RawClient refused = ask(*server, "/a");
  const std::string reply = refused.read_reply();
  EXPECT_EQ(status_of(reply), 429);
  const std::size_t field = reply.find("Retry-After: ");
  ASSERT_NE(field, std::string::npos) << reply;
  const int seconds = std::stoi(reply.substr(field + 13));
  EXPECT_TRUE(seconds >= 1 && seconds <= 4) << reply;
  RawClient urgent = ask(*server, "/urgent");
  EXPECT_EQ(body_of(urgent.read_reply()), "done");
  RawClient other = ask(*server, "/b");
  // Whose flow nobody can say waits among the least urgent.
  RawClient nobody = ask(*server, "/throws");
  ASSERT_TRUE(eventually([&] { return level().waiting + level().refused_full == 4; }));
  let_go();
  EXPECT_EQ(body_of(running.read_reply()), "done");
  EXPECT_EQ(body_of(waiting.read_reply()), "done");
  EXPECT_EQ(body_of(other.read_reply()), "done");
  EXPECT_EQ(status_of(nobody.read_reply()), 429);
  // The connection of a refused request goes on.
  refused.send("GET /urgent HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(body_of(refused.read_reply()), "done");
}

}  // namespace
}  // namespace fairway::http
