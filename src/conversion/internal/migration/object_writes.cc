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

/// Returns whether the object was deleted. The 404 of a version that is not served does not name an object,
/// and an admission webhook may deny an object with any code: its message then says so.
bool is_gone(const kube::ApiError& error, const k8s::GroupVersionResource& resource, const k8s::Key& key) {
  return error.is_not_found() && error.status.object_name() == key.name &&
         error.status.object_kind() == resource.resource && error.status.object_group() == resource.group &&
         !is_denial(error);
}

FailedWrite failed_write(const StoredObject& object, const kube::ApiError& error) {
  FailedWrite failed{.object = object, .error = text_of(error), .fault = fault_of(error)};
  if (!object.going.empty()) failed.error += " (it is being deleted, and waits for " + object.going + ")";
  return failed;
}

bool may_be_outage(const FailedWrite& one) {
  return one.fault == Fault::outage || one.fault == Fault::perhaps_outage;
}

}  // namespace

bool WrittenPage::is_hopeless() const {
  return done == 0 && !failed.empty() &&
         std::ranges::all_of(failed, [](const FailedWrite& one) { return one.fault == Fault::request; });
}

bool WrittenPage::is_in_doubt() const {
  return !suspects.empty() &&
         std::ranges::none_of(suspects, [](const FailedWrite& one) { return one.fault == Fault::outage; });
}

std::vector<StoredObject> WrittenPage::left() const {
  std::vector<StoredObject> objects;
  for (const FailedWrite& one : suspects) objects.push_back(one.object);
  objects.insert(objects.end(), untried.begin(), untried.end());
  return objects;
}

WrittenPage ObjectWrites::write(const k8s::GroupVersionResource& resource,
                                std::span<const StoredObject> objects, const std::stop_token& stop) {
  std::atomic<std::int64_t> done = 0, gone = 0;
  std::atomic<int> suspects = 0;
  std::atomic<bool> outage = false;
  std::vector<std::optional<FailedWrite>> failed(objects.size());
  std::vector<char> tried(objects.size());
  parallel_for(objects.size(), pace_.workers, {.stop = stop}, client_.clock(), [&](std::size_t at) {
    if (outage || !wait_for_turn(stop)) return;
    tried[at] = 1;
    const auto written = write(resource, objects[at].key, stop);
    if (written) {
      ++done;
      if (!*written) ++gone;
    } else if (!stop.stop_requested()) {
      failed[at] = failed_write(objects[at], written.error());
      if (failed[at]->fault == Fault::outage) outage = true;
      if (failed[at]->fault == Fault::perhaps_outage && ++suspects >= WrittenPage::enough_to_tell &&
          done == 0)
        outage = true;
    }
  });
  WrittenPage page{.done = done, .gone = gone};
  for (std::size_t at = 0; at < objects.size(); ++at) {
    if (failed[at])
      (may_be_outage(*failed[at]) ? page.suspects : page.failed).push_back(*std::move(failed[at]));
    else if (outage && tried[at] == 0)
      page.untried.push_back(objects[at]);
  }
  return page;
}

bool ObjectWrites::wait_for_turn(const std::stop_token& stop) {
  const Activity::Wait wait(activity_);
  return rate_.wait(stop);
}

kube::ApiResult<bool> ObjectWrites::write(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                          const std::stop_token& stop) {
  kube::WriteOptions options;
  options.field_manager = "fairway-migrate";
  options.dry_run = dry_run_;
  Backoff backoff({.first = std::chrono::milliseconds(50)}, client_.clock());
  for (int attempt = 1;; ++attempt) {
    const auto written = client_.patch(resource, key, kube::PatchType::merge, json::Object{}, {}, options,
                                       Limits::within(client_.clock(), StoredPages::request_timeout, stop));
    // A webhook that does not answer is not taken for progress.
    if (written || (written.error().is_answer() && fault_of(written.error()) == Fault::object))
      activity_.record();
    if (written) return true;
    if (is_gone(written.error(), resource, key)) return false;
    const bool will_retry = written.error().is_conflict() || may_pass(written.error());
    if (!will_retry || attempt >= pace_.attempts || stop.stop_requested())
      return std::unexpected(written.error());
    client_.clock().wait_until(client_.clock().steady() + backoff.next(), stop);
    // Each attempt counts as a write: a failing server must not get more of them.
    if (!wait_for_turn(stop)) return std::unexpected(written.error());
  }
}

}  // namespace fairway::conversion
