// SPDX-License-Identifier: Apache-2.0

#include "kube/election/leader_elector.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>
#include <stdexcept>
#include <thread>

#include "http/server.h"
#include "kube/memory_lease.h"

namespace fairway::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::lease_options;
using testing::MemoryLease;
using testing::MemoryLock;

/// Waits for a stop request.
void wait_for_stop(const std::stop_token& stop) {
  std::promise<void> stopped;
  const std::stop_callback on_stop(stop, [&] { stopped.set_value(); });
  stopped.get_future().wait();
}

/// An elector that runs on a thread of its own.
class Running {
 public:
  Running(std::unique_ptr<LeaseLock> lock, Clock& clock, const std::string& identity,
          metrics::Registry* registry = nullptr)
      : elector_(LeaderElector::create(std::move(lock), lease_options(identity), clock, registry).value()),
        result_(std::async(std::launch::async, [this] {
          return elector_->run(
              [this](const std::stop_token& stop) {
                began_.set_value();
                wait_for_stop(stop);
                ended_.set_value();
              },
              stop_.get_token());
        })) {}
  ~Running() { stop_.request_stop(); }

  void wait_until_leading() { began_.get_future().wait(); }
  void wait_until_stopped() { ended_.get_future().wait(); }
  void stop() { stop_.request_stop(); }
  Result<void> result() { return result_.get(); }
  LeaderElector& elector() { return *elector_; }

 private:
  std::stop_source stop_;
  std::promise<void> began_, ended_;
  std::unique_ptr<LeaderElector> elector_;
  std::future<Result<void>> result_;
};

TEST(LeaderElector, LeadsUntilItIsStoppedAndGivesTheLeaseBack) {
  FakeClock clock;
  MemoryLease lease;
  metrics::Registry registry;
  Running one(std::make_unique<MemoryLock>(lease), clock, "one", &registry);
  one.wait_until_leading();
  EXPECT_TRUE(one.elector().leads());
  one.elector().update_metrics();
  EXPECT_NE(registry.text().find("leader_election_master_status{name=\"operator\"} 1\n"), std::string::npos);
  for (int i = 0; i < 20; ++i) {
    clock.wait_for_waiters(2);  // until the next renewal, and until the end of leadership
    const std::string before(lease.now().resource_version());
    clock.advance(seconds(2));
    while (lease.now().resource_version() == before) std::this_thread::yield();
  }
  EXPECT_TRUE(one.elector().leads());
  one.stop();
  EXPECT_TRUE(one.result());
  EXPECT_EQ(lease.now().holder(), "");
  one.elector().update_metrics();
  EXPECT_NE(registry.text().find("leader_election_master_status{name=\"operator\"} 0\n"), std::string::npos);
}

TEST(LeaderElector, LeavesTheLeaseToRunOutWhereItIsNotToGiveItBack) {
  FakeClock clock;
  MemoryLease lease;
  LeaseOptions options = lease_options("one");
  options.release_on_stop = false;
  auto elector = LeaderElector::create(std::make_unique<MemoryLock>(lease), options, clock).value();
  ASSERT_TRUE(elector->run([](const std::stop_token&) {}, {}));
  EXPECT_EQ(lease.now().holder(), "one");
  EXPECT_FALSE(elector->leads());
}

TEST(LeaderElector, KeepsTheLeaseUntilTheWorkHasEnded) {
  FakeClock clock;
  MemoryLease lease;
  auto elector =
      LeaderElector::create(std::make_unique<MemoryLock>(lease), lease_options("one"), clock).value();
  std::stop_source stop;
  std::promise<void> asked_to_stop, may_end;
  auto result = std::async(std::launch::async, [&] {
    return elector->run(
        [&](const std::stop_token& token) {
          wait_for_stop(token);
          asked_to_stop.set_value();
          may_end.get_future().wait();
        },
        stop.get_token());
  });
  clock.wait_for_waiters(2);
  stop.request_stop();
  asked_to_stop.get_future().wait();
  for (int i = 0; i < 10; ++i) {
    clock.wait_for_waiters(2);
    const std::string before(lease.now().resource_version());
    clock.advance(seconds(2));
    while (lease.now().resource_version() == before) std::this_thread::yield();
  }
  EXPECT_EQ(lease.now().holder(), "one");
  EXPECT_TRUE(elector->leads());
  may_end.set_value();
  EXPECT_TRUE(result.get());
  EXPECT_EQ(lease.now().holder(), "");
}

