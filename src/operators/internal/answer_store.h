// SPDX-License-Identifier: Apache-2.0

// The last answer of the update service, on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "operators/retrieval.h"

namespace fairway::operators {

struct StoredAnswer {
  std::string body, source, etag;
  WallTime at;  ///< time at which the service last said so
};

/// Two files: the answer with a digest of its query, and the time at which it was last given, as that changes
/// with each request. A failed read or write is at most logged, as the operator works without the files.
/// Without a folder nothing is kept.
class AnswerStore {
 public:
  explicit AnswerStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the stored answer, if it is for this query.
  std::optional<StoredAnswer> read(const Query& query) const;
  /// Stores an answer without its time.
  void write(const Query& query, const StoredAnswer& answer);
  void write_time(WallTime time);

 private:
  std::filesystem::path folder_;
};

}  // namespace fairway::operators
