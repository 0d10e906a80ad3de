// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/derived.h"

namespace fairway::apiserver::storage {

struct Derived::Node {
  std::uint64_t tag;
  std::shared_ptr<const void> value;
  Node* next;
};

Derived::~Derived() {
  for (Node* node = first_.load(std::memory_order_acquire); node != nullptr;) {
    delete std::exchange(node, node->next);
  }
}

const void* Derived::find(std::uint64_t tag) const {
  for (const Node* node = first_.load(std::memory_order_acquire); node != nullptr; node = node->next) {
    if (node->tag == tag) return node->value.get();
  }
  return nullptr;
}

const void* Derived::keep(std::uint64_t tag, std::shared_ptr<const void> value, std::size_t bytes) const {
  auto made = std::make_unique<Node>(Node{tag, std::move(value), first_.load(std::memory_order_acquire)});
  while (true) {
    // Whoever was first: all that was added since this was looked for is in front.
    if (const void* other = find(tag)) return other;
    Node* seen = made->next;
    if (first_.compare_exchange_weak(seen, made.get(), std::memory_order_acq_rel)) {
      bytes_.fetch_add(bytes + sizeof(Node), std::memory_order_relaxed);
      return made.release()->value.get();
    }
    made->next = seen;
  }
}

}  // namespace fairway::apiserver::storage
