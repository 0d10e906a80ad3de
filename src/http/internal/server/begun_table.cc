// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/begun_table.h"

#include <iterator>

namespace fairway::http {

std::uint64_t BegunTable::enter(const AddressKey& address, Stage stage, Worker* worker, SteadyTime now) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = ++last_number_;
  begun_[address][static_cast<std::size_t>(stage)].emplace(number, Entry{.worker = worker, .since = now});
  return number;
}

void BegunTable::leave(const AddressKey& address, std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  const auto found = begun_.find(address);
  if (found == begun_.end()) return;
  bool empty = true;
  for (Queue& queue : found->second) {
    queue.erase(number);
    empty = empty && queue.empty();
  }
  if (empty) begun_.erase(found);
}

std::optional<BegunTable::Begun> BegunTable::give_way(const AddressKey& address, std::size_t most,
                                                      SteadyTime slow_since, std::uint64_t spared) {
  const std::scoped_lock lock(mutex_);
  const auto found = begun_.find(address);
  if (found == begun_.end()) return std::nullopt;
  Queues& queues = found->second;
  std::size_t all = 0;
  for (const Queue& queue : queues) all += queue.size();
  if (all <= most) return std::nullopt;

  const auto oldest_of = [spared](Queue& queue) {
    const auto first = queue.begin();
    return first != queue.end() && first->first == spared ? std::next(first) : first;
  };
  Queue* chosen = nullptr;
  Queue::iterator victim;
  const auto choose = [&](Queue& queue, Queue::iterator each) {
    chosen = &queue;
    victim = each;
  };
  for (const Stage stage : {Stage::handshake, Stage::head}) {
    Queue& queue = queues[static_cast<std::size_t>(stage)];
    const auto each = oldest_of(queue);
    if (each == queue.end() || each->second.since > slow_since) continue;
    if (chosen == nullptr || each->first < victim->first) choose(queue, each);
  }
  if (chosen == nullptr) {
    for (Queue& queue : queues) {
      const auto each = oldest_of(queue);
      if (each == queue.end()) continue;
      if (chosen == nullptr || queue.size() > chosen->size()) choose(queue, each);
    }
  }
  if (chosen == nullptr) return std::nullopt;
  const Begun begun{.worker = victim->second.worker, .number = victim->first};
  chosen->erase(victim);
  return begun;
}

}  // namespace fairway::http
