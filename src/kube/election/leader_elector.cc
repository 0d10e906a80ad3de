// SPDX-License-Identifier: Apache-2.0

#include "kube/election/leader_elector.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "base/log.h"

namespace fairway::kube {

LeaderElector::LeaderElector(std::unique_ptr<LeaseLock> lock, LeaseOptions options, Clock& clock,
                             metrics::Registry* registry)
    : election_(std::move(lock), std::move(options), clock) {
  random_ = election_.options().random ? election_.options().random : system_random();
  if (registry != nullptr) {
    status_ = registry->gauge("leader_election_master_status",
                              "Gauge of if the reporting system is master of the relevant lease, 0 indicates "
                              "backup, 1 indicates master. 'name' is the string used to identify the lease. "
                              "Please make sure to group by name.",
                              {{"name", election_.options().name}});
  }
}

Result<std::unique_ptr<LeaderElector>> LeaderElector::create(std::unique_ptr<LeaseLock> lock,
                                                             LeaseOptions options, Clock& clock,
                                                             metrics::Registry* registry) {
  if (auto checked = check(options); !checked) return fail(checked.error());
  if (options.identity.empty()) options.identity = unique_identity();
  return std::unique_ptr<LeaderElector>(
      new LeaderElector(std::move(lock), std::move(options), clock, registry));
}

Result<std::unique_ptr<LeaderElector>> LeaderElector::create(const std::shared_ptr<Client>& client,
                                                             const LeaseOptions& options,
                                                             metrics::Registry* registry) {
  // Renewals do not queue behind the program's other requests.
  return create(lease_on(client->without_rate_limit(), {options.namespace_name, options.name}), options,
                client->clock(), registry);
}

std::string LeaderElector::lease_name() const {
  return election_.options().namespace_name + "/" + election_.options().name;
}

void LeaderElector::update_metrics() {
  status_.set(leads() ? 1 : 0);
}

/// Waits for the time between two attempts, and up to `spread` of it more.
void LeaderElector::pause(double spread, const std::stop_token& stop) {
  const double factor = 1 + spread * random_();
  const std::chrono::duration<double, std::nano> period =
      std::chrono::duration<double, std::nano>(election_.options().retry_period) * factor;
  Clock& clock = election_.clock();
  clock.wait_until(clock.steady() + std::chrono::duration_cast<SteadyTime::duration>(period), stop);
}

bool LeaderElector::acquire(const std::stop_token& stop) {
  // As in client-go: with jitter, so that candidates do not write the lease at the same moment.
  constexpr double spread = 1.2;
  std::string reported, holder;
  log::info("waiting to lead", {{"lease", lease_name()}, {"identity", identity()}});
  while (!stop.stop_requested()) {
    const auto outcome =
        election_.attempt(Limits::within(election_.clock(), election_.options().renew_deadline / 2, stop));
    if (outcome == Election::Outcome::leads) return true;
    if (outcome == Election::Outcome::failed && !stop.stop_requested() &&
        election_.last_error() != reported) {
      reported = election_.last_error();
      log::warning("cannot ask for the lease; trying again", {{"lease", lease_name()}, {"error", reported}});
    }
    if (outcome == Election::Outcome::follows && holder != election_.holder()) {
      holder = election_.holder();
      log::info("another leads", {{"lease", lease_name()}, {"leader", holder}});
    }
    pause(spread, stop);
  }
  return false;
}

Result<void> LeaderElector::renew(const std::stop_token& ended) {
  std::string why;
  while (true) {
    pause(0, ended);
    // The last renewal may be too old to count, whatever the next answer would be.
    const auto until = election_.leads_until();
    const SteadyTime now = election_.clock().steady();
    if (!until || now >= *until) break;
    if (ended.stop_requested()) return {};
    const auto outcome = election_.attempt({*until, ended});
    if (outcome == Election::Outcome::follows) {
      return fail(ErrorCode::conflict, "the lease " + lease_name() + " is held by " + election_.holder() +
                                           ": this process does not lead any more");
    }
    if (outcome == Election::Outcome::failed) why = election_.last_error();
  }
  return not_renewed(why);
}

std::unexpected<Error> LeaderElector::not_renewed(const std::string& why) const {
  return fail(ErrorCode::unavailable, "the lease " + lease_name() + " could not be renewed within " +
                                          format_duration(election_.options().renew_deadline) +
                                          ", so this process does not lead any more" +
                                          (why.empty() ? "" : ": " + why));
}

Result<void> LeaderElector::run(const std::function<void(const std::stop_token&)>& work,
                                const std::stop_token& stop) {
  if (!acquire(stop)) return {};
  log::info("leading", {{"lease", lease_name()}, {"identity", identity()}});

  std::stop_source stop_work;  // `work` is to come to an end
  std::stop_source ended;      // it has, or leadership is over: nothing is to be renewed any more
  const std::stop_callback on_stop(stop, [&] { stop_work.request_stop(); });
  std::exception_ptr thrown;
  std::atomic<bool> too_late = false;  // an answer that comes after that changes nothing
  std::jthread worker([&, token = stop_work.get_token()] {
    try {
      work(token);
    } catch (...) {
      thrown = std::current_exception();
    }
    ended.request_stop();
  });
  // Beside the thread that renews: that one may hang in a request when the time is over.
  std::jthread watch([&, token = ended.get_token()] {
    while (!token.stop_requested()) {
      const auto until = election_.leads_until();
      if (!until || election_.clock().wait_until(*until, token)) {
        if (election_.leads()) continue;  // renewed meanwhile
        too_late = true;
        stop_work.request_stop();
        ended.request_stop();
      }
    }
  });
  Result<void> renewed = renew(ended.get_token());
  if (renewed && too_late) renewed = not_renewed("the server answered too late");
  if (!renewed) {
    log::error("leadership is lost", {{"error", renewed.error().message}});
    stop_work.request_stop();
    ended.request_stop();
  }
  worker.join();
  watch.join();
  election_.release(Limits::within(election_.clock(), election_.options().renew_deadline / 2));
  if (thrown) std::rethrow_exception(thrown);
  return renewed;
}

}  // namespace fairway::kube
