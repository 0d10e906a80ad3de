// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/git_budget.h"

#include <git2.h>
#include <git2/sys/alloc.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace fairway::sources {

namespace {

thread_local GitBudget* current = nullptr;

/// Size from which buffers are counted. Smaller ones are granted unchecked: they are many, and libgit2
/// expects to get them.
constexpr std::size_t looked_at = std::size_t{64} << 10;

bool overflows(std::size_t count, std::size_t size) {
  return size != 0 && count > SIZE_MAX / size;
}

}  // namespace

GitBudget::GitBudget(Limits limits, const Clock& clock, const GitBudgetLimits& sizes)
    : limits_(std::move(limits)), clock_(clock), sizes_(sizes) {
  current = this;
}

GitBudget::~GitBudget() {
  current = nullptr;
}

std::optional<Error> GitBudget::exceeded() const {
  if (too_large_) {
    return Error{ErrorCode::too_large,
                 "an object unpacks to more than " + std::to_string(sizes_.object_bytes >> 20) +
                     " MiB, or all to more than " + std::to_string(sizes_.total_bytes >> 30) + " GiB"};
  }
  if (limits_.stop.stop_requested()) return Error{ErrorCode::cancelled, "stopped"};
  if (limits_.expired(clock_)) return Error{ErrorCode::deadline_exceeded, "it takes too long"};
  return std::nullopt;
}

bool GitBudget::grants(std::size_t bytes) {
  if (bytes < looked_at || current == nullptr) return true;
  GitBudget& self = *current;
  self.taken_ += bytes;
  // A little is put before and behind an object's bytes.
  self.too_large_ = self.too_large_ || bytes > self.sizes_.object_bytes + looked_at ||
                    self.taken_ > self.sizes_.total_bytes;
  return !self.too_large_ && !self.limits_.expired(self.clock_);
}

void* GitBudget::allocate(std::size_t bytes) {
  return grants(bytes) ? std::malloc(bytes) : nullptr;
}

void GitBudget::install() {
  // libgit2 keeps a copy, and takes each function.
  static git_allocator functions;
  functions.gmalloc = [](std::size_t bytes, const char*, int) { return allocate(bytes); };
  functions.gcalloc = [](std::size_t count, std::size_t size, const char*, int) -> void* {
    return overflows(count, size) || !grants(count * size) ? nullptr : std::calloc(count, size);
  };
  functions.gmallocarray = [](std::size_t count, std::size_t size, const char*, int) -> void* {
    return overflows(count, size) ? nullptr : allocate(count * size);
  };
  functions.grealloc = [](void* old, std::size_t bytes, const char*, int) -> void* {
    return grants(bytes) ? std::realloc(old, bytes) : nullptr;
  };
  functions.greallocarray = [](void* old, std::size_t count, std::size_t size, const char*, int) -> void* {
    return overflows(count, size) || !grants(count * size) ? nullptr : std::realloc(old, count * size);
  };
  functions.gsubstrdup = [](const char* text, std::size_t size, const char*, int) -> char* {
    auto* const copy = static_cast<char*>(allocate(size + 1));
    if (copy == nullptr) return nullptr;
    std::memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
  };
  functions.gstrndup = [](const char* text, std::size_t size, const char* file, int line) -> char* {
    return functions.gsubstrdup(text, strnlen(text, size), file, line);
  };
  functions.gstrdup = [](const char* text, const char* file, int line) -> char* {
    return functions.gsubstrdup(text, std::strlen(text), file, line);
  };
  functions.gfree = [](void* memory) { std::free(memory); };
  git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &functions);
}

}  // namespace fairway::sources