TEST(LeaderElector, TakesOverWhenTheLeaderIsGone) {
  FakeClock clock;
  MemoryLease lease;
  Election dead(std::make_unique<MemoryLock>(lease), lease_options("dead"), clock);
  ASSERT_EQ(dead.attempt({}), Election::Outcome::leads);
  Running two(std::make_unique<MemoryLock>(lease), clock, "two");
  while (!two.elector().leads()) {
    clock.wait_for_waiters(1);
    EXPECT_FALSE(dead.leads() && two.elector().leads());
    clock.advance(milliseconds(500));
  }
  two.wait_until_leading();
  EXPECT_FALSE(dead.leads());
  EXPECT_EQ(lease.now().transitions(), 1);
}

/// A lock that answers until it is set to hang; then it answers when the caller gives up.
class HangingLock final : public LeaseLock {
 public:
  HangingLock(MemoryLease& lease, const std::atomic<bool>& hangs) : lease_(lease), hangs_(hangs) {}
  ApiResult<k8s::Lease> get(const Limits& limits) override { return hangs_ ? hang(limits) : lease_.get(); }
  ApiResult<k8s::Lease> create(const k8s::Lease& lease, const Limits& limits) override {
    return hangs_ ? hang(limits) : lease_.create(lease);
  }
  ApiResult<k8s::Lease> replace(const k8s::Lease& lease, const Limits& limits) override {
    return hangs_ ? hang(limits) : lease_.replace(lease);
  }

 private:
  static ApiResult<k8s::Lease> hang(const Limits& limits) {
    wait_for_stop(limits.stop);
    return std::unexpected(ApiError(Error{ErrorCode::cancelled, "stopped"}));
  }

  MemoryLease& lease_;
  const std::atomic<bool>& hangs_;
};

TEST(LeaderElector, StopsInTimeThoughARequestHangs) {
  FakeClock clock;
  MemoryLease lease;
  std::atomic<bool> hangs = false;
  Running one(std::make_unique<HangingLock>(lease, hangs), clock, "one");
  one.wait_until_leading();
  clock.wait_for_waiters(2);
  hangs = true;
  clock.advance(seconds(2));  // the renewal hangs from now on
  clock.advance(milliseconds(7999));
  EXPECT_TRUE(one.elector().leads());
  clock.advance(milliseconds(1));
  EXPECT_FALSE(one.elector().leads());
  one.wait_until_stopped();
  const auto result = one.result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_NE(result.error().message.find("could not be renewed within 10s"), std::string::npos)
      << result.error().message;
  EXPECT_EQ(lease.now().holder(), "one") << "what may be another's by now is not given back";
}

TEST(LeaderElector, StopsAtOnceWhenTheLeaseIsAnothers) {
  FakeClock clock;
  MemoryLease lease;
  Running one(std::make_unique<MemoryLock>(lease), clock, "one");
  one.wait_until_leading();
  clock.wait_for_waiters(2);
  k8s::Lease taken = lease.now();
  taken.set_holder("an admin");
  ASSERT_TRUE(lease.replace(taken));
  clock.advance(seconds(2));
  one.wait_until_stopped();
  const auto result = one.result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::conflict);
  EXPECT_NE(result.error().message.find("held by an admin"), std::string::npos) << result.error().message;
}

TEST(LeaderElector, StopsWhileItWaits) {
  FakeClock clock;
  MemoryLease lease;
  Election other(std::make_unique<MemoryLock>(lease), lease_options("other"), clock);
  ASSERT_EQ(other.attempt({}), Election::Outcome::leads);
  Running one(std::make_unique<MemoryLock>(lease), clock, "one");
  clock.wait_for_waiters(1);
  one.stop();
  EXPECT_TRUE(one.result());
  EXPECT_EQ(one.elector().holder(), "other");
}

TEST(LeaderElector, ThrowsOnWhatTheWorkThrows) {
  MemoryLease lease;
  FakeClock clock;
  auto elector =
      LeaderElector::create(std::make_unique<MemoryLock>(lease), lease_options("one"), clock).value();
  const auto run = [&] {
    return elector->run([](const std::stop_token&) { throw std::runtime_error("a bug"); }, {});
  };
  EXPECT_THROW([[maybe_unused]] const auto ended = run(), std::runtime_error);
  EXPECT_EQ(lease.now().holder(), "");
}

/// The lease on a server that is slow, refuses, or cuts connections before or after the write.
class FaultyLeaseServer {
 public:
  FaultyLeaseServer() {
    http::Router router;
    router.blocking("/apis/coordination.k8s.io/v1/", "GET POST PUT",
                    [this](const http::Request& request) { return answer(request); });
    http::ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.io_threads = 1;
    options.blocking_threads = 8;
    server_ = http::Server::start(options, router).value();
  }
  std::shared_ptr<Client> client() const {
    ClientConfig config;
    config.server = "http://" + server_->address();
    config.cluster_origin = "the test's cluster";
    return Client::create(config).value();
  }
  MemoryLease& lease() { return lease_; }
  std::atomic<bool> faulty = true;
  std::atomic<int> faults = 0;

