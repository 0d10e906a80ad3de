// SPDX-License-Identifier: Apache-2.0

// Numbers and texts one after another, as the files of the store hold them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fairway::updateservice {

/// Writes a packed format. Numbers are eight bytes, least significant first; a text is its length and its
/// bytes.
class Packer {
 public:
  void number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xff);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  /// Writes a list or map: the number of its items, then each by `write`.
  template <class List, class Write>
  void list(const List& items, Write write) {
    number(items.size());
    for (const auto& item : items) write(item);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads the format of a Packer. Reading beyond the end gives zeros and empty texts, and `ok()` is false from
/// then on.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    if (rest_.size() < 8) return broken();
    std::uint64_t value = 0;
    for (int i = 7; i >= 0; --i)
      value = value << 8 | static_cast<unsigned char>(rest_[static_cast<std::size_t>(i)]);
    rest_.remove_prefix(8);
    return value;
  }
  /// Returns a text as a view into the bytes that are read.
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      broken();
      return {};
    }
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  /// Calls `read` once for each item of the list, while there is no error.
  template <class Read>
  void list(Read read) {
    for (std::uint64_t left = number(); left > 0 && ok_; --left) read();
  }
  bool ok() const { return ok_; }
  /// Returns whether everything was read without an error, and nothing is left.
  bool complete() const { return ok_ && rest_.empty(); }

 private:
  std::uint64_t broken() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace fairway::updateservice
