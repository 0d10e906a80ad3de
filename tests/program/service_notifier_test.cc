// SPDX-License-Identifier: Apache-2.0

#include "command_line/service_notifier.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "support/notify_listener.h"
#include "support/temp_directory.h"

namespace fairway::command_line {
namespace {

using fairway::testing::NotifyListener;
using fairway::testing::TempDirectory;
using std::chrono::seconds;

/// The environment of a notifier while it is made.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
};

class ServiceNotifierTest : public ::testing::Test {
 protected:
  std::unique_ptr<ServiceNotifier> notifier(std::map<std::string, std::string> more = {}) {
    more.emplace("NOTIFY_SOCKET", listener.address());
    const Variables variables(more);
    return std::make_unique<ServiceNotifier>(clock);
  }
  ServiceHealth health() {
    return {.not_ready =
                [this] {
                  const std::lock_guard lock(mutex);
                  ++looks;
                  looked.notify_all();
                  return unready;
                },
            .not_alive =
                [this] {
                  const std::lock_guard lock(mutex);
                  return dead;
                }};
  }
  void set(std::optional<std::string>& which, std::optional<std::string> reason) {
    const std::lock_guard lock(mutex);
    which = std::move(reason);
  }
  /// Lets the notifier look once more, and waits until it has sent what it found.
  void look_after(std::chrono::nanoseconds time) {
    clock.wait_for_waiters(1);
    std::unique_lock lock(mutex);
    const int before = looks;
    clock.advance(time);
    looked.wait(lock, [&] { return looks > before; });
    lock.unlock();
    clock.wait_for_waiters(1);
  }

  const TempDirectory folder;
  const NotifyListener listener{(folder / "notify").string()};
  FakeClock clock;
  std::mutex mutex;
  std::condition_variable looked;
  int looks = 0;
  std::optional<std::string> unready, dead;
};

TEST_F(ServiceNotifierTest, WithoutAManagerAsksNothingAndSendsNothing) {
  ServiceNotifier alone(clock);
  EXPECT_FALSE(alone.has_manager());
  const std::jthread following = alone.follow({});
  EXPECT_FALSE(following.joinable());
  alone.reloading();
  alone.stopping(seconds(1));
  EXPECT_TRUE(listener.is_empty());
}

TEST_F(ServiceNotifierTest, LeavesNoVariableToChildren) {
  const auto one = notifier({{"WATCHDOG_USEC", "3000000"}, {"WATCHDOG_PID", "1"}});
  EXPECT_TRUE(one->has_manager());
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
    EXPECT_EQ(std::getenv(name), nullptr) << name;
}

TEST_F(ServiceNotifierTest, SaysWhyItIsNotReadyAndThenThatItIs) {
  const auto one = notifier();
  set(unready, "no graph yet:\nthe registry is down");
  const std::jthread following = one->follow(health());
  EXPECT_EQ(listener.next(),
            "EXTEND_TIMEOUT_USEC=40000000\nSTATUS=not ready: no graph yet:\\nthe registry is down\n");
  look_after(seconds(1));
  EXPECT_TRUE(listener.is_empty()) << "the same status is sent once";
  set(unready, "no graph yet: 404");
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "STATUS=not ready: no graph yet: 404\n");
  set(unready, std::nullopt);
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "READY=1\nSTATUS=ready\n");
  set(unready, "too old");
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "STATUS=not ready: too old\n");
  set(unready, std::nullopt);
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "STATUS=ready\n") << "readiness is said once";
}

