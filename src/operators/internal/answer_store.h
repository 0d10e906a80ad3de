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
  WallTime at;  ///< when the service last said so
};

/// Two files: the answer with a digest of its query, and when it was last given, as that changes with each
/// request. Nothing of it is needed: what cannot be read or written is said in the log at most. Without a
/// folder nothing is kept.
class AnswerStore {
 public:
  explicit AnswerStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The answer to this query, if that is the one that was kept.
  std::optional<StoredAnswer> read(const Query& query) const;
  /// Keeps it, but for its time.
  void write(const Query& query, const StoredAnswer& answer);
  void write_time(WallTime time);

 private:
  std::filesystem::path folder_;
};

}  // namespace fairway::operators
