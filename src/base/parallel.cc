// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fairway {

namespace {

void run_on_threads(std::size_t count, int threads, const std::function<bool()>& go_on,
                    const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  const auto run = [&] {
    try {
      while (!failed && go_on()) {
        const std::size_t i = next++;
        if (i >= count) return;
        work(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t i = 1; i < wanted; ++i) {
      try {
        helpers.emplace_back(run);
      } catch (const std::system_error&) {
        break;  // the system gives no more threads: those that there are do the work
      }
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  run_on_threads(count, threads, [] { return true; }, work);
}

void parallel_for(std::size_t count, int threads, const Limits& limits, const Clock& clock,
                  const std::function<void(std::size_t)>& work) {
  run_on_threads(count, threads, [&] { return !limits.expired(clock); }, work);
}

}  // namespace fairway
