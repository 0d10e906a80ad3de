// SPDX-License-Identifier: Apache-2.0

#include "conversion/migration/migration.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/backoff.h"
#include "base/log.h"
#include "conversion/internal/migration/definition_monitor.h"
#include "conversion/internal/migration/definition_status.h"
#include "conversion/internal/migration/kind_migration.h"
#include "conversion/internal/migration/left_out_record.h"
#include "conversion/internal/migration/object_writes.h"
#include "conversion/internal/migration/stored_pages.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/api.h"

namespace fairway::conversion {

namespace {

using k8s::CustomResourceDefinition;

/// Passes over objects some of which cannot be read for a while, before that is an error.
constexpr int most_passes = 3;

/// Rounds in which nothing is written before what may be an outage is taken for the fault of the objects:
/// some seconds for a few of them, and more than a minute for many.
constexpr int rounds_of_few = 5, rounds_of_many = 10;

/// The migration of one kind.
class Pass {
 public:
  Pass(kube::Client& client, const MigrationRequest& request, const MigrationPace& pace, WriteRate& rate,
       Activity& activity, KindProgress& progress, const Checkpoint& checkpoint, const std::stop_token& stop)
      : client_(client),
        request_(request),
        settings_(pace),
        activity_(activity),
        writes_(client, pace, request.dry_run, rate, activity),
        progress_(progress),
        checkpoint_(checkpoint),
        outage_backoff_({.first = std::chrono::milliseconds(100), .longest = std::chrono::seconds(30)},
                        client.clock()),
        caller_stop_(stop),
        stop_(stop) {}

