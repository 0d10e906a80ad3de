// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/object_writes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

#include "base/backoff.h"
#include "base/json.h"
#include "base/parallel.h"

namespace fairway::conversion {

namespace {

bool may_pass(const kube::ApiError& error) {
  return !error.is_answer() || error.status.code() >= 500 || error.status.code() == 429;
}

/// Returns whether the object was deleted. The 404 of a version that is not served does not name an object.
bool is_gone(const kube::ApiError& error, const k8s::Key& key) {
  return error.is_not_found() && error.status.object_name() == key.name;
}

/// Returns whether the error is about the object, and not about the request as such. Admission refuses
/// objects with 403 too; that of a missing right has the authorizer's wording.
bool is_of_the_object(const kube::ApiError& error) {
  if (!error.is_answer() || error.is_not_found()) return false;
  switch (error.status.code()) {
    case 401:
    case 405:
    case 406:
    case 415:
    case 429:
    case 503:
      return false;
    case 403:
      return !error.status.message().contains("cannot patch resource");
    default:
      return true;
  }
}

FailedWrite failed_write(const StoredObject& object, const kube::ApiError& error) {
  FailedWrite failed{.key = object.key,
                     .error = error.is_answer() ? std::string(error.status.message()) : error.message,
                     .is_of_the_object = is_of_the_object(error)};
  if (!object.going.empty()) failed.error += " (it is being deleted, and waits for " + object.going + ")";
  return failed;
}

}  // namespace

bool WrittenPage::is_hopeless() const {
  return done == 0 && !failed.empty() && std::ranges::none_of(failed, &FailedWrite::is_of_the_object);
}

WrittenPage ObjectWrites::write(const k8s::GroupVersionResource& resource,
                                std::span<const StoredObject> objects, const std::stop_token& stop) {
  std::atomic<std::int64_t> done = 0;
  std::vector<std::optional<FailedWrite>> failed(objects.size());
  parallel_for(objects.size(), pace_.workers, {.stop = stop}, client_.clock(), [&](std::size_t at) {
    if (!wait_for_turn(stop)) return;
    const auto written = write(resource, objects[at].key, stop);
    if (written) {
      ++done;
    } else if (!stop.stop_requested()) {
      failed[at] = failed_write(objects[at], written.error());
    }
  });
  WrittenPage page{.done = done};
  for (std::optional<FailedWrite>& one : failed) {
    if (one) page.failed.push_back(*std::move(one));
  }
  return page;
}

bool ObjectWrites::wait_for_turn(const std::stop_token& stop) {
  const Activity::Wait wait(activity_);
  return rate_.wait(stop);
}

kube::ApiResult<void> ObjectWrites::write(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                          const std::stop_token& stop) {
  kube::WriteOptions options;
  options.field_manager = "fairway-migrate";
  options.dry_run = dry_run_;
  Backoff backoff({.first = std::chrono::milliseconds(50)}, client_.clock());
  for (int attempt = 1;; ++attempt) {
    const auto written = client_.patch(resource, key, kube::PatchType::merge, json::Object{}, {}, options,
                                       Limits::within(client_.clock(), StoredPages::request_timeout, stop));
    if (written || written.error().is_answer()) activity_.record();
    if (written || is_gone(written.error(), key)) return {};
    const bool will_retry = written.error().is_conflict() || may_pass(written.error());
    if (!will_retry || attempt >= pace_.attempts || stop.stop_requested())
      return std::unexpected(written.error());
    client_.clock().wait_until(client_.clock().steady() + backoff.next(), stop);
    // Each attempt counts as a write: a failing server must not get more of them.
    if (!wait_for_turn(stop)) return std::unexpected(written.error());
  }
}

}  // namespace fairway::conversion
