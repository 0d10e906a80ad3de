// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace fairway::http {
namespace {

std::unexpected<Error> out_of(std::string_view what) {
  return fail(ErrorCode::unavailable,
              "starting an I/O loop: " + std::string(what) + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::create() {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return out_of("epoll_create1");
  const int wakeup = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wakeup < 0) {
    auto error = out_of("eventfd");
    ::close(epoll);
    return error;
  }
  std::unique_ptr<EventLoop> loop(new EventLoop(epoll, wakeup));
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) != 0) return out_of("epoll_ctl");
  return loop;
}

EventLoop::~EventLoop() {
  ::close(wakeup_);
  ::close(epoll_);
}

bool EventLoop::add(int fd, std::uint32_t events, Ready& target) {
  epoll_event event{.events = events, .data = {.ptr = &target}};
  return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void EventLoop::remove(int fd) {
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

void EventLoop::post(Task task) {
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    first = tasks_.empty();
    tasks_.push_back(std::move(task));
  }
  if (first) {
    const std::uint64_t one = 1;
    // The counter cannot be full: it is read before tasks are taken.
    [[maybe_unused]] const auto written = ::write(wakeup_, &one, sizeof one);
  }
}

void EventLoop::run_tasks() {
  {
    const std::scoped_lock lock(mutex_);
    running_.swap(tasks_);
  }
  for (Task& task : running_) task();
  running_.clear();
}

void EventLoop::run(const std::function<SteadyTime()>& after_batch) {
  std::array<epoll_event, 256> events;
  now_ = std::chrono::steady_clock::now();
  SteadyTime wake = after_batch();
  while (!stopped_.load(std::memory_order_acquire)) {
    int timeout = -1;
    if (wake != SteadyTime::max()) {
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(wake - std::chrono::steady_clock::now());
      timeout = static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, 60'000));
    }
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout);
    now_ = std::chrono::steady_clock::now();
    bool woken = false;
    for (int i = 0; i < count; ++i) {
      if (auto* target = static_cast<Ready*>(events[i].data.ptr)) {
        target->on_ready(events[i].events);
      } else {
        woken = true;
      }
    }
    if (woken) {
      std::uint64_t ignored = 0;
      [[maybe_unused]] const auto got = ::read(wakeup_, &ignored, sizeof ignored);
      run_tasks();
    }
    wake = after_batch();
  }
}

void EventLoop::stop() {
  stopped_.store(true, std::memory_order_release);
  post([] {});
}

}  // namespace fairway::http
