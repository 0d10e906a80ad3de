// SPDX-License-Identifier: Apache-2.0

// A count of the recorded cases that a test has judged, and of those that passed.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "support/shared_data.h"

namespace fairway::testing {

/// Counts the cases of one test, and prints both numbers at its end. The default folder must have `known`
/// cases; one that FAIRWAY_SHARED names may have others.
class CaseCount {
 public:
  CaseCount(std::string name, std::size_t known) : name_(std::move(name)), known_(known) {}
  ~CaseCount() {
    end();
    std::printf("%s: %zu of %zu passed%s\n", name_.c_str(), passed_, all_, note_.c_str());
    if (is_default_shared()) {
      EXPECT_EQ(all_, known_) << name_;
    }
  }
  CaseCount(const CaseCount&) = delete;
  CaseCount& operator=(const CaseCount&) = delete;

  /// Begins the next case.
  void begin() {
    end();
    ++all_;
    running_ = true;
    faults_ = faults();
  }
  /// Adds a text that is printed behind the numbers.
  void record(const std::string& text) { note_ = ", " + text; }

 private:
  void end() {
    if (running_ && faults() == faults_) ++passed_;
    running_ = false;
  }
  /// Number of failures of this test, until now.
  static int faults() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
  }

  const std::string name_;
  const std::size_t known_;
  std::string note_;
  std::size_t all_ = 0, passed_ = 0;
  int faults_ = 0;
  bool running_ = false;
};

}  // namespace fairway::testing
