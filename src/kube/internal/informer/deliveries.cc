// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/deliveries.h"

#include <algorithm>
#include <exception>

#include "base/log.h"

namespace fairway::kube {

Deliveries::Key Deliveries::key_of(const Step& step) {
  const k8s::Dynamic& object = *(step.now ? step.now : step.before);
  return {std::string(object.namespace_name()), std::string(object.name())};
}

HandlerId Deliveries::add(Handler handler, std::vector<SharedObject> present, bool complete) {
  const std::lock_guard lock(mutex_);
  auto registered = std::make_shared<Registered>();
  registered->id = next_id_++;
  registered->handler = std::move(handler);
  registered->first = front_ + waiting_.size();
  auto handlers = std::make_shared<Recipients>(*handlers_);
  handlers->push_back(registered);
  handlers_ = std::move(handlers);
  // The handler's first batch is later than the waiting changes: these must not grow any more.
  joinable_.clear();
  Entry entry;
  entry.batch = std::make_unique<Batch>();
  entry.batch->id = registered->id;
  entry.batch->objects = std::move(present);
  entry.batch->complete = complete;
  waiting_.push_back(std::move(entry));
  changed_.notify_all();
  return registered->id;
}

void Deliveries::remove(HandlerId id) {
  // Not destroyed under the lock: what a handler has captured may be anything, a handle of an informer too.
  std::shared_ptr<const Recipients> before;
  std::unique_lock lock(mutex_);
  auto handlers = std::make_shared<Recipients>();
  for (const auto& one : *handlers_) {
    if (one->id == id) {
      one->removed = true;
    } else {
      handlers->push_back(one);
    }
  }
  before = std::exchange(handlers_, std::move(handlers));
  if (std::this_thread::get_id() == thread_) return;
  const std::uint64_t current = front_;
  changed_.wait(lock, [&] { return !delivering_ || front_ != current; });
}

bool Deliveries::has_handlers() const {
  const std::lock_guard lock(mutex_);
  return !handlers_->empty();
}

bool Deliveries::synced(HandlerId id) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(*handlers_, [&](const auto& one) { return one->id == id && one->synced; });
}

void Deliveries::enqueue(Entry entry) {
  waiting_.push_back(std::move(entry));
  changed_.notify_all();
}

bool Deliveries::join(const StoreChange& change, const Key& key) {
  const auto found = joinable_.find(key);
  if (found == joinable_.end()) return false;
  Step& step = waiting_[found->second - front_].step;
  step.now = change.now;
  step.last = change.now ? nullptr : change.before;
  if (!step.before && !step.now) {
    // It has come and gone, and nobody was told.
    step.last = nullptr;
    joinable_.erase(found);
  }
  return true;
}

void Deliveries::push(const StoreChange& change) {
  const std::lock_guard lock(mutex_);
  if (handlers_->empty()) return;
  Entry entry;
  entry.step.before = change.before;
  entry.step.now = change.now;
  if (!change.now) entry.step.last = change.before;
  if (waiting_.size() >= bound_) {
    const Key key = key_of(entry.step);
    if (join(change, key)) return;
    joinable_[key] = front_ + waiting_.size();
  } else if (!joinable_.empty()) {
    // Later changes of the object must not be joined with one before this.
    joinable_.erase(key_of(entry.step));
  }
  enqueue(std::move(entry));
}

void Deliveries::push_initial(std::vector<SharedObject> objects, bool complete) {
  const std::lock_guard lock(mutex_);
  Entry entry;
  entry.batch = std::make_unique<Batch>();
  entry.batch->objects = std::move(objects);
  entry.batch->complete = complete;
  enqueue(std::move(entry));
}

void Deliveries::push_resync(std::vector<SharedObject> objects) {
  const std::lock_guard lock(mutex_);
  if (handlers_->empty() || resync_waits_ || waiting_.size() >= bound_) return;
  resync_waits_ = true;
  // A joined step would come before the resync.
  joinable_.clear();
  Entry entry;
  entry.batch = std::make_unique<Batch>();
  entry.batch->objects = std::move(objects);
  entry.batch->resync = true;
  enqueue(std::move(entry));
}

template <class Call>
void Deliveries::tell(Registered& to, const Call& call) {
  {
    const std::lock_guard lock(mutex_);
    if (to.removed) return;
  }
  try {
    call(to.handler);
  } catch (const std::exception& fault) {
    log::error("an informer's handler has thrown an exception; it is called for the next event",
               {{"what", fault.what()}});
  }
}

void Deliveries::deliver(const Entry& entry, std::uint64_t number, const Recipients& recipients) {
  const auto added = [&](Registered& to, const SharedObject& object, bool initial) {
    if (to.handler.added) tell(to, [&](const Handler& handler) { handler.added(object, initial); });
  };
  const auto updated = [&](Registered& to, const SharedObject& before, const SharedObject& now) {
    if (to.handler.updated) tell(to, [&](const Handler& handler) { handler.updated(before, now); });
  };
  const auto deleted = [&](Registered& to, const SharedObject& last) {
    if (to.handler.deleted) tell(to, [&](const Handler& handler) { handler.deleted(last); });
  };
  const auto& [step, batch] = entry;
  for (const auto& to : recipients) {
    if (number < to->first) continue;
    if (batch) {
      if (batch->id != 0 && batch->id != to->id) continue;
      for (const SharedObject& object : batch->objects) {
        if (batch->resync) {
          updated(*to, object, object);
        } else {
          added(*to, object, true);
        }
      }
      if (batch->complete) {
        const std::lock_guard lock(mutex_);
        to->synced = true;
      }
    } else if (!step.before) {
      if (step.now) added(*to, step.now, false);
    } else if (!step.now) {
      deleted(*to, step.last);
    } else if (step.before->uid() != step.now->uid()) {
      deleted(*to, step.before);
      added(*to, step.now, false);
    } else {
      updated(*to, step.before, step.now);
    }
  }
}

void Deliveries::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  thread_ = std::this_thread::get_id();
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); }) && !stop.stop_requested()) {
    const Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    const std::uint64_t number = front_++;
    const bool is_step = entry.step.before || entry.step.now;
    if (!joinable_.empty() && is_step) {
      const auto found = joinable_.find(key_of(entry.step));
      if (found != joinable_.end() && found->second == number) joinable_.erase(found);
    }
    if (entry.batch && entry.batch->resync) resync_waits_ = false;
    auto recipients = handlers_;
    delivering_ = true;
    lock.unlock();
    deliver(entry, number, *recipients);
    recipients.reset();  // a removed handler may end here, as in `remove`
    lock.lock();
    delivering_ = false;
    changed_.notify_all();
  }
}

}  // namespace fairway::kube
