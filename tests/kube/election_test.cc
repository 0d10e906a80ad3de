// SPDX-License-Identifier: Apache-2.0

#include "kube/election/election.h"

#include <gtest/gtest.h>

#include "kube/memory_lease.h"

namespace fairway::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::lease_options;
using testing::MemoryLease;
using testing::MemoryLock;
using Outcome = Election::Outcome;

Election election_on(MemoryLease& lease, Clock& clock, const std::string& identity) {
  return Election(std::make_unique<MemoryLock>(lease), lease_options(identity), clock);
}

TEST(Election, CreatesTheLeaseWhereThereIsNone) {
  FakeClock clock(parse_time("2026-01-02T03:04:05Z").value());
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  EXPECT_EQ(one.attempt({}), Outcome::leads);
  EXPECT_TRUE(one.leads());
  EXPECT_EQ(lease.now().holder(), "one");
  EXPECT_EQ(lease.now().key().to_string(), "fairway-system/operator");
  EXPECT_EQ(lease.now().duration(), seconds(15));
  EXPECT_EQ(lease.now().acquire_time(), "2026-01-02T03:04:05.000000Z");
  EXPECT_EQ(lease.now().renew_time(), "2026-01-02T03:04:05.000000Z");
  EXPECT_EQ(lease.now().transitions(), 0);
}

TEST(Election, RenewsWithoutReadingAndKeepsTheTimeOfAcquisition) {
  FakeClock clock(parse_time("2026-01-02T03:04:05Z").value());
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  for (int i = 0; i < 10; ++i) {
    clock.advance(seconds(9));
    ASSERT_TRUE(one.leads());
    ASSERT_EQ(one.attempt({}), Outcome::leads);
  }
  EXPECT_EQ(lease.now().acquire_time(), "2026-01-02T03:04:05.000000Z");
  EXPECT_EQ(lease.now().renew_time(), "2026-01-02T03:05:35.000000Z");
  EXPECT_EQ(lease.now().transitions(), 0);
}

TEST(Election, StopsToBelieveBeforeAnybodyElseMayBegin) {
  FakeClock clock;
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  Election two = election_on(lease, clock, "two");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  EXPECT_EQ(two.attempt({}), Outcome::follows);
  EXPECT_EQ(two.holder(), "one");
  clock.advance(seconds(10));
  EXPECT_FALSE(one.leads());
  EXPECT_EQ(two.attempt({}), Outcome::follows);
  clock.advance(milliseconds(4999));
  EXPECT_EQ(two.attempt({}), Outcome::follows);
  clock.advance(milliseconds(1));
  EXPECT_EQ(two.attempt({}), Outcome::leads);
  EXPECT_EQ(lease.now().transitions(), 1);
  EXPECT_EQ(one.attempt({}), Outcome::follows);
}

TEST(Election, CountsFromWhenItSawTheLastChange) {
  FakeClock clock;
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  // However old the lease is: who has just come waits for as long as it lasts.
  clock.advance(std::chrono::hours(24));
  Election two = election_on(lease, clock, "two");
  EXPECT_EQ(two.attempt({}), Outcome::follows);
  clock.advance(seconds(14));
  EXPECT_EQ(two.attempt({}), Outcome::follows);
  // Somebody labels the lease: that is no renewal.
  k8s::Lease labelled = lease.now();
  labelled.set_label("color", "red");
  ASSERT_TRUE(lease.replace(labelled));
  clock.advance(seconds(1));
  EXPECT_EQ(two.attempt({}), Outcome::leads);
  EXPECT_EQ(lease.now().label("color"), "red");
}

TEST(Election, DoesNotCompareTheTimesOfOthersWithItsOwn) {
  MemoryLease lease;
  FakeClock ahead(parse_time("2036-01-01T00:00:00Z").value()),
      behind(parse_time("2016-01-01T00:00:00Z").value());
  Election one = election_on(lease, ahead, "one");
  Election two = election_on(lease, behind, "two");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  EXPECT_EQ(two.attempt({}), Outcome::follows);
  behind.advance(seconds(15));
  EXPECT_EQ(two.attempt({}), Outcome::leads);
  ahead.advance(seconds(10));
  EXPECT_FALSE(one.leads());
}

