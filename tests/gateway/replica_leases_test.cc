// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/replicas/replica_leases.h"

#include <gtest/gtest.h>

namespace fairway::gateway {
namespace {

using std::chrono::seconds;
using Leases = std::vector<std::shared_ptr<const k8s::Lease>>;

const WallTime long_ago{};
constexpr SteadyTime start{seconds(1000)};

std::shared_ptr<const k8s::Lease> lease_of(const std::string& identity, WallTime renewed = long_ago,
                                           const std::string& address = "10.0.0.7:18443") {
  return std::make_shared<const k8s::Lease>(
      lease_of_replica("fairway-gateway", "infra", identity, address, renewed));
}
std::shared_ptr<const k8s::Lease> led_by(const std::string& identity) {
  auto lease = k8s::make<k8s::Lease>("fairway-gateway", "infra");
  lease.set_holder(identity);
  return std::make_shared<const k8s::Lease>(std::move(lease));
}

class ReplicaLeasesTest : public ::testing::Test {
 protected:
  ReplicaLeases leases_{"fairway-gateway", "self"};
};

TEST_F(ReplicaLeasesTest, OthersAreThoseOfTheElectionButOneself) {
  auto stranger = k8s::make<k8s::Lease>("kube-node", "infra");
  stranger.set_holder("node");
  leases_.update(
      {led_by("a"), lease_of("a"), lease_of("self"), std::make_shared<const k8s::Lease>(std::move(stranger))},
      start);
  EXPECT_EQ(leases_.others(start), std::set<std::string>{"a"});
  EXPECT_EQ(leases_.leader(start), (ReplicaLeases::Leader{"a", "10.0.0.7:18443"}));
  EXPECT_FALSE(leases_.is_leader());
}

TEST_F(ReplicaLeasesTest, OneThatLeadsReportsToNobody) {
  leases_.update({led_by("self"), lease_of("a"), lease_of("self")}, start);
  EXPECT_EQ(leases_.leader(start), std::nullopt);
  EXPECT_TRUE(leases_.is_leader());
  leases_.update({lease_of("a"), lease_of("self")}, start);
  EXPECT_EQ(leases_.leader(start), std::nullopt);
  EXPECT_FALSE(leases_.is_leader()) << "nobody leads";
}

TEST_F(ReplicaLeasesTest, EndByOnesOwnClock) {
  // However long ago it says that it was renewed: it may be the other clock that is wrong.
  leases_.update({lease_of("a")}, start);
  EXPECT_EQ(leases_.next_end(start), start + seconds(30));
  leases_.update({lease_of("a")}, start + seconds(20));
  EXPECT_EQ(leases_.others(start + seconds(29)).size(), 1U);
  EXPECT_TRUE(leases_.others(start + seconds(30)).empty()) << "it was seen, and had not changed";
  EXPECT_EQ(leases_.next_end(start + seconds(30)), SteadyTime::max());
  leases_.update({lease_of("a", long_ago + seconds(1))}, start + seconds(40));
  EXPECT_EQ(leases_.others(start + seconds(69)).size(), 1U) << "renewed";
}

TEST_F(ReplicaLeasesTest, ThatAreLeftOverAreNamed) {
  const auto left = lease_of("a");
  leases_.update({left}, start);
  EXPECT_TRUE(leases_.leftovers(start + seconds(629)).empty());
  EXPECT_EQ(leases_.leftovers(start + seconds(630)), std::set<std::string>{std::string(left->name())});
}

TEST_F(ReplicaLeasesTest, OfADurationThatIsNoneEndAllTheSame) {
  for (const auto& [duration, end] :
       {std::pair{seconds(0), seconds(5)}, {seconds(1'000'000), seconds(300)}}) {
    ReplicaLeases leases("fairway-gateway", "self");
    k8s::Lease lease = *lease_of("a");
    lease.set_duration(duration);
    leases.update({std::make_shared<const k8s::Lease>(lease)}, start);
    EXPECT_EQ(leases.next_end(start), start + end);
  }
}

}  // namespace
}  // namespace fairway::gateway
