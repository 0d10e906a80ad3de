// SPDX-License-Identifier: Apache-2.0

// Elections over days of simulated time, with clocks that run at different speeds and a server and a network
// that fail in every way: never two leaders by their own reckoning.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "kube/election/election.h"
#include "kube/memory_lease.h"

namespace fairway::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::MemoryLease;

/// A machine's own clock: faster or slower than the world's, and with another date.
class SkewedClock final : public Clock {
 public:
  SkewedClock(FakeClock& world, double rate, seconds offset) : world_(world), rate_(rate), offset_(offset) {}
  WallTime now() const override { return world_.now() + offset_; }
  SteadyTime steady() const override {
    const std::chrono::duration<double, std::nano> scaled = world_.steady().time_since_epoch() * rate_;
    return SteadyTime(std::chrono::duration_cast<nanoseconds>(scaled));
  }
  bool wait_until(SteadyTime, std::stop_token) override { return false; }

 private:
  FakeClock& world_;
  const double rate_;
  const seconds offset_;
};

class World {
 public:
  World(unsigned seed, int nodes, double faults) : random_(seed), faults_(faults) {
    for (int i = 0; i < nodes; ++i) {
      nodes_.push_back(std::make_unique<Node>());
      Node& node = *nodes_.back();
      node.name = "node-" + std::to_string(i);
      // Ten percent faster or slower: a lease of 15 s and a deadline of 10 s bear more.
      node.clock = std::make_unique<SkewedClock>(clock_, 0.9 + 0.2 * number(), seconds(random_() % 100'000));
      node.next = clock_.steady() + milliseconds(random_() % 2000);
      begin(node);
    }
  }

  void run(seconds duration) { advance_to(clock_.steady() + duration); }

  int changes_of_leader = 0;
  nanoseconds time_with_leader{0};
  int most_leaders = 0;

 private:
  struct Node {
    std::unique_ptr<SkewedClock> clock;
    std::unique_ptr<Election> election;
    SteadyTime next;
    std::string name;
    bool busy = false;
    int lives = 0;
  };
  /// A request in flight, whose sender may have given up.
  struct Late {
    SteadyTime at;
    std::function<void()> apply;
  };

  class Network final : public LeaseLock {
   public:
    Network(World& world, const Clock& clock) : world_(world), clock_(clock) {}
    ApiResult<k8s::Lease> get(const Limits& limits) override {
      return world_.call([&world = world_] { return world.lease_.get(); }, limits.remaining(clock_));
    }
    ApiResult<k8s::Lease> create(const k8s::Lease& lease, const Limits& limits) override {
      return world_.call([&world = world_, lease] { return world.lease_.create(lease); },
                         limits.remaining(clock_));
    }
    ApiResult<k8s::Lease> replace(const k8s::Lease& lease, const Limits& limits) override {
      return world_.call([&world = world_, lease] { return world.lease_.replace(lease); },
                         limits.remaining(clock_));
    }

   private:
    World& world_;
    const Clock& clock_;  ///< the clock of the process that sends the requests
  };

  double number() { return std::uniform_real_distribution<double>()(random_); }

  void begin(Node& node) {
    // A process that starts again has another identity; now and then one has kept its own.
    const std::string identity = node.name + "-" + std::to_string(node.lives / 3);
    ++node.lives;
    node.election = std::make_unique<Election>(std::make_unique<Network>(*this, *node.clock),
                                               testing::lease_options(identity), *node.clock);
  }

  static std::unexpected<ApiError> no_answer() {
    return std::unexpected(ApiError(Error{ErrorCode::unavailable, "no answer"}));
  }

  /// Sends one request, with random delays and faults. Other nodes go on while it is in flight.
  ApiResult<k8s::Lease> call(const std::function<ApiResult<k8s::Lease>()>& apply, nanoseconds timeout) {
    const SteadyTime give_up = clock_.steady() + timeout;
    nanoseconds there = milliseconds(random_() % 50), back = milliseconds(random_() % 50);
    if (number() < faults_) {
      switch (random_() % 6) {
        case 0:
          pass(there);
          return MemoryLease::refuse(k8s::reason::conflict);
        case 1:
          pass(there);
          return MemoryLease::refuse(k8s::reason::internal_error);
        case 2:  // cut before the server saw it
          pass(there);
          return no_answer();
        case 3: {  // cut after
          pass(there);
          [[maybe_unused]] const auto unheard = apply();
          return no_answer();
        }
        case 4:  // slow on the way there, perhaps for longer than anybody waits
          there = milliseconds(random_() % 40'000);
          break;
        default:  // slow on the way back
          back = milliseconds(random_() % 40'000);
      }
    }
    const SteadyTime arrives = clock_.steady() + std::chrono::duration_cast<SteadyTime::duration>(there);
    if (arrives > give_up) {
      late_.push_back({arrives, [apply] { [[maybe_unused]] const auto unheard = apply(); }});
      advance_to(give_up);
      return no_answer();
    }
    advance_to(arrives);
    auto answer = apply();
    const SteadyTime answered = arrives + std::chrono::duration_cast<SteadyTime::duration>(back);
    // Some clients do not keep to their limit: an answer then comes as late as it comes.
    if (answered > give_up && random_() % 4 != 0) {
      advance_to(give_up);
      return no_answer();
    }
    advance_to(answered);
    return answer;
  }

  void pass(nanoseconds time) {
    advance_to(clock_.steady() + std::chrono::duration_cast<SteadyTime::duration>(time));
  }

  /// Advances the world to `until`, or further if somebody's request takes longer.
  void advance_to(SteadyTime until) {
    while (clock_.steady() < until) {
      Node* next = nullptr;
      SteadyTime when = until;
      for (const auto& node : nodes_) {
        if (!node->busy && node->next < when) {
          next = node.get();
          when = node->next;
        }
      }
      std::size_t late = late_.size();
      for (std::size_t i = 0; i < late_.size(); ++i) {
        if (late_[i].at < when) {
          late = i;
          when = late_[i].at;
        }
      }
      move_to(when);
      if (late < late_.size()) {
        const auto apply = std::move(late_[late].apply);
        late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(late));
        apply();
        look();
      } else if (next != nullptr) {
        step(*next);
      }
    }
  }

  void move_to(SteadyTime when) {
    const SteadyTime now = clock_.steady();
    if (when <= now) return;
    clock_.advance(when - now);
    if (last_leader_ >= 0 && nodes_[static_cast<std::size_t>(last_leader_)]->election->leads()) {
      time_with_leader += when - now;
    }
    look();
  }

  void step(Node& node) {
    node.busy = true;
    if (number() < faults_ / 20) {
      // Stopped and started again: cleanly, or as if it had been killed.
      if (number() < 0.5) node.election->release(Limits::within(*node.clock, seconds(5)));
      begin(node);
    }
    if (number() < faults_ / 20) {
      pass(milliseconds(random_() % 60'000));  // the process stands still
    }
    (void)node.election->attempt(Limits::within(*node.clock, seconds(10)));
    node.busy = false;
    look();
    node.next = clock_.steady() + milliseconds(2000 + (node.election->leads() ? 0 : random_() % 2400));
  }

  void look() {
    int leaders = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i]->election->leads()) continue;
      ++leaders;
      if (last_leader_ != static_cast<int>(i)) {
        ++changes_of_leader;
        last_leader_ = static_cast<int>(i);
      }
    }
    most_leaders = std::max(most_leaders, leaders);
  }

  FakeClock clock_;
  MemoryLease lease_;
  std::mt19937 random_;
  const double faults_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Late> late_;
  int last_leader_ = -1;
};

TEST(ElectionSimulation, HasOneLeaderAllTheTimeWhereNothingFails) {
  World world(1, 3, 0);
  world.run(seconds(86'400));
  EXPECT_EQ(world.most_leaders, 1);
  EXPECT_EQ(world.changes_of_leader, 1);
  EXPECT_GT(world.time_with_leader, seconds(86'390));
}

TEST(ElectionSimulation, NeverHasTwoLeadersWhateverFails) {
  int changes = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    World world(seed, 2 + static_cast<int>(seed % 4), 0.05 + 0.1 * (seed % 6));
    world.run(seconds(2 * 3600));
    ASSERT_EQ(world.most_leaders, 1) << "seed " << seed;
    changes += world.changes_of_leader;
  }
  EXPECT_GT(changes, 1000) << "the faults are to make leaders change";
}

}  // namespace
}  // namespace fairway::kube
