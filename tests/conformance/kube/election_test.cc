// SPDX-License-Identifier: Apache-2.0

// Leader election beside client-go's.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "conformance/kube/election_race.h"
#include "conformance/kube/on_cluster.h"
#include "k8s/lease.h"
#include "kube/client/watch.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

const k8s::GroupVersionResource leases = k8s::Lease::resource.group_version_resource();

class Elections : public OnCluster {
 protected:
  /// Returns all versions of the one lease of this test, until it has the label last=yes.
  std::vector<k8s::Lease> history(const std::stop_token& stop) const {
    std::vector<k8s::Lease> versions;
    const auto over = client->watch(
        leases, namespace_name, {.resource_version = "0", .bookmarks = false, .timeout = 300s},
        [&](kube::WatchEvent event) -> Result<void> {
          EXPECT_NE(event.type, kube::WatchEvent::Type::deleted);
          if (event.object.label("last") == "yes") return fail(ErrorCode::cancelled, "that is all");
          versions.emplace_back(event.object.release());
          return {};
        },
        Limits::within(Clock::system(), 310s, stop));
    EXPECT_TRUE(!over && over.error().code == ErrorCode::cancelled);
    return versions;
  }
};

/// Checks two versions of a lease, one of which was written over the other, whoever wrote them; returns
/// whether it went to another holder.
bool expect_good_step(const k8s::Lease& before, const k8s::Lease& after) {
  const std::string step = before.to_text() + "\n" + after.to_text();
  // Exactly the form of the API's MicroTime.
  for (const std::string_view time : {after.acquire_time(), after.renew_time()}) {
    const auto read = k8s::parse_micro_time(time);
    EXPECT_TRUE(read && k8s::format_micro_time(*read) == time) << step;
  }
  if (after.holder().empty()) {
    EXPECT_FALSE(before.holder().empty()) << step;
    EXPECT_EQ(after.duration(), 1s) << step;
    EXPECT_EQ(after.transitions(), before.transitions()) << step;
    return false;
  }
  EXPECT_EQ(after.duration(), ElectionRace::duration) << step;
  if (after.holder() == before.holder()) {
    EXPECT_EQ(after.transitions(), before.transitions()) << step;
    EXPECT_EQ(after.acquire_time(), before.acquire_time()) << step;
    EXPECT_NE(after.renew_time(), before.renew_time()) << step;
    return false;
  }
  EXPECT_EQ(after.transitions(), before.transitions() + 1) << step;
  EXPECT_NE(after.acquire_time(), before.acquire_time()) << step;
  return true;
}

constexpr std::pair to_client_go{Implementation::fairway, Implementation::client_go};
constexpr std::pair to_fairway{Implementation::client_go, Implementation::fairway};

/// An action on a leader.
using Action = bool (ElectionRace::*)(Candidate&);

/// Runs all `actions` on leaders of each implementation, and makes them give up until leadership has changed
/// `wanted` times each way. Another candidate of the same implementation replaces each that has ended.
void change_leaders(ElectionRace& race, const std::deque<Action>& actions, int wanted) {
  const auto until = std::chrono::steady_clock::now() + 240s;
  std::map<Implementation, std::deque<Action>> to_do = {{Implementation::fairway, actions},
                                                        {Implementation::client_go, actions}};
  std::map<std::pair<Implementation, Implementation>, int> changes;
  const Candidate* last = nullptr;
  Candidate* leader = race.leader();
  while (changes[to_client_go] < wanted || changes[to_fairway] < wanted ||
         !to_do[Implementation::fairway].empty() || !to_do[Implementation::client_go].empty()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << race.log();
    ASSERT_NE(leader, nullptr) << "nobody leads:\n" << race.log();
    if (last != nullptr) ++changes[{last->of, leader->of}];
    last = leader;
    Action action = &ElectionRace::give_up;
    if (auto& left = to_do[leader->of]; !left.empty()) {
      action = left.front();
      left.pop_front();
    }
    ASSERT_TRUE((race.*action)(*leader)) << leader->identity << "\n" << race.log();
    // Whoever stands anew asks at once: it would be ahead of those that have been waiting.
    leader = race.leader();
    race.replace();
  }
  ASSERT_NE(leader, nullptr) << "nobody leads:\n" << race.log();
}

