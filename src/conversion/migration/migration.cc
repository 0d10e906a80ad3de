// SPDX-License-Identifier: Apache-2.0

#include "conversion/migration/migration.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "base/backoff.h"
#include "base/parallel.h"
#include "base/text.h"
#include "conversion/internal/migration/definition_monitor.h"
#include "conversion/internal/migration/kind_migration.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/api.h"
#include "kube/client/conflict.h"
#include "kube/client/pages.h"

namespace fairway::conversion {

namespace {

using k8s::CustomResourceDefinition;

/// The resource to list and patch: any version will do, the new one costs the server least.
Result<k8s::GroupVersionResource> resource_of(const CustomResourceDefinition& definition,
                                              const std::string& preferred) {
  std::string chosen;
  for (const std::string& version : definition.versions_by_priority()) {
    const auto versions = definition.versions();
    const auto found = std::ranges::find_if(versions, [&](const auto& one) { return one.name() == version; });
    if (found == versions.end() || !found->served()) continue;
    if (chosen.empty() || version == preferred) chosen = version;
  }
  if (chosen.empty()) {
    return fail(ErrorCode::unavailable,
                std::string(definition.name()) + " serves no version: its objects cannot be reached");
  }
  return k8s::GroupVersionResource{std::string(definition.group()), chosen, std::string(definition.plural())};
}

bool may_pass(const kube::ApiError& error) {
  return !error.is_answer() || error.status.code() >= 500 || error.status.code() == 429;
}

/// Returns whether the object was deleted. The 404 of a version that is not served does not name an object.
bool is_gone(const kube::ApiError& error, const k8s::Key& key) {
  return error.is_not_found() && error.status.object_name() == key.name;
}

/// The migration of one kind.
class Pass {
 public:
  Pass(kube::Client& client, const MigrationRequest& request, const MigrationPace& pace, WriteRate& rate,
       Activity& activity, KindProgress& progress, const Checkpoint& checkpoint, const std::stop_token& stop)
      : client_(client),
        request_(request),
        settings_(pace),
        rate_(rate),
        activity_(activity),
        progress_(progress),
        checkpoint_(checkpoint),
        caller_stop_(stop),
        stop_(stop) {}

  Result<void> run() {
    auto definition = checked_definition();
    if (!definition) return fail(definition.error());
    definition_ = *std::move(definition);
    if (auto passed = pass(); !passed) return passed;
    if (progress_.left_out > 0) {
      return fail(ErrorCode::unavailable, std::to_string(progress_.left_out) + " objects of " +
                                              progress_.definition +
                                              " were left out; the last: " + progress_.last_error);
    }
    if (request_.reaches_all()) {
      if (auto trimmed = trim(); !trimmed) return trimmed;
    } else if (!request_.dry_run) {
      // If the storage version has changed meanwhile, objects were not stored in the new one.
      if (auto same = checked_definition(); !same) return fail(same.error());
    }
    progress_.finished = true;
    return tell();
  }

 private:
  Result<void> still_as_checked() {
    if (auto change = monitor_->read()) return fail(*std::move(change));
    return {};
  }

  Result<void> tell() {
    // The checkpoint gets whole pages only, so that a restart can continue from it.
    if (stop_.stop_requested()) return stopped();
    auto saved = checkpoint_ ? checkpoint_(progress_) : Result<void>{};
    if (saved) activity_.record();
    return saved;
  }
  std::unexpected<Error> stopped() const {
    return fail(ErrorCode::cancelled, "migrating " + progress_.definition + ": stopped");
  }

  /// The definition, if it is still the one that was checked.
  Result<CustomResourceDefinition> checked_definition() {
    auto object = client_.get(CustomResourceDefinition::resource.group_version_resource(),
                              {.namespace_name = {}, .name = progress_.definition}, {}, limits());
    if (object || object.error().is_answer()) activity_.record();
    if (!object) {
      if (!definition_ || !object.error().is_not_found()) return fail(object.error());
      return fail(*definition_change(*definition_, nullptr, request_.new_version));
    }
    CustomResourceDefinition definition(object->release());
    if (definition_) {
      if (auto change = definition_change(*definition_, &definition, request_.new_version))
        return fail(*std::move(change));
      return definition;
    }
    if (definition.uid() == progress_.definition_uid &&
        definition.generation() == progress_.definition_generation &&
        definition.storage_version() == request_.new_version) {
      return definition;
    }
    return fail(ErrorCode::conflict,
                progress_.definition + " has changed since it was checked: the migration has to begin again");
  }

