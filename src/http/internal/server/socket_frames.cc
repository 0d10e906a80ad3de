// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/socket_frames.h"

#include <algorithm>
#include <cstddef>

namespace fairway::http {
namespace {

// spec: RFC 6455, section 5.2
enum Opcode : std::uint8_t { continuation = 0x0, text_message = 0x1, closing = 0x8, ping = 0x9, pong = 0xA };
constexpr unsigned final_bit = 0x80, reserved_bits = 0x70, opcode_bits = 0x0F;
constexpr unsigned mask_bit = 0x80, length_bits = 0x7F;
constexpr unsigned length_of_16_bits = 126, length_of_64_bits = 127;
/// The longest payload of a frame of control, and of any that says its length in its second byte.
constexpr std::size_t most_control = 125;
constexpr std::size_t mask_bytes = 4;

bool is_control(unsigned first) {
  return (first & 0x08) != 0;
}

void append_number(std::string& out, std::uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i) & 0xFF);
}

void append_frame(std::string& out, unsigned first, std::string_view payload) {
  out += static_cast<char>(first);
  if (payload.size() <= most_control) {
    out += static_cast<char>(payload.size());
  } else if (payload.size() <= 0xFFFF) {
    out += static_cast<char>(length_of_16_bits);
    append_number(out, payload.size(), 2);
  } else {
    out += static_cast<char>(length_of_64_bits);
    append_number(out, payload.size(), 8);
  }
  out += payload;
}

unsigned byte_at(const std::string& bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

/// Returns the number of bytes that say the length of a frame, behind its first two.
std::size_t length_bytes(unsigned second) {
  const unsigned length = second & length_bits;
  return length == length_of_64_bits ? 8 : length == length_of_16_bits ? 2 : 0;
}

}  // namespace

std::string LineMessages::frames(std::string_view piece) {
  std::string out;
  while (!piece.empty()) {
    const auto newline = piece.find('\n');
    const bool ends = newline != std::string_view::npos;
    const std::string_view part = ends ? piece.substr(0, newline + 1) : piece;
    append_frame(out, (within_ ? continuation : text_message) | (ends ? final_bit : 0), part);
    within_ = !ends;
    piece.remove_prefix(part.size());
  }
  return out;
}

std::string close_frame() {
  std::string out;
  append_frame(out, final_bit | closing, "\x03\xE8");  // 1000: a normal end
  return out;
}

bool ClientFrames::begin_frame() {
  const unsigned first = byte_at(head_, 0), second = byte_at(head_, 1);
  const std::size_t extra = length_bytes(second);
  remaining_ = extra == 0 ? second & length_bits : 0;
  for (std::size_t i = 0; i < extra; ++i) remaining_ = remaining_ << 8 | byte_at(head_, 2 + i);
  position_ = 0;
  payload_.clear();
  in_payload_ = true;
  return !is_control(first) || (remaining_ <= most_control && (first & final_bit) != 0);
}

bool ClientFrames::feed(std::string_view bytes, std::string& answers) {
  while (true) {
    if (!in_payload_) {
      // The first two bytes say how many follow them.
      const std::size_t wanted = head_.size() < 2 ? 2 : 2 + length_bytes(byte_at(head_, 1)) + mask_bytes;
      if (head_.size() < wanted) {
        if (bytes.empty()) return true;
        const std::size_t taken = std::min(wanted - head_.size(), bytes.size());
        head_.append(bytes.substr(0, taken));
        bytes.remove_prefix(taken);
        // A client has to mask what it sends, and no extension was agreed on.
        if (head_.size() == 2 &&
            ((byte_at(head_, 1) & mask_bit) == 0 || (byte_at(head_, 0) & reserved_bits) != 0))
          return false;
        continue;
      }
      if (!begin_frame()) return false;
    }
    const unsigned first = byte_at(head_, 0);
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
    if (is_control(first)) {
      const std::string_view mask = std::string_view(head_).substr(head_.size() - mask_bytes);
      for (std::size_t i = 0; i < taken; ++i) {
        payload_ += static_cast<char>(bytes[i] ^ mask[(position_ + i) % mask_bytes]);
      }
    }
    position_ += taken;
    remaining_ -= taken;
    bytes.remove_prefix(taken);
    if (remaining_ > 0) return true;
    in_payload_ = false;
    head_.clear();
    switch (first & opcode_bits) {
      case ping:
        append_frame(answers, final_bit | pong, payload_);
        break;
      case closing:
        append_frame(answers, final_bit | closing, payload_);
        return false;
      default:
        break;
    }
  }
}

}  // namespace fairway::http