TEST(Election, LeavesTheLeaseToOthersAtOnce) {
  FakeClock clock;
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  Election two = election_on(lease, clock, "two");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  ASSERT_EQ(two.attempt({}), Outcome::follows);
  one.release({});
  EXPECT_FALSE(one.leads());
  EXPECT_EQ(lease.now().holder(), "");
  EXPECT_EQ(lease.now().duration(), seconds(1));
  EXPECT_EQ(two.attempt({}), Outcome::leads);
  EXPECT_EQ(lease.now().transitions(), 1);
  EXPECT_EQ(lease.now().duration(), seconds(15));
  one.release({});
  EXPECT_EQ(lease.now().holder(), "two") << "what is not one's own is not given back";
}

TEST(Election, GoesOnWhereAnAnswerWasLost) {
  FakeClock clock;
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  // A renewal of its own of which it heard nothing.
  k8s::Lease renewed = lease.now();
  renewed.set_renew_time(clock.now() + seconds(1));
  ASSERT_TRUE(lease.replace(renewed));
  clock.advance(seconds(2));
  EXPECT_EQ(one.attempt({}), Outcome::leads);
  EXPECT_EQ(lease.now().transitions(), 0);
}

TEST(Election, ResignsAtOnceWhenAnotherHoldsTheLease) {
  FakeClock clock;
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  k8s::Lease taken = lease.now();
  taken.set_holder("an admin");
  ASSERT_TRUE(lease.replace(taken));
  clock.advance(seconds(2));
  EXPECT_EQ(one.attempt({}), Outcome::follows);
  EXPECT_FALSE(one.leads());
  EXPECT_EQ(one.holder(), "an admin");
}

TEST(Election, WaitsForTheLeaderOfALeaseThatIsGone) {
  FakeClock clock;
  MemoryLease lease;
  Election one = election_on(lease, clock, "one");
  Election two = election_on(lease, clock, "two");
  ASSERT_EQ(one.attempt({}), Outcome::leads);
  ASSERT_EQ(two.attempt({}), Outcome::follows);
  lease.remove();
  EXPECT_EQ(two.attempt({}), Outcome::follows) << "the leader does not know yet";
  EXPECT_EQ(one.attempt({}), Outcome::leads) << "the leader makes it anew";
  EXPECT_EQ(two.attempt({}), Outcome::follows);
}

TEST(Election, TakesNoDurationThatMeansNothing) {
  FakeClock clock;
  for (const std::int64_t duration : {std::int64_t{-5}, std::int64_t{0}, INT64_MAX, INT64_MIN}) {
    MemoryLease lease;
    auto strange = k8s::make<k8s::Lease>("operator", "fairway-system");
    strange.set_holder("somebody");
    strange.set("spec.leaseDurationSeconds", duration);
    ASSERT_TRUE(lease.create(strange));
    Election one = election_on(lease, clock, "one");
    EXPECT_EQ(one.attempt({}), duration > 0 ? Outcome::follows : Outcome::leads) << duration;
  }
}

struct OptionsCase {
  const char* what;
  void (*change)(LeaseOptions&);
  const char* error;
};

TEST(LeaseOptions, AreCheckedBeforeAnythingBegins) {
  const std::vector<OptionsCase> cases = {
      {"usual ones", [](LeaseOptions&) {}, ""},
      {"no name", [](LeaseOptions& o) { o.name.clear(); }, "needs a namespace and a name"},
      {"no namespace", [](LeaseOptions& o) { o.namespace_name.clear(); }, "needs a namespace and a name"},
      {"deadline as long as the lease", [](LeaseOptions& o) { o.renew_deadline = o.duration; },
       "must be shorter than the lease (15s)"},
      {"rare attempts", [](LeaseOptions& o) { o.retry_period = seconds(9); },
       "1.2 of it shorter than the deadline (10s)"},
      {"no time between attempts", [](LeaseOptions& o) { o.retry_period = seconds(0); }, "must be above 0"},
      {"no time at all", [](LeaseOptions& o) { o.duration = seconds(0); }, "at least one second"},
  };
  for (const OptionsCase& one : cases) {
    LeaseOptions options = lease_options("one");
    one.change(options);
    const auto checked = check(options);
    if (*one.error == '\0') {
      EXPECT_TRUE(checked) << one.what;
    } else {
      ASSERT_FALSE(checked) << one.what;
      EXPECT_NE(checked.error().message.find(one.error), std::string::npos) << checked.error().message;
    }
  }
  EXPECT_NE(unique_identity(), unique_identity());
}

}  // namespace
}  // namespace fairway::kube