  Result<void> run() {
    auto definition = checked_definition();
    if (!definition) return fail(definition.error());
    definition_ = *std::move(definition);
    for (int passes = 1;; ++passes) {
      if (auto written = write_what_is_left(); !written) return written;
      if (!progress_.left_out.empty()) {
        keep_left_out();
        return fail(ErrorCode::unavailable, progress_.definition + ": " + progress_.left_out.summary());
      }
      if (!progress_.unread) break;
      // What could not be read was written all the same, but others before it may have been passed over.
      begin_again();
      if (passes == most_passes) {
        return fail(ErrorCode::unavailable, "objects of " + progress_.definition +
                                                " could not be read for some time in each of " +
                                                std::to_string(most_passes) +
                                                " passes, and some may not be written; look at the "
                                                "conversion webhook, and run the migration again");
      }
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
    if (monitor_ != nullptr) progress_.definition_generation = monitor_->last_seen().generation();
    auto saved = checkpoint_ ? checkpoint_(progress_) : Result<void>{};
    if (saved) activity_.record();
    return saved;
  }
  /// Calls the checkpoint with what is waited for: the counts are those of whole pages.
  Result<void> tell_of_outage() {
    if (stop_.stop_requested()) return stopped();
    return checkpoint_ ? checkpoint_(progress_) : Result<void>{};
  }
  std::unexpected<Error> stopped() const {
    return fail(ErrorCode::cancelled, "migrating " + progress_.definition + ": stopped");
  }

  /// Takes a definition with the same target for the one that was checked.
  void take_over(CustomResourceDefinition definition) {
    progress_.definition_generation = definition.generation();
    definition_ = std::move(definition);
  }
  /// The definition, if its target is still the one that was checked.
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
      take_over(definition);
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

  Limits limits() const { return Limits::within(client_.clock(), StoredPages::request_timeout, stop_); }

  Result<void> write_what_is_left() {
    const auto stored = definition_->stored_versions();
    const bool tries_again = progress_.passed && !progress_.left_out.empty();
    if (progress_.passed && !tries_again) return {};
    if (request_.reaches_all() && stored.size() == 1 && stored.front() == request_.new_version) {
      progress_.passed = true;  // trimmed by now: no object is stored in another version
      progress_.left_out.clear();
      return {};
    }
    const auto resource = resource_to_write(*definition_, request_);
    if (!resource) {
      return fail(ErrorCode::unavailable,
                  progress_.definition + " serves no version: its objects cannot be reached");
    }
    DefinitionMonitor monitor(client_, *definition_, request_.new_version, caller_stop_);
    monitor_ = &monitor;
    stop_ = monitor.token();
    auto written = tries_again ? write_left_out(*resource) : write_all(*resource);
    stop_ = caller_stop_;
    monitor_ = nullptr;
    take_over(monitor.last_seen());
    if (written || stop_.stop_requested()) return written;
    // A version that is no longer served refuses every request, before the change was noticed.
    if (auto change = monitor.read()) return fail(*std::move(change));
    return written;
  }

  /// Tries those once more that an earlier pass has left out.
  Result<void> write_left_out(const k8s::GroupVersionResource& resource) {
    std::vector<StoredObject> objects;
    for (k8s::Key& key : progress_.left_out.keys()) objects.push_back({.key = std::move(key)});
    const LeftOut before = std::exchange(progress_.left_out, {});
    tries_left_out_ = true;
    auto written = write_page(resource, objects);
    tries_left_out_ = false;
    if (!written) {
      progress_.left_out = before;
      return written;
    }
    if (left_out_gone_) {
      // Deleted, or never there: what an earlier run has kept may have been changed.
      begin_again();
      return write_all(resource);
    }
    return tell();
  }

  Result<void> write_all(const k8s::GroupVersionResource& resource) {
    if (auto settled = settle(); !settled) return settled;
    StoredList objects = list_of_stored(*definition_, request_, settings_);
    objects.continue_token = progress_.continue_token;
    // Objects written during the pass are stored in the new version anyway: a list that is resumed at
    // another version leaves out nothing that matters.
    auto listed = pages(resource, objects);
    if (!listed && listed.error().is_expired() && !progress_.continue_token.empty()) {
      // The list cannot be resumed. The server does not write again what it has written, and objects that
      // were left out are tried once more.
      objects.continue_token.clear();
      begin_again();
      listed = pages(resource, objects);
    }
    if (!listed) return fail(listed.error());
    progress_.continue_token.clear();
    progress_.total = processed();
    progress_.passed = true;
    return tell();
  }

  /// Begins the pass again, at the first object.
  void begin_again() {
    progress_.passed = false;
    progress_.done = 0;
    progress_.left_out.clear();
    progress_.unread = false;
    progress_.total.reset();
    progress_.last_error.clear();
    progress_.continue_token.clear();
  }

  std::int64_t processed() const { return progress_.done + progress_.left_out.count(); }

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

  static bool waits_for(const kube::ApiError& error) {
    return is_outage_of_reads(error) ||
           (fault_of(error) == Fault::perhaps_outage && error.status.code() == 500);
  }

  kube::ApiResult<void> pages(const k8s::GroupVersionResource& resource, const StoredList& objects) {
    const auto failed = [](const Error& error) { return std::unexpected(kube::ApiError(error)); };
    StoredPages pages(client_, activity_, objects, stop_);
    while (true) {
      const auto page = pages.next();
      if (!page && waits_for(page.error()) && !stop_.stop_requested()) {
        if (auto waited = wait_out({.answer = text_of(page.error())}); !waited) return failed(waited.error());
        continue;
      }
      if (!page) return std::unexpected(page.error());
      end_outage();
      if (page->remaining || page->continue_token.empty()) {
        progress_.total =
            processed() + static_cast<std::int64_t>(page->objects.size()) + page->remaining.value_or(0);
      }
      if (auto written = write_page(resource, page->objects); !written) return failed(written.error());
      if (!page->unreadable.empty()) progress_.unread = true;
      progress_.continue_token = page->continue_token;
      if (page->continue_token.empty()) return {};
      if (auto saved = tell(); !saved) return failed(saved.error());
      if (auto same = still_as_checked(); !same) return failed(same.error());
    }
  }

  /// Returns whether the suspects are to blame after so many rounds in which nothing was written: others
  /// were. Many of them may be an outage that began within the page, and get more time.
  bool are_to_blame(int rounds, std::size_t tried, std::size_t whole, std::int64_t written) const {
    const bool few = tried < static_cast<std::size_t>(WrittenPage::enough_to_tell);
    const bool others_written = written > 0 || (progress_.done > 0 && (few || tries_left_out_)) || whole == 1;
    // It comes to an end: that is no stalled migration.
    if (others_written && rounds > 0) activity_.record();
    return others_written && rounds >= (few ? rounds_of_few : rounds_of_many);
  }

  /// Writes objects, and counts them. Nothing is counted if there is an error.
  Result<void> write_page(const k8s::GroupVersionResource& resource, std::vector<StoredObject> objects) {
    WrittenPage all;
    const std::size_t whole = objects.size();
    int rounds = 0;  // in a row, without a write
    while (true) {
      WrittenPage page = writes_.write(resource, objects, stop_);
      if (stop_.stop_requested()) return stopped();
      all.done += page.done;
      if (tries_left_out_ && page.gone > 0) left_out_gone_ = true;
      std::ranges::move(page.failed, std::back_inserter(all.failed));
      objects = page.left();
      if (objects.empty()) break;
      rounds = page.done == 0 && page.is_in_doubt() ? rounds + 1 : 0;
      if (are_to_blame(rounds, objects.size(), whole, all.done)) {
        std::ranges::move(page.suspects, std::back_inserter(all.failed));
        objects = std::move(page.untried);
        rounds = 0;
        if (objects.empty()) break;
        continue;
      }
      Waiting waiting{.answer = page.suspects.empty() ? "" : page.suspects.back().error,
                      .written = all.done,
                      .failed = static_cast<std::int64_t>(all.failed.size())};
      for (const FailedWrite& one : page.suspects) waiting.objects.push_back(one.object.key.to_string());
      if (auto waited = wait_out(std::move(waiting)); !waited) return waited;
    }
    end_outage();
    if (!all.failed.empty()) {
      const FailedWrite& last = all.failed.back();
      progress_.last_error = last.object.key.to_string() + ": " + last.error;
    }
    if (all.is_hopeless()) {
      return fail(ErrorCode::unavailable, "no object of a whole page of " + progress_.definition +
                                              " could be written; the last: " + progress_.last_error);
    }
    progress_.done += all.done;
    for (const FailedWrite& one : all.failed) progress_.left_out.add(one.object.key, one.error);
    return {};
  }

  /// Says what it waits for, and waits a while.
  Result<void> wait_out(Waiting waiting) {
    const bool is_new = !progress_.waiting || progress_.waiting->answer != waiting.answer;
    waiting.since = progress_.waiting ? progress_.waiting->since : client_.clock().now();
    progress_.waiting = std::move(waiting);
    if (is_new) {
      if (auto saved = tell_of_outage(); !saved) return saved;
    }
    if (!client_.clock().wait_until(client_.clock().steady() + outage_backoff_.next(), stop_))
      return stopped();
    return {};
  }
  void end_outage() {
    progress_.waiting.reset();
    outage_backoff_.reset();
  }

  /// Sets `storedVersions`, and removes what an earlier run has left out.
  Result<void> trim() {
    return write_status("storedVersions", [this](CustomResourceDefinition& definition) {
      const bool kept = write_left_out_record(definition, progress_, client_.clock().now());
      const auto stored = definition.stored_versions();
      if (stored.size() == 1 && stored.front() == request_.new_version) return kept;
      definition.set_json("status.storedVersions", json::Array{json::Value(request_.new_version)});
      return true;
    });
  }

  /// Keeps the names of the objects that were left out for the next run, which does without if they cannot be
  /// kept.
  void keep_left_out() {
    if (!request_.reaches_all()) return;
    auto kept = write_status("its condition", [this](CustomResourceDefinition& definition) {
      return write_left_out_record(definition, progress_, client_.clock().now());
    });
    if (!kept) log::info("the next migration tries all objects again", {{"error", kept.error().message}});
  }

  Result<void> write_status(std::string_view what, const ChangeDefinition& change) {
    const auto written =
        write_definition_status(client_, [this] { return checked_definition(); }, change, limits());
    if (written) return {};
    return fail(written.error().within("writing " + std::string(what) + " of " + progress_.definition));
  }

  kube::Client& client_;
  const MigrationRequest& request_;
  const MigrationPace& settings_;
  Activity& activity_;
  ObjectWrites writes_;
  KindProgress& progress_;
  const Checkpoint& checkpoint_;
  Backoff outage_backoff_;
  const std::stop_token caller_stop_;
  std::stop_token stop_;         ///< during the pass, stop is also requested when the definition changes
  bool left_out_gone_ = false;   ///< one of them does not exist
  bool tries_left_out_ = false;  ///< the objects are those that an earlier pass has left out
  DefinitionMonitor* monitor_ = nullptr;                ///< the monitor of the pass
  std::optional<CustomResourceDefinition> definition_;  ///< the definition as it was when the pass began
};

}  // namespace

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
