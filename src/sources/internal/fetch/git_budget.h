// SPDX-License-Identifier: Apache-2.0

// Limits on the memory and time of libgit2 while it works for a source. For the git_*.cc files only.
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"

namespace fairway::sources {

/// Limits of the bytes that libgit2 unpacks: objects are deltas of others, so a small pack may expand to any
/// size.
struct GitBudgetLimits {
  std::size_t object_bytes = std::size_t{64} << 20;  ///< bytes of one object or delta in memory
  std::size_t total_bytes = std::size_t{8} << 30;    ///< bytes of all buffers above 64 KiB, one after another
};

/// Limits libgit2's calls of this thread while an instance exists: they end with an error once they have
/// unpacked too much, are stopped, or have exceeded their time. Each buffer for an object is checked here.
/// Not nested.
class GitBudget {
 public:
  /// Starts the budget. The clock, which the limits go by, must outlive it.
  GitBudget(Limits limits, const Clock& clock, const GitBudgetLimits& sizes = {});
  ~GitBudget();
  GitBudget(const GitBudget&) = delete;
  GitBudget& operator=(const GitBudget&) = delete;

  /// Returns why libgit2 was refused a buffer, or has to end: `too_large`, `cancelled`, `deadline_exceeded`.
  std::optional<Error> exceeded() const;

  /// Makes libgit2 allocate memory here; to be called before its first use.
  static void install();

 private:
  static bool grants(std::size_t bytes);
  static void* allocate(std::size_t bytes);

  const Limits limits_;
  const Clock& clock_;
  const GitBudgetLimits sizes_;
  std::size_t taken_ = 0;
  bool too_large_ = false;
};

}  // namespace fairway::sources
