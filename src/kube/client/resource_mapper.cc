// SPDX-License-Identifier: Apache-2.0

#include "kube/client/resource_mapper.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "kube/internal/client/resource_lookup.h"

namespace fairway::kube {

namespace {

/// Returns whether another discovery may change the answer.
bool may_change(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::unavailable ||
         error.code == ErrorCode::conflict;
}

/// Returns whether the answer counts even if the server cannot be asked.
bool is_known(const std::optional<Result<k8s::ApiResource>>& found) {
  return found && (found->has_value() || found->error().code == ErrorCode::conflict);
}

/// Keeps the earlier resources of the versions that are stale now.
void keep_earlier(ServedResources& now, const ServedResources& before) {
  for (const k8s::DiscoveredGroup& group : now.discovery.groups) {
    const k8s::DiscoveredGroup* group_before = before.discovery.find(group.name);
    for (const k8s::DiscoveredVersion& version : group.versions) {
      if (!version.stale) continue;
      const k8s::GroupVersion of{group.name, version.version};
      const k8s::DiscoveredVersion* known =
          group_before != nullptr ? group_before->find(version.version) : nullptr;
      if (known != nullptr && !known->stale) {
        now.earlier.emplace(of, *known);
      } else if (const auto kept = before.earlier.find(of); kept != before.earlier.end()) {
        now.earlier.insert(*kept);
      }
    }
  }
}

}  // namespace

ResourceMapper::ResourceMapper(std::shared_ptr<Client> client, ResourceMapperOptions options)
    : client_(std::move(client)), options_(options), clock_(client_->clock()) {}

ResourceMapper::~ResourceMapper() = default;

Result<k8s::ApiResource> ResourceMapper::find(const k8s::GroupVersionKind& kind, const Limits& limits) {
  return look_up([&](const ServedResources& served) { return find_kind(served, kind); }, limits);
}

Result<k8s::ApiResource> ResourceMapper::find(const k8s::GroupKind& kind, const Limits& limits) {
  return look_up([&](const ServedResources& served) { return find_kind(served, kind); }, limits);
}

Result<k8s::ApiResource> ResourceMapper::find_by_name(std::string_view name, const Limits& limits) {
  return look_up([&](const ServedResources& served) { return find_name(served, name); }, limits);
}

Result<k8s::ApiResource> ResourceMapper::wait_for(const k8s::GroupVersionKind& kind, const Limits& limits) {
  while (true) {
    auto found = find(kind, limits);
    if (found || found.error().code == ErrorCode::conflict) return found;
    SteadyTime next{};
    {
      const std::lock_guard lock(mutex_);
      next = begun_.value_or(clock_.steady()) + options_.refresh_every;
    }
    if (!limits.expired(clock_)) clock_.wait_until(std::min(next, limits.deadline), limits.stop);
    if (limits.expired(clock_)) {
      return fail(limits.stop.stop_requested() ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                  "waiting until the server serves " + kind.to_string() + ": " + found.error().message);
    }
  }
}

std::shared_ptr<const ServedResources> ResourceMapper::known() const {
  const std::lock_guard lock(mutex_);
  return cache_;
}

void ResourceMapper::mark_outdated() {
  const std::lock_guard lock(mutex_);
  // A reading that runs may have read before what the caller has seen.
  needed_ = ended_ + (reading_ ? 2 : 1);
}

Result<k8s::ApiResource> ResourceMapper::look_up(const Lookup& lookup, const Limits& limits) {
  std::unique_lock lock(mutex_);
  std::shared_ptr<const ServedResources> seen = cache_;
  std::optional<Result<k8s::ApiResource>> found;
  if (seen) found = lookup(*seen);
  if (found && (found->has_value() ? !outdated() : !may_change(found->error()))) return *std::move(found);
  const bool may = may_begin();
  if (reading_ || may) {
    // One that runs may be older than a mark. Whether another may follow it is up to the rate.
    const auto waited = wait_for_reading(lock, may ? std::max(ended_ + 1, needed_) : ended_ + 1, limits);
    if (!waited && !is_known(found)) return fail(waited.error());
  }
  if (cache_ && cache_ != seen) found = lookup(*cache_);
  // Known before, and not contradicted; or a miss in what the server has just said.
  if (found && (is_known(found) || !failure_)) return *std::move(found);
  return fail(failure_.value_or(Error{ErrorCode::unavailable, "the server was not asked yet"}));
}

Result<void> ResourceMapper::refresh(const Limits& limits) {
  std::unique_lock lock(mutex_);
  // One that runs already may have read before what the caller means.
  const std::uint64_t wanted = ended_ + (reading_ ? 2 : 1);
  if (auto waited = wait_for_reading(lock, wanted, limits); !waited) return waited;
  if (failure_) return fail(*failure_);
  return {};
}

/// Waits until this many discoveries have ended, and starts them.
Result<void> ResourceMapper::wait_for_reading(std::unique_lock<std::mutex>& lock, std::uint64_t wanted,
                                              const Limits& limits) {
  const Limits within = limits.has_deadline() ? limits : limits.at_most(clock_, options_.refresh_timeout);
  while (ended_ < wanted) {
    const std::uint64_t before = ended_;
    if (!reading_) begin();
    if (changed_.wait(lock, clock_, within, [&] { return ended_ != before; })) continue;
    const bool stopped = limits.stop.stop_requested();
    return fail(stopped ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                std::string("asking the server which resources it serves: ") +
                    (stopped ? "stopped before the answer" : "no answer in time"));
  }
  return {};
}

/// Returns whether a discovery may start now. Call it with the lock.
bool ResourceMapper::may_begin() const {
  return !begun_ || clock_.steady() >= *begun_ + options_.refresh_every;
}

/// Returns whether `cache_` is outdated. Call it with the lock.
bool ResourceMapper::outdated() const {
  return cached_from_ < needed_;
}

/// Starts a discovery. Call it with the lock, and when the previous reader has nothing left to do. If no
/// thread can be started, the discovery has ended, with a failure.
void ResourceMapper::begin() {
  begun_ = clock_.steady();
  try {
    reader_ = std::jthread([this](const std::stop_token& stop) { read(stop); });
    reading_ = true;
  } catch (const std::system_error& error) {
    failure_ = Error{ErrorCode::unavailable, std::string("starting a thread: ") + error.what()}.within(
        "asking the server which resources it serves");
    ++ended_;
    changed_.notify_all();
  }
}

void ResourceMapper::read(const std::stop_token& stop) {
  auto served =
      discover(*client_, options_.discovery, Limits::within(clock_, options_.refresh_timeout, stop));
  const std::lock_guard lock(mutex_);
  failure_.reset();
  reading_ = false;
  ++ended_;
  if (served) {
    if (cache_) keep_earlier(*served, *cache_);
    cache_ = std::make_shared<const ServedResources>(*std::move(served));
    cached_from_ = ended_;
  } else {
    failure_ = std::move(served.error());
  }
  changed_.notify_all();
}

}  // namespace fairway::kube
