// SPDX-License-Identifier: Apache-2.0

#include "http/compress.h"

#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>

namespace fairway::http {
namespace {

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

/// DEFLATE cannot expand one byte to more than this.
constexpr std::size_t most_expansion = 1032;

/// The last four bytes of a member: its size before compression, modulo 2^32 (RFC 1952, section 2.3.1).
std::size_t size_in_trailer(std::string_view bytes) {
  std::size_t size = 0;
  for (std::size_t i = 1; i <= std::min<std::size_t>(4, bytes.size()); ++i) {
    size = size << 8 | static_cast<unsigned char>(bytes[bytes.size() - i]);
  }
  return size;
}

}  // namespace

std::string gzip(std::string_view text, int level) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(std::clamp(level, 1, 12)));
  if (!compressor) throw std::bad_alloc();
  std::string bytes;
  bytes.resize_and_overwrite(
      libdeflate_gzip_compress_bound(compressor.get(), text.size()), [&](char* out, std::size_t room) {
        return libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out, room);
      });
  bytes.shrink_to_fit();
  return bytes;
}

Result<std::string> gunzip(std::string_view bytes, std::size_t limit) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  const auto too_large = [limit] {
    return fail(ErrorCode::too_large,
                "decompressing gzip: more than the allowed " + std::to_string(limit) + " bytes");
  };
  if (bytes.empty()) return fail(ErrorCode::invalid, "decompressing gzip: the input is empty");
  std::string text;
  // A gzip file is a series of members (RFC 1952, section 2.2), each with its own size, which is known only
  // roughly.
  while (!bytes.empty()) {
    const std::size_t most = std::min(limit - text.size(), bytes.size() * most_expansion);
    std::size_t room = std::min(most, std::max<std::size_t>(size_in_trailer(bytes), 256));
    while (true) {
      const std::size_t before = text.size();
      std::size_t read = 0;
      std::size_t written = 0;
      libdeflate_result outcome = LIBDEFLATE_BAD_DATA;
      text.resize_and_overwrite(before + room, [&](char* out, std::size_t) {
        outcome = libdeflate_gzip_decompress_ex(decompressor.get(), bytes.data(), bytes.size(), out + before,
                                                room, &read, &written);
        return before + (outcome == LIBDEFLATE_SUCCESS ? written : 0);
      });
      if (outcome == LIBDEFLATE_SUCCESS) {
        bytes.remove_prefix(read);
        break;
      }
      if (outcome != LIBDEFLATE_INSUFFICIENT_SPACE) {
        return fail(ErrorCode::invalid, "decompressing gzip: the stream is broken or cut short");
      }
      if (room == limit - before) return too_large();
      if (room == most) return fail(ErrorCode::invalid, "decompressing gzip: the stream is broken");
      room = std::min(most, room * 4);
    }
  }
  return text;
}

}  // namespace fairway::http