TEST_F(ServiceNotifierTest, CutsAStatusThatAManagerWouldDrop) {
  const auto one = notifier();
  set(unready, std::string(100'000, 'x'));
  const std::jthread following = one->follow(health());
  const std::string message = listener.next();
  EXPECT_LT(message.size(), 2'000U);
  EXPECT_TRUE(message.ends_with("x…\n")) << message;
}

TEST_F(ServiceNotifierTest, GetsMoreTimeToStartOnlyWhileItIsAlive) {
  const auto one = notifier();
  set(unready, "waiting");
  const std::jthread following = one->follow(health());
  EXPECT_TRUE(listener.next().starts_with("EXTEND_TIMEOUT_USEC="));
  look_after(seconds(10));
  EXPECT_EQ(listener.next(), "EXTEND_TIMEOUT_USEC=40000000\n");
  set(dead, "no answer");
  look_after(seconds(10));
  EXPECT_EQ(listener.next(), "STATUS=not alive: no answer\n");
  set(unready, std::nullopt);
  look_after(seconds(1));
  EXPECT_TRUE(listener.is_empty()) << "it is not ready before it is alive";
}

TEST_F(ServiceNotifierTest, FeedsTheWatchdogFourTimesInItsIntervalWhileItIsAlive) {
  const auto one = notifier({{"WATCHDOG_USEC", "40000000"}, {"WATCHDOG_PID", std::to_string(::getpid())}});
  const std::jthread following = one->follow(health());
  EXPECT_EQ(listener.next(), "READY=1\nWATCHDOG=1\nSTATUS=ready\n");
  look_after(seconds(9));
  EXPECT_TRUE(listener.is_empty());
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "WATCHDOG=1\n");
  set(dead, "the event loop does not answer");
  look_after(seconds(10));
  EXPECT_EQ(listener.next(), "STATUS=not alive: the event loop does not answer\n");
  look_after(seconds(1));
  EXPECT_TRUE(listener.is_empty());
  set(dead, std::nullopt);
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "WATCHDOG=1\nSTATUS=ready\n") << "one that was dead is asked at once";
}

TEST_F(ServiceNotifierTest, LeavesTheWatchdogOfAnotherProcessAlone) {
  for (const auto& [interval, pid] : std::map<std::string, std::string>{
           {"3000000", std::to_string(::getppid())}, {"0", ""}, {"soon", ""}, {"", ""}}) {
    const auto one = notifier({{"WATCHDOG_USEC", interval}, {"WATCHDOG_PID", pid}});
    const std::jthread following = one->follow(health());
    EXPECT_FALSE(listener.next().contains("WATCHDOG")) << interval << " " << pid;
  }
}

TEST_F(ServiceNotifierTest, ReportsReloadsAndTheirFaults) {
  clock.advance(std::chrono::microseconds(1'234'567));
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(clock.steady().time_since_epoch()).count();
  const auto one = notifier();
  const std::jthread following = one->follow(health());
  EXPECT_TRUE(listener.next().contains("READY=1"));
  one->reloading();
  EXPECT_EQ(listener.next(), "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now) + "\n");
  one->reloaded("serve.toml: line 3");
  EXPECT_EQ(listener.next(), "READY=1\n");
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "STATUS=ready; the last reload failed: serve.toml: line 3\n");
  one->reloading();
  one->reloaded(std::nullopt);
  listener.next_with("READY=1");
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "STATUS=ready\n");
}

TEST_F(ServiceNotifierTest, DoesNotTakeTheEndOfAReloadForTheEndOfTheStart) {
  const auto one = notifier();
  set(unready, "waiting");
  const std::jthread following = one->follow(health());
  EXPECT_TRUE(listener.next().contains("STATUS=not ready"));
  one->reloading();
  one->reloaded(std::nullopt);
  EXPECT_TRUE(listener.is_empty());
}

TEST_F(ServiceNotifierTest, AsksForTheTimeThatStoppingTakes) {
  const auto one = notifier({{"WATCHDOG_USEC", "3000000"}});
  const std::jthread following = one->follow(health());
  EXPECT_TRUE(listener.next().contains("READY=1"));
  clock.wait_for_waiters(1);
  one->stopping(seconds(25));
  one->stopping(seconds(1));
  EXPECT_EQ(listener.next(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=30000000\nSTATUS=stopping\n");
  set(unready, "the service is stopping");
  look_after(seconds(1));
  EXPECT_EQ(listener.next(), "WATCHDOG=1\n") << "it is alive, and the status stays";
  one->reloading();
  EXPECT_TRUE(listener.is_empty());
}

TEST_F(ServiceNotifierTest, SpeaksToASocketOutsideOfTheFileSystem) {
  const NotifyListener abstract("@fairway-test-notify-" + std::to_string(::getpid()));
  const auto one = notifier({{"NOTIFY_SOCKET", abstract.address()}});
  const std::jthread following = one->follow(health());
  EXPECT_TRUE(abstract.next().contains("READY=1"));
}

TEST_F(ServiceNotifierTest, IsSilentWhereTheAddressIsNoSocket) {
  for (const std::string& address :
       std::vector<std::string>{"vsock:2:1234", "relative", "@", "/", std::string(200, '/')}) {
    const auto one = notifier({{"NOTIFY_SOCKET", address}});
    const std::jthread following = one->follow(health());
    one->stopping(seconds(1));
  }
  EXPECT_TRUE(listener.is_empty());
}

// A manager that has fallen behind must neither hold the process up nor miss that it is ready.
TEST_F(ServiceNotifierTest, SendsLaterWhatTheManagerHadNoRoomFor) {
  // Until a new socket has no room: an old one may have used up its own.
  std::vector<NotifySocket> floods;
  for (bool has_room = true; has_room;) {
    floods.push_back(NotifySocket::open(listener.address()).value());
    has_room = floods.back().send("X=1\n");
    while (floods.back().send("X=1\n")) {
    }
  }
  const auto one = notifier();
  const std::jthread following = one->follow(health());
  clock.wait_for_waiters(1);
  while (!listener.is_empty()) EXPECT_EQ(listener.next(), "X=1\n");
  clock.advance(seconds(1));
  EXPECT_EQ(listener.next(), "READY=1\nSTATUS=ready\n");
}

}  // namespace
}  // namespace fairway::command_line
