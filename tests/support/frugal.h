// SPDX-License-Identifier: Apache-2.0

// A bound on what a piece of a test may cost.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "support/sanitized.h"

namespace fairway::testing {

/// Fails the test if, during its lifetime, the process uses more than `longest` of the processors' time,
/// whatever else runs beside it, or raises its peak memory by more than `mebibytes` (not under sanitizers,
/// which use much themselves).
class Frugal {
 public:
  explicit Frugal(std::chrono::seconds longest = std::chrono::seconds(20), long mebibytes = 400)
      : longest_(longest), mebibytes_(mebibytes) {}
  ~Frugal() {
    // With a sanitizer all takes many times as long, and how many depends on the machine.
    EXPECT_LT(processor_time() - began_, is_sanitized ? longest_ * 10 : longest_);
    if constexpr (!is_sanitized) {
      EXPECT_LT(peak() - before_, mebibytes_);
    }
  }
  Frugal(const Frugal&) = delete;
  Frugal& operator=(const Frugal&) = delete;

 private:
  static std::chrono::microseconds processor_time() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }
  static long peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
  }

  std::chrono::seconds longest_;
  long mebibytes_;
  std::chrono::microseconds began_ = processor_time();
  long before_ = peak();
};

}  // namespace fairway::testing