  /// Timeout of a request: a page may be long, and its objects converted by a webhook.
  static constexpr std::chrono::seconds request_timeout{60};
  Limits limits() const { return Limits::within(client_.clock(), request_timeout, stop_); }

  Result<void> pass() {
    const auto stored = definition_->stored_versions();
    if (progress_.passed) return {};
    if (request_.reaches_all() && stored.size() == 1 && stored.front() == request_.new_version) {
      progress_.passed = true;  // trimmed by now: no object is stored in another version
      return {};
    }
    const auto resource = resource_of(*definition_, request_.new_version);
    if (!resource) return fail(resource.error());
    DefinitionMonitor monitor(client_, *definition_, request_.new_version, caller_stop_);
    monitor_ = &monitor;
    stop_ = monitor.token();
    auto passed = write_all(*resource);
    stop_ = caller_stop_;
    monitor_ = nullptr;
    if (passed || stop_.stop_requested()) return passed;
    // A version that is no longer served refuses every request, before the change was noticed.
    if (auto change = monitor.read()) return fail(*std::move(change));
    return passed;
  }

  Result<void> write_all(const k8s::GroupVersionResource& resource) {
    if (auto settled = settle(); !settled) return settled;
    kube::ListOptions options;
    options.labels = request_.labels;
    options.limit = settings_.page_size;
    options.continue_token = progress_.continue_token;
    // Objects written during the pass are stored in the new version anyway: a list that is resumed at
    // another version leaves out nothing that matters.
    auto listed = pages(resource, options);
    if (!listed && listed.error().is_expired() && !progress_.continue_token.empty()) {
      // The list cannot be resumed. The server does not write again what it has written, and objects that
      // were left out are tried once more.
      options.continue_token.clear();
      progress_.done = progress_.left_out = 0;
      progress_.total.reset();
      progress_.last_error.clear();
      progress_.continue_token.clear();
      listed = pages(resource, options);
    }
    if (!listed) return fail(listed.error());
    progress_.continue_token.clear();
    progress_.total = progress_.done + progress_.left_out;
    progress_.passed = true;
    return tell();
  }

  /// Waits until requests from before the change of the storage version have ended.
  Result<void> settle() {
    Clock& clock = client_.clock();
    if (!progress_.storage_seen) progress_.storage_seen = clock.now();
    const auto left = settle_left(progress_, request_, settings_, clock.now());
    if (left <= left.zero()) return {};
    if (auto saved = tell(); !saved) return saved;
    const Activity::Wait wait(activity_);
    return clock.wait_until(clock.steady() + left, stop_) ? still_as_checked() : stopped();
  }

  kube::ApiResult<void> pages(const k8s::GroupVersionResource& resource, const kube::ListOptions& options) {
    return kube::for_each_page(
        client_, resource, request_.namespace_name, options, kube::OnExpired::resume,
        [&](const kube::ObjectList& page) -> Result<void> {
          activity_.record();
          if (page.remaining || page.continue_token.empty()) {
            progress_.total = progress_.done + progress_.left_out +
                              static_cast<std::int64_t>(page.items.size()) + page.remaining.value_or(0);
          }
          if (auto written = write_page(resource, page.items); !written) return written;
          progress_.continue_token = page.continue_token;
          if (page.continue_token.empty()) return {};
          if (auto saved = tell(); !saved) return saved;
          return still_as_checked();
        },
        {.stop = stop_}, request_timeout);
  }

  Result<void> write_page(const k8s::GroupVersionResource& resource,
                          const std::vector<k8s::Dynamic>& objects) {
    std::atomic<std::int64_t> done = 0, left_out = 0;
    parallel_for(objects.size(), settings_.workers, {.stop = stop_}, client_.clock(), [&](std::size_t at) {
      if (!wait_for_turn()) return;
      const auto written = write(resource, objects[at].key());
      if (written) {
        ++done;
        return;
      }
      if (stop_.stop_requested()) return;
      ++left_out;
      const std::lock_guard lock(error_mutex_);
      progress_.last_error = written.error().message;
    });
    if (stop_.stop_requested()) return stopped();
    progress_.done += done;
    progress_.left_out += left_out;
    if (left_out > 0 && done == 0) {
      return fail(ErrorCode::unavailable, "no object of a whole page of " + progress_.definition +
                                              " could be written; the last: " + progress_.last_error);
    }
    return {};
  }

