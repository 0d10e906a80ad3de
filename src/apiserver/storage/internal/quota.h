// How the space of a quota is given out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "apiserver/storage/internal/row_bytes.h"

namespace fairway::apiserver::storage {

/// The last part of a quota is a reserve: only deletions, essential writes and compaction get into it, so
/// that who has used up the rest can make room. History gives way before a write is refused.
class Quota {
 public:
  /// `bytes` 0: there is none.
  explicit Quota(std::int64_t bytes)
      : bytes_(bytes), reserve_(std::clamp(bytes / 16, least_reserve, most_reserve)) {}

  bool is_set() const { return bytes_ > 0; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t reserve() const { return reserve_; }
  /// What writes may use that are not essential.
  std::int64_t ordinary() const { return std::max<std::int64_t>(0, bytes_ - reserve_); }
  /// What essential writes may use that are not vital.
  std::int64_t essential() const { return std::max<std::int64_t>(0, bytes_ - reserve_ / 2); }
  /// The alarm ends once no more than this is used: below what raises it, so that it does not come and go.
  std::int64_t calm() const { return std::max<std::int64_t>(0, ordinary() - reserve_ / 4); }
  /// What history may take beside `live` bytes of objects and log, at most `wanted`. Some is always left:
  /// watches have to be able to begin where a list ended.
  std::int64_t history(std::int64_t live, std::int64_t wanted) const {
    if (!is_set()) return wanted;
    return std::clamp(ordinary() - reserve_ / 2 - live, std::min(wanted, reserve_ / 4), wanted);
  }
  std::int64_t most_log_bytes() const { return is_set() ? std::min(usual_log, reserve_) : usual_log; }
  int checkpoint_pages(int wanted) const {
    return is_set() ? static_cast<int>(std::min<std::int64_t>(wanted, reserve_ / 2 / page_bytes)) : wanted;
  }

 private:
  static constexpr std::int64_t least_reserve = 1 << 20, most_reserve = 64 << 20, usual_log = 64 << 20;
  std::int64_t bytes_, reserve_;
};

}  // namespace fairway::apiserver::storage
