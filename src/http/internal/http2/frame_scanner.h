// SPDX-License-Identifier: Apache-2.0

// The heads of the frames in what a client sends. nghttp2 reports no frame that it passes over.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fairway::http {

/// The head of a frame.
struct FrameHead {
  std::uint32_t length = 0;
  std::uint8_t type = 0, flags = 0;
  std::int32_t stream = 0;
};

/// Splits what comes behind each other into frames, however it was cut.
class FrameScanner {
 public:
  /// Takes the next bytes to handle together off the front of `bytes`: the whole head of a frame, with what
  /// there is of its payload, or more of that. They are valid until the next call. Empty: a head has only
  /// begun. `is_head`: they begin with a head, which is `head`.
  std::string_view next(std::string_view& bytes, bool& is_head) {
    is_head = false;
    if (payload_left_ > 0) return take(bytes, 0);
    const bool in_one_piece = collected_ == 0;
    const std::size_t size = std::min(head_bytes - collected_, bytes.size());
    std::copy_n(bytes.begin(), size, collected_bytes_.begin() + static_cast<std::ptrdiff_t>(collected_));
    collected_ += size;
    if (collected_ < head_bytes) {
      bytes.remove_prefix(size);
      return {};
    }
    collected_ = 0;
    is_head = true;
    payload_left_ = head().length;
    if (in_one_piece) return take(bytes, size);
    bytes.remove_prefix(size);
    return {collected_bytes_.data(), head_bytes};
  }
  FrameHead head() const {
    const auto byte = [this](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<std::uint8_t>(collected_bytes_[i]));
    };
    return {.length = (byte(0) << 16) | (byte(1) << 8) | byte(2),
            .type = static_cast<std::uint8_t>(byte(3)),
            .flags = static_cast<std::uint8_t>(byte(4)),
            .stream = static_cast<std::int32_t>(((byte(5) & 0x7f) << 24) | (byte(6) << 16) | (byte(7) << 8) |
                                                byte(8))};
  }

 private:
  std::string_view take(std::string_view& bytes, std::size_t head) {
    const std::size_t payload = std::min(payload_left_, bytes.size() - head);
    payload_left_ -= payload;
    const std::string_view taken = bytes.substr(0, head + payload);
    bytes.remove_prefix(taken.size());
    return taken;
  }

  static constexpr std::size_t head_bytes = 9;
  /// Length of what a client sends before its first frame.
  static constexpr std::size_t preface_bytes = 24;

  std::array<char, head_bytes> collected_bytes_{};
  std::size_t collected_ = 0;
  std::size_t payload_left_ = preface_bytes;
};

}  // namespace fairway::http