/// Checks that there were never two leaders at once, and that none led too early.
void expect_one_leader(const std::vector<Leadership>& leaderships, const std::string& log) {
  for (std::size_t i = 0; i < leaderships.size(); ++i) {
    const Candidate& leader = *leaderships[i].leader;
    if (leader.of == Implementation::fairway && leader.stopped) {
      EXPECT_EQ(leader.woke_leading, false) << leader.identity << " was woken and led\n" << log;
    }
    if (i + 1 == leaderships.size()) continue;
    const Leadership& next = leaderships[i + 1];
    const std::string both = leader.identity + " and " + next.leader->identity + "\n" + log;
    EXPECT_LE(leaderships[i].end, next.begin) << "both lead: " << both;
    // Nobody takes what is neither given back nor has run out. client-go compares what it reads in a form
    // that has no fractions of a second: it overlooks a renewal in the same second as the one before.
    if (!leader.asked || !leader.ends) {
      const auto waits = ElectionRace::duration - (next.leader->of == Implementation::client_go ? 1s : 0s);
      EXPECT_GE(next.begin, leader.holds.back() + waits) << "too early: " << both;
    }
  }
}

/// Checks that the lease went from holder to holder as the leaders report, and that it counts the
/// transitions.
void expect_good_history(const std::vector<k8s::Lease>& versions, const std::vector<std::string>& leaders) {
  ASSERT_FALSE(versions.empty());
  EXPECT_EQ(versions.front().transitions(), 0);
  std::vector<std::string> holders{std::string(versions.front().holder())};
  for (std::size_t i = 1; i < versions.size(); ++i) {
    if (expect_good_step(versions[i - 1], versions[i])) holders.emplace_back(versions[i].holder());
  }
  EXPECT_EQ(versions.back().transitions() + 1, static_cast<std::int64_t>(holders.size()));
  EXPECT_EQ(holders, leaders);
}

/// Returns whether candidates of a kind have seen others lead, whose names begin with `others`.
bool saw(const ElectionRace& race, Implementation of, const std::string& others) {
  return std::ranges::any_of(race.candidates(), [&](const auto& candidate) {
    return candidate->of == of && std::ranges::any_of(candidate->sees, [&](const std::string& seen) {
             return seen.starts_with(others);
           });
  });
}

void print_figures(const std::vector<Leadership>& leaderships, std::chrono::duration<double> took) {
  std::map<Implementation, int> led;
  std::map<std::pair<Implementation, Implementation>, int> changes;
  std::map<Implementation, std::chrono::duration<double>> noticed;
  int asked = 0, killed = 0, stopped = 0;
  for (std::size_t i = 0; i < leaderships.size(); ++i) {
    const Candidate& leader = *leaderships[i].leader;
    ++led[leader.of];
    if (i > 0) ++changes[{leaderships[i - 1].leader->of, leader.of}];
    asked += leader.asked ? 1 : 0;
    stopped += leader.stopped ? 1 : 0;
    killed += leader.killed ? 1 : 0;
    if (!leader.woken || !leader.ends) continue;
    auto& longest = noticed[leader.of];
    longest = std::max<std::chrono::duration<double>>(longest, *leader.ends - *leader.woken);
  }
  std::printf(
      "%zu leaderships in %.0f s, %d of Fairway's candidates and %d of client-go's; %d times from Fairway's "
      "to "
      "client-go's, %d times back; %d given up, %d killed, %d stopped. Woken, Fairway's had ended after %.3f "
      "s "
      "at most, client-go's after %.3f s\n",
      leaderships.size(), took.count(), led[Implementation::fairway], led[Implementation::client_go],
      changes[to_client_go], changes[to_fairway], asked, killed, stopped,
      noticed[Implementation::fairway].count(), noticed[Implementation::client_go].count());
}

// Three candidates of each kind for one lease.
TEST_F(Elections, RacedAgainstClientGoNeverHaveTwoLeaders) {
  std::vector<k8s::Lease> versions;
  std::jthread watcher([&](const std::stop_token& stop) { versions = history(stop); });
  ElectionRace race(cluster, key("raced-for"));
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    race.stand(Implementation::fairway);
    race.stand(Implementation::client_go);
  }
  const std::deque<Action> actions = {&ElectionRace::give_up, &ElectionRace::kill,   &ElectionRace::give_up,
                                      &ElectionRace::stop,    &ElectionRace::kill,   &ElectionRace::give_up,
                                      &ElectionRace::stop,    &ElectionRace::give_up};
  ASSERT_NO_FATAL_FAILURE(change_leaders(race, actions, 5));
  const auto took = std::chrono::steady_clock::now() - begun;
  race.finish();
  ASSERT_OK(client->patch(leases, key("raced-for"), kube::PatchType::merge,
                          parsed(R"({"metadata":{"labels":{"last":"yes"}}})")));
  watcher.join();

  const auto leaderships = race.leaderships();
  print_figures(leaderships, took);
  expect_one_leader(leaderships, race.log());
  std::vector<std::string> leaders;
  for (const Leadership& one : leaderships) leaders.push_back(one.leader->identity);
  expect_good_history(versions, leaders);
  // Each kind reads who leads as the other has written it.
  EXPECT_TRUE(saw(race, Implementation::fairway, "client-go-"));
  EXPECT_TRUE(saw(race, Implementation::client_go, "fairway-"));
}

}  // namespace
}  // namespace fairway::conformance
