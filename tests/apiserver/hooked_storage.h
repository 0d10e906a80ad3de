// SPDX-License-Identifier: Apache-2.0

// A storage that tells a test what is asked of it, and of which parts cannot be read.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::testing {

/// Passes everything on to `inner`, which must outlive it.
class HookedStorage final : public storage::Storage {
 public:
  explicit HookedStorage(storage::Storage& inner) : inner_(inner) {}

  /// Makes gets, or lists, of this resource fail; empty: none.
  void fail_gets_of(const std::string& resource) { set(failing_gets_, resource); }
  void fail_lists_of(const std::string& resource) { set(failing_lists_, resource); }
  /// Waits until a request has met one of those failures.
  void wait_for_failure() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_; });
  }
  /// Called before each write, on the writer's thread. Set it before there are other threads.
  std::function<void(const std::vector<storage::Change>& changes)> before_write;
  /// Number of lists so far.
  int lists() const { return lists_; }
  /// Number of writes so far whose preconditions did not hold.
  int conflicts() const { return conflicts_; }

  storage::Revision revision() const override { return inner_.revision(); }
  storage::Revision compacted_revision() const override { return inner_.compacted_revision(); }
  storage::ReadResult<storage::RecordPtr> get(const storage::Key& key, storage::Revision revision) override {
    if (fails(failing_gets_, key.resource)) return std::unexpected(failure());
    return inner_.get(key, revision);
  }
  storage::ReadResult<storage::List> list(const storage::ListQuery& query) override {
    ++lists_;
    if (fails(failing_lists_, query.resource)) return std::unexpected(failure());
    return inner_.list(query);
  }
  storage::ReadResult<std::unique_ptr<storage::Watch>> watch(const storage::WatchQuery& query) override {
    return inner_.watch(query);
  }
  void write_async(std::vector<storage::Change> changes,
                   std::function<void(Result<storage::Written>)> done) override {
    if (before_write) before_write(changes);
    inner_.write_async(std::move(changes), [this, done = std::move(done)](Result<storage::Written> written) {
      if (written && written->conflict) ++conflicts_;
      done(std::move(written));
    });
  }
  Result<void> drop(std::string_view resource) override { return inner_.drop(resource); }
  Result<void> invalidate(std::string_view resource) override { return inner_.invalidate(resource); }
  Result<std::optional<std::string>> value(std::string_view name) override { return inner_.value(name); }
  Result<void> set_value(std::string_view name, std::string_view value) override {
    return inner_.set_value(name, value);
  }
  Result<void> compact(storage::Revision revision) override { return inner_.compact(revision); }
  Result<void> health() const override { return inner_.health(); }
  storage::StorageCounts counts() const override { return inner_.counts(); }
  void close() override { inner_.close(); }

 private:
  static storage::ReadError failure() {
    return {storage::ReadError::Kind::failed, {ErrorCode::unavailable, "reading: an injected fault"}};
  }
  void set(std::string& failing, const std::string& resource) {
    const std::scoped_lock lock(mutex_);
    failing = resource;
    failed_ = false;
  }
  bool fails(const std::string& failing, const std::string& resource) {
    const std::scoped_lock lock(mutex_);
    if (failing.empty() || failing != resource) return false;
    failed_ = true;
    changed_.notify_all();
    return true;
  }

  storage::Storage& inner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string failing_gets_, failing_lists_;
  bool failed_ = false;
  std::atomic<int> lists_ = 0, conflicts_ = 0;
};

}  // namespace fairway::apiserver::testing
