// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/read_barrier.h"

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <string>

#include "support/generous.h"

namespace fairway::kube {
namespace {

using std::chrono::seconds;

/// A store of uids, and a barrier in front of it.
class ReadBarrierTest : public ::testing::Test {
 protected:
  /// Returns whether a read would wait, without waiting.
  bool waits(const k8s::Key* key) {
    std::stop_source stop;
    stop.request_stop();
    const auto ready = barrier_.wait(key, {.stop = stop.get_token()});
    return !ready && ready.error().code == ErrorCode::cancelled;
  }
  std::future<Result<void>> wait_beside(const k8s::Key& key) {
    return std::async(std::launch::async,
                      [this, key] { return barrier_.wait(&key, Limits::within(clock_, seconds(10))); });
  }
  std::future<Result<void>> wait_for_all_beside() {
    return std::async(std::launch::async,
                      [this] { return barrier_.wait(nullptr, Limits::within(clock_, seconds(10))); });
  }
  /// Returns whether the wait has succeeded; one that has not ended is ended by its deadline.
  bool has_ended(std::future<Result<void>>& read) {
    if (read.wait_for(fairway::testing::generous(seconds(3))) != std::future_status::ready)
      clock_.advance(seconds(10));
    return read.get().has_value();
  }

  FakeClock clock_;
  std::map<k8s::Key, std::string> uids_;
  ReadBarrier barrier_{clock_, [this](const k8s::Key& key) { return uids_[key]; }};
  const k8s::Key one_{"a", "one"}, two_{"a", "two"};
};

TEST_F(ReadBarrierTest, IsClosedUntilTheFirstList) {
  EXPECT_TRUE(waits(&one_));
  EXPECT_TRUE(waits(nullptr));
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  barrier_.record_synced();
  EXPECT_TRUE(read.get());
  EXPECT_FALSE(waits(nullptr));
}

TEST_F(ReadBarrierTest, WaitsForWhatWasWrittenOfTheObjectAndOfNoOther) {
  barrier_.record_synced();
  barrier_.record_progress("100");
  barrier_.record_written(one_, "105");
  barrier_.record_written(one_, "103");  // an older answer that came later
  EXPECT_TRUE(waits(&one_));
  EXPECT_FALSE(waits(&two_));
  EXPECT_TRUE(waits(nullptr));
  barrier_.record_progress("104");
  EXPECT_TRUE(waits(&one_));
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  barrier_.record_progress("105");
  EXPECT_TRUE(read.get());
  EXPECT_FALSE(waits(nullptr));
  barrier_.record_written(one_, "99");
  EXPECT_FALSE(waits(&one_)) << "the store has it already";
}

TEST_F(ReadBarrierTest, SaysWhatIsMissingWhenTheTimeIsOver) {
  barrier_.record_synced();
  barrier_.record_written(one_, "7");
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  clock_.advance(seconds(10));
  const auto ended = read.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::deadline_exceeded);
  EXPECT_NE(ended.error().message.find("version 7 of a/one"), std::string::npos) << ended.error().message;
}

TEST_F(ReadBarrierTest, WaitsForTheEndOfWhatWasDeleted) {
  barrier_.record_synced();
  uids_[one_] = "u1";
  barrier_.record_removed(one_, "u1");
  barrier_.record_removed(two_, "u2");  // not there
  EXPECT_TRUE(waits(&one_));
  EXPECT_FALSE(waits(&two_));
  barrier_.record_progress("8");
  EXPECT_TRUE(waits(&one_));
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  uids_[one_] = "u9";  // another one by its name
  barrier_.record_progress("9");
  EXPECT_TRUE(read.get());
}

TEST_F(ReadBarrierTest, SeesThroughAnObjectThatWasMadeAndDeletedBeforeItCame) {
  barrier_.record_synced();
  barrier_.record_written(one_, "7");
  barrier_.record_removed(one_, "u1");
  uids_[one_] = "u1";
  barrier_.record_progress("7");
  EXPECT_TRUE(waits(&one_));
  uids_.erase(one_);
  barrier_.record_progress("8");
  EXPECT_FALSE(waits(&one_));
}

TEST_F(ReadBarrierTest, DoesNotWaitForeverForTheEndOfAnObjectWhoseUidWasNotSaid) {
  barrier_.record_synced();
  barrier_.record_removed(two_, "");  // not there
  EXPECT_FALSE(waits(&two_));
  barrier_.record_written(two_, "7");
  barrier_.record_removed(two_, "");
  barrier_.record_progress("7");
  EXPECT_FALSE(waits(&two_));
  EXPECT_FALSE(waits(nullptr));
  uids_[one_] = "u1";
  barrier_.record_removed(one_, "");
  EXPECT_TRUE(waits(&one_));
  uids_.erase(one_);
  barrier_.record_progress("8");
  EXPECT_FALSE(waits(&one_));
}

TEST_F(ReadBarrierTest, ForgetsVersionsOfBeforeABackup) {
  barrier_.record_synced();
  barrier_.record_progress("100");
  barrier_.record_written(one_, "105");
  barrier_.record_progress("50");
  EXPECT_FALSE(waits(&one_));
  barrier_.record_written(one_, "not a number");
  EXPECT_FALSE(waits(&one_));
}

TEST_F(ReadBarrierTest, DoesNotWaitForWhatIsWrittenDuringTheWait) {
  barrier_.record_synced();
  barrier_.record_written(one_, "5");
  auto read = wait_beside(one_), list = wait_for_all_beside();
  clock_.wait_for_waiters(2);
  barrier_.record_written(one_, "6");
  barrier_.record_written(two_, "7");
  barrier_.record_progress("5");
  EXPECT_TRUE(has_ended(read));
  EXPECT_TRUE(has_ended(list));
  EXPECT_TRUE(waits(&one_)) << "a later read waits for the later write";
  barrier_.record_progress("7");
  EXPECT_FALSE(waits(nullptr));
}

TEST_F(ReadBarrierTest, DoesNotWaitForTheEndOfWhatIsDeletedDuringTheWait) {
  barrier_.record_synced();
  barrier_.record_progress("4");
  uids_ = {{one_, "u1"}, {two_, "u2"}};
  barrier_.record_removed(one_, "u1");
  auto list = wait_for_all_beside();
  clock_.wait_for_waiters(1);
  barrier_.record_removed(two_, "u2");
  uids_.erase(one_);
  barrier_.record_progress("5");
  EXPECT_TRUE(has_ended(list));
  EXPECT_TRUE(waits(nullptr)) << "a later list waits for the later deletion";

  barrier_.record_written(one_, "6");
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  uids_[one_] = "u3";
  barrier_.record_removed(one_, "u3");
  barrier_.record_progress("6");
  EXPECT_TRUE(has_ended(read));
  EXPECT_TRUE(waits(&one_));
}

TEST_F(ReadBarrierTest, EndsItsWaitsAtOnceWhereTheServerWasRestored) {
  barrier_.record_synced();
  barrier_.record_progress("100");
  barrier_.record_written(one_, "105");
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  barrier_.record_progress("50");
  EXPECT_TRUE(has_ended(read));

  barrier_.record_progress("100");
  uids_[two_] = "u2";
  barrier_.record_removed(two_, "u2");
  barrier_.record_progress("60");
  EXPECT_FALSE(waits(&two_)) << "the backup has it";
}

TEST_F(ReadBarrierTest, HoldsABoundedNumberOfObjects) {
  barrier_.record_synced();
  std::uint64_t version = 10;
  for (std::size_t i = 0; i <= ReadBarrier::max_keys; ++i)
    barrier_.record_written({"a", "w" + std::to_string(i)}, std::to_string(++version));
  EXPECT_TRUE(waits(&one_)) << "which were written is not known any more";
  EXPECT_TRUE(waits(nullptr));
  barrier_.record_written(two_, std::to_string(version + 1));
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  barrier_.record_progress(std::to_string(version));
  EXPECT_TRUE(has_ended(read));
  EXPECT_TRUE(waits(&two_));
  barrier_.record_progress(std::to_string(version + 1));
  EXPECT_FALSE(waits(nullptr));
}

TEST_F(ReadBarrierTest, WaitsForEachOfTwoObjectsOfOneVersion) {
  barrier_.record_synced();
  barrier_.record_written(one_, "5");
  barrier_.record_written(two_, "5");
  EXPECT_TRUE(waits(&one_));
  EXPECT_TRUE(waits(&two_));
  barrier_.record_progress("5");
  EXPECT_FALSE(waits(&one_));
  EXPECT_FALSE(waits(&two_));
  EXPECT_FALSE(waits(nullptr));
}

TEST_F(ReadBarrierTest, AVersionThatIsNoNumberIsNotOneOfBeforeABackup) {
  barrier_.record_synced();
  barrier_.record_progress("100");
  barrier_.record_written(one_, "105");
  uids_[two_] = "u2";
  barrier_.record_removed(two_, "u2");
  uids_.erase(two_);
  for (const char* version : {"", "0", "not a number"}) barrier_.record_progress(version);
  EXPECT_TRUE(waits(&one_));
  EXPECT_FALSE(waits(&two_)) << "the store says that it has gone";
  barrier_.record_written(two_, "99");
  EXPECT_FALSE(waits(&two_)) << "the store has it already";
  barrier_.record_progress("105");
  EXPECT_FALSE(waits(&one_));
}

TEST_F(ReadBarrierTest, ForgetsWhatWasWrittenBeforeTheListThatFoundNoKind) {
  barrier_.record_synced();
  barrier_.record_progress("5");
  uids_[two_] = "u2";
  barrier_.record_removed(two_, "u2");
  barrier_.record_written(one_, "7");
  barrier_.record_list_begins();
  barrier_.record_written(two_, "9");
  uids_.clear();
  barrier_.record_not_served();
  EXPECT_FALSE(waits(&one_));
  EXPECT_TRUE(waits(&two_)) << "it was written when the kind was served again";
  barrier_.record_list_begins();
  barrier_.record_not_served();
  EXPECT_FALSE(waits(nullptr));
}

TEST_F(ReadBarrierTest, EndsItsWaitsWhenItIsStopped) {
  auto read = wait_beside(one_);
  clock_.wait_for_waiters(1);
  barrier_.stop();
  EXPECT_EQ(read.get().error().code, ErrorCode::cancelled);
  EXPECT_EQ(barrier_.wait(&one_, {}).error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace fairway::kube