  bool wait_for_turn() {
    const Activity::Wait wait(activity_);
    return rate_.wait(stop_);
  }

  /// Sends an empty patch: the server reads the object, and stores it again if the bytes differ.
  Result<void> write(const k8s::GroupVersionResource& resource, const k8s::Key& key) {
    kube::WriteOptions options;
    options.field_manager = "fairway-migrate";
    options.dry_run = request_.dry_run;
    Backoff backoff({.first = std::chrono::milliseconds(50)}, client_.clock());
    for (int attempt = 1;; ++attempt) {
      const auto written =
          client_.patch(resource, key, kube::PatchType::merge, json::Object{}, {}, options, limits());
      if (written || written.error().is_answer()) activity_.record();
      if (written || is_gone(written.error(), key)) return {};
      const bool will_retry = written.error().is_conflict() || may_pass(written.error());
      if (!will_retry || attempt >= settings_.attempts || stop_.stop_requested())
        return fail(written.error());
      client_.clock().wait_until(client_.clock().steady() + backoff.next(), stop_);
      // Each attempt counts as a write: a failing server must not get more of them.
      if (!wait_for_turn()) return stopped();
    }
  }

  Result<void> trim() {
    const auto written = kube::retry_on_conflict(
        client_.clock(),
        [&]() -> kube::ApiResult<k8s::Dynamic> {
          auto definition = checked_definition();
          if (!definition) return std::unexpected(kube::ApiError(definition.error()));
          const auto stored = definition->stored_versions();
          if (stored.size() == 1 && stored.front() == request_.new_version) return *std::move(definition);
          definition->set_json("status.storedVersions", json::Array{json::Value(request_.new_version)});
          kube::WriteOptions options;
          options.field_manager = "fairway-migrate";
          // With its resourceVersion: a change meanwhile is a conflict, and is read and checked again.
          return client_.replace(CustomResourceDefinition::resource.group_version_resource(), *definition,
                                 "status", options, limits());
        },
        kube::conflict_backoff, stop_);
    if (written) return {};
    Error error = written.error().within("writing storedVersions of " + progress_.definition);
    // Its status is often written by others: the conflict does not mean that the spec has changed.
    if (written.error().is_conflict()) error.code = ErrorCode::unavailable;
    return fail(std::move(error));
  }

  kube::Client& client_;
  const MigrationRequest& request_;
  const MigrationPace& settings_;
  WriteRate& rate_;
  Activity& activity_;
  KindProgress& progress_;
  const Checkpoint& checkpoint_;
  const std::stop_token caller_stop_;
  std::stop_token stop_;  ///< during the pass, stop is also requested when the definition changes
  DefinitionMonitor* monitor_ = nullptr;                ///< the monitor of the pass
  std::optional<CustomResourceDefinition> definition_;  ///< the definition as it was when the pass began
  std::mutex error_mutex_;
};

}  // namespace

Result<void> check(const MigrationPace& pace) {
  const double rate = pace.objects_per_second;
  if (rate == 0 || (std::isfinite(rate) && rate >= slowest_rate)) return {};
  return fail(
      ErrorCode::invalid,
      "the rate of a migration has to be 0 (as fast as it goes), or at least 0.001 writes in a second");
}

Result<void> migrate_kind(kube::Client& client, const MigrationRequest& request, const MigrationPace& pace,
                          KindProgress& progress, const Checkpoint& checkpoint, const std::stop_token& stop) {
  if (auto checked = check(pace); !checked) return checked;
  WriteRate rate(client.clock(), pace.objects_per_second);
  Activity activity(client.clock());
  return migrate_kind(client, request, pace, rate, activity, progress, checkpoint, stop);
}

Result<void> migrate_kind(kube::Client& client, const MigrationRequest& request, const MigrationPace& pace,
                          WriteRate& rate, Activity& activity, KindProgress& progress,
                          const Checkpoint& checkpoint, const std::stop_token& stop) {
  if (progress.finished) return {};
  return Pass(client, request, pace, rate, activity, progress, checkpoint, stop).run();
}

}  // namespace fairway::conversion
