// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/default_objects.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace fairway::apiserver::storage {
namespace {

/// Writes of many objects at once, which the storage puts into few commits.
class Writes {
 public:
  explicit Writes(Storage& storage) : storage_(storage) {}

  void add(Change change) {
    {
      const std::lock_guard lock(mutex_);
      ++open_;
    }
    storage_.write_async({std::move(change)}, [this](const Result<Written>& written) {
      const std::lock_guard lock(mutex_);
      // A conflict: somebody else has written it, who may.
      if (!written && result_) result_ = fail(written.error());
      if (--open_ == 0) done_.notify_all();
    });
  }
  Result<void> wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return open_ == 0; });
    return result_;
  }

 private:
  Storage& storage_;
  std::mutex mutex_;
  std::condition_variable done_;
  int open_ = 0;
  Result<void> result_;
};

k8s::Dynamic object_of(const Record& record) {
  auto document = json::parse(record.json());
  return document && document->is_object() ? k8s::Dynamic(std::move(document->get_object())) : k8s::Dynamic();
}

}  // namespace

Result<void> write_defaults(Storage& storage, std::vector<DefaultObject> objects, const Revise& revise,
                            Clock& clock, const std::function<std::string()>& make_uid) {
  Writes writes(storage);
  Result<void> failed;
  for (DefaultObject& wanted : objects) {
    const auto stored = storage.get(wanted.key);
    if (!stored) {
      failed = fail(stored.error().error);
      break;
    }
    Precondition precondition = Precondition::absent();
    if (*stored == nullptr) {
      wanted.object.set("metadata.uid", make_uid());
      wanted.object.set_time("metadata.creationTimestamp", clock.now());
    } else {
      auto revised = revise(object_of(**stored), wanted.object);
      if (!revised) continue;
      wanted.object = *std::move(revised);
      precondition = Precondition::at((*stored)->revision());
    }
    auto body = Body::of(wanted.object.to_text());
    if (!body) {
      failed = fail(body.error());
      break;
    }
    writes.add({.key = wanted.key, .precondition = precondition, .body = std::move(*body)});
  }
  // All that was begun ends before this returns, as it refers to `writes`.
  auto written = writes.wait();
  return failed ? std::move(written) : std::move(failed);
}

}  // namespace fairway::apiserver::storage
