// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/candidate.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "kube/election/leader_elector.h"

namespace fairway::conformance {

namespace {

using namespace std::chrono_literals;

SteadyTime steady() {
  return Clock::system().steady();
}

void say(SteadyTime at, std::string_view what) {
  // In one write: lines of several threads are not to mix.
  const std::string line = std::to_string(at.time_since_epoch().count()) + " " + std::string(what) + "\n";
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, line.data(), line.size());
}

/// A lock that prints each use of it.
class SayingLock final : public kube::LeaseLock {
 public:
  SayingLock(std::unique_ptr<kube::LeaseLock> lock, std::string identity)
      : lock_(std::move(lock)), identity_(std::move(identity)) {}

  kube::ApiResult<k8s::Lease> get(const Limits& limits) override {
    auto lease = lock_->get(limits);
    if (lease && lease->holder() != holder_) {
      holder_ = lease->holder();
      if (!holder_.empty() && holder_ != identity_) say(steady(), "sees " + holder_);
    }
    return lease;
  }
  kube::ApiResult<k8s::Lease> create(const k8s::Lease& lease, const Limits& limits) override {
    const SteadyTime sent = steady();
    return said(lock_->create(lease, limits), sent);
  }
  kube::ApiResult<k8s::Lease> replace(const k8s::Lease& lease, const Limits& limits) override {
    const SteadyTime sent = steady();
    if (lease.holder().empty()) {
      end();  // whoever gives the lease back has stopped leading
      return lock_->replace(lease, limits);
    }
    return said(lock_->replace(lease, limits), sent);
  }

  void begin() { leads_ = true; }
  void end() {
    if (leads_.exchange(false)) say(steady(), "ends");
  }

 private:
  static kube::ApiResult<k8s::Lease> said(kube::ApiResult<k8s::Lease> written, SteadyTime sent) {
    if (written) say(sent, "holds");
    return written;
  }

  const std::unique_ptr<kube::LeaseLock> lock_;
  const std::string identity_;
  std::string holder_;
  std::atomic<bool> leads_ = false;
};

/// Checks `elector` many times a second. A process that finds more than a second between two checks has been
/// suspended.
void look(const kube::LeaderElector& elector, const std::stop_token& stop) {
  bool last = false;
  for (SteadyTime before = steady(); !last;) {
    last = !Clock::system().wait_until(before + 5ms, stop);
    const bool leads = elector.leads();
    const SteadyTime now = steady();
    if (now - before > 1s) say(now, leads ? "woke leads" : "woke follows");
    before = now;
  }
}

int failed(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  return 1;
}

}  // namespace

int run_candidate(const std::vector<std::string>& arguments) {
  if (arguments.size() != 7) return failed("a candidate takes seven arguments");
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  kube::LeaseOptions options;
  options.namespace_name = arguments[1];
  options.name = arguments[2];
  options.identity = arguments[3];
  const auto duration = parse_duration(arguments[4]);
  const auto renew_deadline = parse_duration(arguments[5]);
  const auto retry_period = parse_duration(arguments[6]);
  if (!duration || !renew_deadline || !retry_period) return failed("a duration is none");
  options.duration = std::chrono::duration_cast<std::chrono::seconds>(*duration);
  options.renew_deadline = *renew_deadline;
  options.retry_period = *retry_period;
  auto config = kube::load_client_config({.file = arguments[0], .context = {}});
  if (!config) return failed(config.error().message);
  const auto client = kube::Client::create(*std::move(config));
  if (!client) return failed(client.error().message);
  auto saying = std::make_unique<SayingLock>(kube::lease_on(*client, {options.namespace_name, options.name}),
                                             options.identity);
  SayingLock& lock = *saying;
  const auto elector = kube::LeaderElector::create(std::move(saying), options, Clock::system());
  if (!elector) return failed(elector.error().message);

  std::stop_source stop;
  std::jthread asked([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    stop.request_stop();
  });
  std::jthread looks([&](const std::stop_token& over) { look(**elector, over); });
  say(steady(), "stands");
  const auto led = (*elector)->run(
      [&](const std::stop_token& ended) {
        lock.begin();
        say(steady(), "leads");
        std::binary_semaphore over(0);
        const std::stop_callback on_end(ended, [&] { over.release(); });
        over.acquire();
      },
      stop.get_token());
  lock.end();
  looks.request_stop();
  looks.join();
  ::kill(::getpid(), SIGTERM);  // for the thread that waits for it
  asked.join();
  if (led) return 0;
  failed(led.error().message);
  return 3;
}

}  // namespace fairway::conformance
