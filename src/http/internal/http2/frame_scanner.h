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
  /// Returns the next bytes to handle together, which may begin within a frame. `is_head`: they complete the
  /// head of one, which is `head`.
  std::string_view next(std::string_view bytes, bool& is_head) {
    is_head = false;
    std::size_t size = 0;
    if (payload_left_ == 0) {
      size = std::min(head_bytes - collected_, bytes.size());
      std::copy_n(bytes.begin(), size, collected_bytes_.begin() + static_cast<std::ptrdiff_t>(collected_));
      collected_ += size;
      if (collected_ < head_bytes) return bytes;
      collected_ = 0;
      is_head = true;
      payload_left_ = head().length;
    }
    const std::size_t payload = std::min(payload_left_, bytes.size() - size);
    payload_left_ -= payload;
    return bytes.substr(0, size + payload);
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
  static constexpr std::size_t head_bytes = 9;
  /// Length of what a client sends before its first frame.
  static constexpr std::size_t preface_bytes = 24;

  std::array<char, head_bytes> collected_bytes_{};
  std::size_t collected_ = 0;
  std::size_t payload_left_ = preface_bytes;
};

}  // namespace fairway::http
