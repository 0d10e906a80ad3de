// SPDX-License-Identifier: Apache-2.0

#include "kube/election/election.h"

#include <algorithm>
#include <utility>

namespace fairway::kube {

namespace {

/// Returns the time that other candidates have to wait. The duration in the record is clamped, as another
/// process wrote it.
SteadyTime::duration lasts(const k8s::Lease& lease) {
  constexpr std::chrono::seconds longest = std::chrono::hours(24 * 366);
  return std::clamp(lease.duration(), std::chrono::seconds(0), longest);
}

/// Returns the part of a lease that says who leads. A change of its labels does not renew it.
const json::Value& record(const k8s::Lease& lease) {
  static const json::Value none;
  const json::Value* spec = lease.find("spec");
  return spec != nullptr ? *spec : none;
}

}  // namespace

Election::Election(std::unique_ptr<LeaseLock> lock, LeaseOptions options, Clock& clock)
    : lock_(std::move(lock)), options_(std::move(options)), clock_(clock) {}

bool Election::leads() const {
  const auto until = leads_until();
  return until && clock_.steady() < *until;
}

std::optional<SteadyTime> Election::leads_until() const {
  const std::lock_guard lock(mutex_);
  return leads_until_;
}

std::string Election::holder() const {
  const std::lock_guard lock(mutex_);
  return holder_;
}

void Election::set_leads_until(std::optional<SteadyTime> until) {
  const std::lock_guard lock(mutex_);
  leads_until_ = until;
}

void Election::observe(k8s::Lease lease) {
  const SteadyTime now = clock_.steady();
  const bool changed = !observed_ || record(observed_->lease) != record(lease);
  {
    const std::lock_guard lock(mutex_);
    holder_ = lease.holder();
  }
  // Even where nothing of the record has changed, the newest resourceVersion is what the next write needs.
  observed_ = Observed{std::move(lease), changed ? now : observed_->since};
}

bool Election::may_still_be_held(SteadyTime now) const {
  if (!observed_) return false;
  const k8s::Lease& lease = observed_->lease;
  return !lease.holder().empty() && !is_ours(lease) && now < observed_->since + lasts(lease);
}

Election::Outcome Election::failed(std::string why) {
  last_error_ = std::move(why);
  return Outcome::failed;
}

Election::Outcome Election::write(const k8s::Lease& next, bool is_new, const Limits& limits) {
  // From before it is sent: no other candidate can have observed the write earlier.
  const SteadyTime sent = clock_.steady();
  auto written = is_new ? lock_->create(next, limits) : lock_->replace(next, limits);
  if (!written) return failed(std::move(written.error().message));
  // An answer of something that is not what was written is no answer to rely on.
  if (!is_ours(*written)) return failed("the server kept another holder than the one that was written");
  observe(*std::move(written));
  const SteadyTime until = sent + std::chrono::duration_cast<SteadyTime::duration>(options_.renew_deadline);
  set_leads_until(until);
  if (clock_.steady() >= until) return failed("the server's answer came too late to lead by it");
  return Outcome::leads;
}

Election::Outcome Election::attempt(const Limits& limits) {
  last_error_.clear();
  const bool led = leads();
  const auto renewed = [&](k8s::Lease lease) {
    lease.set_duration(options_.duration);
    lease.set_renew_time(clock_.now());
    return lease;
  };
  // The remembered resourceVersion shows whether another candidate has written since.
  if (led && observed_ && is_ours(observed_->lease)) {
    // Half the time: where one connection hangs, there is time for another.
    const Limits half = limits.has_deadline() ? limits.at_most(clock_, limits.remaining(clock_) / 2) : limits;
    if (write(renewed(observed_->lease), false, half) == Outcome::leads) return Outcome::leads;
  }

  auto current = lock_->get(limits);
  if (!current && !current.error().is_not_found()) return failed(std::move(current.error().message));
  if (current) observe(*current);
  // A lease that was deleted may still have a leader that does not know it.
  if (may_still_be_held(clock_.steady())) {
    set_leads_until(std::nullopt);
    return Outcome::follows;
  }
  if (!current) {
    auto lease = k8s::make<k8s::Lease>(options_.name, options_.namespace_name);
    lease.set_holder(options_.identity);
    lease.set_acquire_time(clock_.now());
    lease.set_transitions(0);
    return write(renewed(std::move(lease)), true, limits);
  }
  k8s::Lease lease = *std::move(current);
  if (!is_ours(lease)) {
    // Another candidate held it last, so the former leader does not lead any more.
    set_leads_until(std::nullopt);
    lease.set_holder(options_.identity);
    lease.set_acquire_time(clock_.now());
    lease.set_transitions(lease.transitions() + 1);
  }
  return write(renewed(std::move(lease)), false, limits);
}

void Election::release(const Limits& limits) {
  const bool led = leads();
  set_leads_until(std::nullopt);
  if (!led || !options_.release_on_stop || !observed_ || !is_ours(observed_->lease)) return;
  k8s::Lease lease = observed_->lease;
  lease.set_holder("");
  lease.set_duration(std::chrono::seconds(1));
  lease.set_renew_time(clock_.now());
  lease.set_acquire_time(clock_.now());
  if (auto written = lock_->replace(lease, limits)) observe(*std::move(written));
}

}  // namespace fairway::kube
