// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/quiet.h"

#include <cstdio>
#include <iostream>
#include <mutex>

namespace fairway::oci {
namespace {

struct State {
  std::mutex mutex;
  int depth = 0;
  std::FILE* real = nullptr;
  std::FILE* nowhere = nullptr;
};

State& state() {
  // Never destroyed: threads may verify while the process exits.
  static State* const instance = [] {
    // C++'s streams take hold of the real one before it is ever replaced.
    static const std::ios_base::Init streams;
    auto* made = new State;
    made->nowhere = std::fopen("/dev/null", "we");
    return made;
  }();
  return *instance;
}

}  // namespace

QuietStderr::QuietStderr() {
  State& shared = state();
  const std::lock_guard lock(shared.mutex);
  if (shared.depth++ > 0 || shared.nowhere == nullptr) return;
  shared.real = stderr;
  // A variable like others in glibc.
  stderr = shared.nowhere;
}

QuietStderr::~QuietStderr() {
  State& shared = state();
  const std::lock_guard lock(shared.mutex);
  if (--shared.depth > 0 || shared.real == nullptr) return;
  stderr = shared.real;
  shared.real = nullptr;
}

}  // namespace fairway::oci
