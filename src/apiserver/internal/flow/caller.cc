// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/flow/caller.h"

#include <utility>

namespace fairway::apiserver::flow {

namespace {
thread_local const Caller* current = nullptr;
}  // namespace

CallerScope::CallerScope(const Caller& caller) : before_(std::exchange(current, &caller)) {}

CallerScope::~CallerScope() {
  current = before_;
}

const Caller* current_caller() {
  return current;
}

}  // namespace fairway::apiserver::flow
