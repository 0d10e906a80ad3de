// What libgit2 may take while it works for a source. Only the git_*.cc files see this.
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"

namespace fairway::sources {

/// Limits of what libgit2 unpacks: objects are deltas of others, so that a small pack may stand for any size.
struct GitBudgetLimits {
  std::size_t object_bytes = std::size_t{64} << 20;  ///< of one object, or delta, in memory
  std::size_t total_bytes = std::size_t{8} << 30;    ///< of all buffers above 64 KiB, one after another
};

/// While one exists, libgit2's calls of this thread end with an error once they have unpacked too much, are
/// to stop, or have taken their time: each buffer for an object is asked for here. Not nested.
class GitBudget {
 public:
  /// The clock, which is that of the limits, outlives the budget.
  GitBudget(Limits limits, const Clock& clock, const GitBudgetLimits& sizes = {});
  ~GitBudget();
  GitBudget(const GitBudget&) = delete;
  GitBudget& operator=(const GitBudget&) = delete;

  /// Why libgit2 was refused a buffer, or is to end: `too_large`, `cancelled`, `deadline_exceeded`.
  std::optional<Error> exceeded() const;

  /// Makes libgit2 ask for memory here; before its first use.
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
