// SPDX-License-Identifier: Apache-2.0

// Checks of results, which say the error of one that failed.
#pragma once

#include <gtest/gtest.h>

namespace fairway::testing {

/// Returns success for a result that has a value, and otherwise a failure with the message of its error. The
/// call is made once: `EXPECT_TRUE(call()) << call().error()` would call again after a failure.
template <class R>
::testing::AssertionResult is_ok(const R& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << result.error().message;
}

}  // namespace fairway::testing

#define ASSERT_OK(result) ASSERT_TRUE(::fairway::testing::is_ok(result))
#define EXPECT_OK(result) EXPECT_TRUE(::fairway::testing::is_ok(result))
