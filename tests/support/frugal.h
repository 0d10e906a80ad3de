// A bound on what a piece of a test may cost.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

namespace fairway::testing {

/// Fails the test where what it lives through takes more than `longest`, or makes the process hold more
/// memory than ever before by more than `mebibytes` (not under sanitizers, which hold much themselves).
class Frugal {
 public:
  explicit Frugal(std::chrono::seconds longest = std::chrono::seconds(20), long mebibytes = 400)
      : longest_(longest), mebibytes_(mebibytes) {}
  ~Frugal() {
    EXPECT_LT(std::chrono::steady_clock::now() - began_, longest_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
    EXPECT_LT(peak() - before_, mebibytes_);
#endif
  }
  Frugal(const Frugal&) = delete;
  Frugal& operator=(const Frugal&) = delete;

 private:
  static long peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
  }

  std::chrono::seconds longest_;
  [[maybe_unused]] long mebibytes_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  [[maybe_unused]] long before_ = peak();
};

}  // namespace fairway::testing
