// SPDX-License-Identifier: Apache-2.0

// The disk quota of the storage, and its reserve.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "apiserver/internal/storage/row_bytes.h"
#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// A quota whose last part is a reserve. Only deletions, essential writes and compaction may use it, so that
/// room can be made once the rest is used up. History is compacted before a write is refused.
class Quota {
 public:
  /// Makes a quota; `bytes` 0: there is none.
  explicit Quota(std::int64_t bytes)
      : bytes_(bytes), reserve_(std::clamp(bytes / 16, least_reserve, most_reserve)) {}

  bool is_set() const { return bytes_ > 0; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t reserve() const { return reserve_; }
  /// Bytes that ordinary writes may use.
  std::int64_t ordinary() const { return std::max<std::int64_t>(0, bytes_ - reserve_); }
  /// Bytes that may be in use after a write.
  std::int64_t limit(Room room) const {
    switch (room) {
      case Room::ordinary:
        return ordinary();
      case Room::essential:
        return std::max<std::int64_t>(0, bytes_ - reserve_ / 2);
      case Room::vital:
        return std::max<std::int64_t>(0, bytes_ - reserve_ / 4);
      case Room::administrator:
        return bytes_;
      case Room::server:
        break;
    }
    return std::numeric_limits<std::int64_t>::max();
  }
  /// Bytes in use at which the alarm ends: fewer than raise it, so that it does not come and go.
  std::int64_t calm() const { return std::max<std::int64_t>(0, ordinary() - reserve_ / 4); }
  /// Bytes that history may take besides `live` bytes of objects and log, at most `wanted`. Some are always
  /// left: watches have to be able to begin where a list ended.
  std::int64_t history(std::int64_t live, std::int64_t wanted) const {
    if (!is_set()) return wanted;
    return std::clamp(ordinary() - reserve_ / 2 - live, std::min(wanted, reserve_ / 4), wanted);
  }
  std::int64_t most_log_bytes() const { return is_set() ? std::min(usual_log, reserve_) : usual_log; }
  /// Most bytes of writes that share a COMMIT, at most `wanted`: for a while they are in the log and in the
  /// database, and both have to fit.
  std::size_t most_commit_bytes(std::size_t wanted) const {
    return is_set() ? std::min(wanted, static_cast<std::size_t>(reserve_ / 2)) : wanted;
  }
  int checkpoint_pages(int wanted) const {
    return is_set() ? static_cast<int>(std::min<std::int64_t>(wanted, reserve_ / 2 / page_bytes)) : wanted;
  }

 private:
  static constexpr std::int64_t least_reserve = 1 << 20, most_reserve = 64 << 20, usual_log = 64 << 20;
  std::int64_t bytes_, reserve_;
};

}  // namespace fairway::apiserver::storage