 private:
  http::Response apply(const http::Request& request) {
    ApiResult<k8s::Lease> result = MemoryLease::refuse(k8s::reason::bad_request);
    if (request.method == "GET") {
      result = lease_.get();
    } else if (auto parsed = k8s::Dynamic::parse(request.body)) {
      const auto sent = k8s::as<k8s::Lease>(*std::move(parsed)).value();
      result = request.method == "POST" ? lease_.create(sent) : lease_.replace(sent);
    }
    if (!result) return http::Response::json(result.error().status.code(), result.error().status.to_text());
    return http::Response::json(200, result->to_text());
  }
  static http::Response refuse(std::string_view reason) {
    const auto status = k8s::Status::failure(reason, "as the test wants it");
    return http::Response::json(status.code(), status.to_text());
  }
  static http::Response cut() {
    http::Response response;
    response.stream = http::Stream::make();
    response.stream->close(true);
    return response;
  }
  http::Response answer(const http::Request& request) {
    unsigned dice = 0;
    {
      const std::lock_guard lock(mutex_);
      dice = faulty ? random_() % 24 : 99;
    }
    if (dice < 5) ++faults;
    switch (dice) {
      case 0:
        return refuse(k8s::reason::conflict);
      case 1:
        return refuse(k8s::reason::internal_error);
      case 2:
        return cut();
      case 3:
        (void)apply(request);
        return cut();
      case 4: {  // slower than anybody waits, on the way there
        Clock::system().wait_until(Clock::system().steady() + milliseconds(1500), request.cancelled);
        return apply(request);
      }
      default:
        return apply(request);
    }
  }

  std::mutex mutex_;
  std::minstd_rand random_{7};
  MemoryLease lease_;
  std::unique_ptr<http::Server> server_;
};

/// Runs with real requests and real time: each process that loses the lease begins again as another.
TEST(LeaderElector, IsNeverOneOfTwoOnAFaultyServer) {
  FaultyLeaseServer server;
  std::atomic<int> at_work = 0, terms = 0, most_at_work = 0, most_leaders = 0;
  std::mutex mutex;
  std::vector<std::shared_ptr<LeaderElector>> electors(3);
  std::stop_source stop;
  {
    std::vector<std::jthread> processes;
    for (std::size_t process = 0; process < electors.size(); ++process) {
      processes.emplace_back([&, process] {
        const auto client = server.client();
        std::minstd_rand random(static_cast<unsigned>(process) + 1);
        while (!stop.stop_requested()) {
          LeaseOptions options = lease_options("");
          options.duration = seconds(3);
          options.renew_deadline = seconds(1);
          options.retry_period = milliseconds(50);
          const std::shared_ptr<LeaderElector> elector = LeaderElector::create(client, options).value();
          {
            const std::lock_guard lock(mutex);
            electors[process] = elector;
          }
          // A term ends with the lease, or by itself; then it is handed on.
          std::stop_source term;
          const std::stop_callback on_stop(stop.get_token(), [&] { term.request_stop(); });
          [[maybe_unused]] const auto ended = elector->run(
              [&](const std::stop_token& token) {
                ++terms;
                const int now = ++at_work;
                most_at_work = std::max<int>(most_at_work, now);
                Clock::system().wait_until(Clock::system().steady() + milliseconds(100 + random() % 900),
                                           token);
                --at_work;
              },
              term.get_token());
        }
      });
    }
    const SteadyTime begun = Clock::system().steady();
    const auto enough = [&] {
      const auto passed = Clock::system().steady() - begun;
      return passed > seconds(120) || (passed > seconds(8) && terms >= 3 && server.faults >= 5);
    };
    while (!enough()) {
      {
        // Those that lead before and after all have been asked led all the time between: an elector that has
        // lost the lease does not get it back.
        const std::lock_guard lock(mutex);
        std::vector<LeaderElector*> leaders;
        for (const auto& elector : electors)
          if (elector && elector->leads()) leaders.push_back(elector.get());
        std::erase_if(leaders, [](const LeaderElector* elector) { return !elector->leads(); });
        most_leaders = std::max<int>(most_leaders, static_cast<int>(leaders.size()));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    stop.request_stop();
  }
  EXPECT_EQ(most_leaders, 1);
  EXPECT_EQ(most_at_work, 1);
  EXPECT_GE(terms, 3);
  EXPECT_GE(server.faults, 5);
}

}  // namespace
}  // namespace fairway::kube
