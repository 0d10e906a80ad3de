// SPDX-License-Identifier: Apache-2.0

// Values computed from records, their invalidation, and the rules by which records were written.
#include <gtest/gtest.h>

#include "storage_case.h"

namespace fairway::apiserver::storage {
namespace {

class StorageInvalidation : public ::testing::Test {
 protected:
  RecordPtr read() const { return storage_->get(key_).value(); }
  int computed(int value) const {
    return read()->derived().get<int>(1, [&] { return value; });
  }

  const Key key_ = config_map("a");
  std::unique_ptr<Storage> storage_ = open_memory_storage().value();
};

TEST_F(StorageInvalidation, ForgetsWhatWasComputedAndNothingElse) {
  auto written = Body::of(R"({"metadata":{"name":"a"},"data":{"k":"v"}})", 7);
  ASSERT_TRUE(storage_->write({key_, Precondition::absent(), *written}));
  const RecordPtr before = read();
  EXPECT_EQ(computed(1), 1);
  EXPECT_EQ(computed(2), 1);
  ASSERT_TRUE(storage_->invalidate(key_.resource));
  EXPECT_EQ(computed(3), 3);
  const RecordPtr after = read();
  EXPECT_EQ(after->json(), before->json());
  EXPECT_EQ(after->revision(), before->revision());
  EXPECT_EQ(after->form(), 7U);
  EXPECT_EQ(before->derived().get<int>(1, [] { return 0; }), 1) << "who has a record keeps it";
  EXPECT_EQ(text(storage_->list({key_.resource})->records), "default/a=2");
}

TEST_F(StorageInvalidation, ADeletionHasTheFormOfTheLastState) {
  auto written = Body::of(R"({"metadata":{"name":"a"}})", 7);
  ASSERT_TRUE(storage_->write({key_, Precondition::absent(), *written}));
  const auto deleted = storage_->write(remove(key_));
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->records.front()->form(), 7U);
}

}  // namespace
}  // namespace fairway::apiserver::storage
