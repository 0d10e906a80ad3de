// SPDX-License-Identifier: Apache-2.0

// The numbers of streams that a client has used, to tell frames that were on their way from those that are
// wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace fairway::http {

class StreamNumbers {
 public:
  enum class Verdict : std::uint8_t { fine, ended, skipped };

  /// Notes that a client opens a stream: it may not come back to those that it has passed over.
  void open(std::int32_t id) {
    if (id > last_ + 2) keep(skipped_, {last_ + 2, id - 2});
    last_ = id;
  }
  /// Notes that this side has reset a stream: the client may not know yet.
  void reset(std::int32_t id) { keep(reset_, id); }
  /// Judges a frame of a stream that is not open: fine if it is a new one, or was reset here.
  Verdict judge(std::int32_t id) const {
    if (id > last_ || std::ranges::find(reset_, id) != reset_.end()) return Verdict::fine;
    const auto has = [id](const auto& range) { return id >= range.first && id <= range.second; };
    return std::ranges::any_of(skipped_, has) ? Verdict::skipped : Verdict::ended;
  }

 private:
  static constexpr std::size_t most = 512;

  template <class T>
  static void keep(std::deque<T>& kept, T one) {
    if (kept.size() == most) kept.pop_front();
    kept.push_back(std::move(one));
  }

  std::int32_t last_ = -1;
  std::deque<std::int32_t> reset_;
  std::deque<std::pair<std::int32_t, std::int32_t>> skipped_;  ///< first and last of each range
};

}  // namespace fairway::http
