// SPDX-License-Identifier: Apache-2.0

// Packs made to cost: what no git command would write.
#pragma once

#include <libdeflate.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/git_repository.h"

namespace fairway::sources {

/// Writes a pack, object by object.
class PackWriter {
 public:
  enum Type : std::uint8_t { commit = 1, tree = 2, blob = 3, offset_delta = 6 };

  /// Adds an object and returns its offset. `claimed`: the size that its header states, if it lies.
  std::size_t add(Type type, std::string_view content, std::size_t base = 0, std::size_t claimed = 0) {
    const std::size_t offset = header_size + objects_.size();
    add_size(type, claimed > 0 ? claimed : content.size());
    if (type == offset_delta) add_distance(offset - base);
    libdeflate_compressor* const compressor = libdeflate_alloc_compressor(9);
    std::string packed(libdeflate_zlib_compress_bound(compressor, content.size()), '\0');
    const std::size_t size =
        libdeflate_zlib_compress(compressor, content.data(), content.size(), packed.data(), packed.size());
    libdeflate_free_compressor(compressor);
    objects_ += packed.substr(0, size);
    ++count_;
    return offset;
  }
  /// Returns the pack, with its checksum.
  std::string finish(const testing::TempDirectory& scratch) const {
    std::string pack = "PACK";
    for (const std::uint32_t number : {std::uint32_t{2}, count_}) {
      for (int shift = 24; shift >= 0; shift -= 8) pack += static_cast<char>(number >> shift & 0xff);
    }
    pack += objects_;
    const auto file = scratch.write("pack", pack);
    FILE* pipe = popen(("sha1sum '" + file.string() + "'").c_str(), "r");
    char digest[41] = {};
    const std::size_t read = fread(digest, 1, 40, pipe);
    pclose(pipe);
    for (std::size_t i = 0; i + 1 < read; i += 2)
      pack += static_cast<char>(std::stoi(std::string(digest + i, 2), nullptr, 16));
    return pack;
  }

 private:
  static constexpr std::size_t header_size = 12;

  void add_size(Type type, std::size_t size) {
    std::uint8_t byte = static_cast<std::uint8_t>(type << 4 | (size & 15));
    size >>= 4;
    while (size > 0) {
      objects_ += static_cast<char>(byte | 0x80);
      byte = size & 0x7f;
      size >>= 7;
    }
    objects_ += static_cast<char>(byte);
  }
  void add_distance(std::size_t distance) {
    std::string bytes(1, static_cast<char>(distance & 0x7f));
    while ((distance >>= 7) > 0) bytes.insert(0, 1, static_cast<char>(0x80 | (--distance & 0x7f)));
    objects_ += bytes;
  }

  std::string objects_;
  std::uint32_t count_ = 0;
};

inline std::string delta_size(std::size_t size) {
  std::string bytes;
  for (; size > 0x7f; size >>= 7) bytes += static_cast<char>(0x80 | (size & 0x7f));
  return bytes + static_cast<char>(size);
}

/// Returns a delta that copies the first `piece` bytes (at most 16 MiB) of its base `times` times.
inline std::string copying_delta(std::size_t base, std::size_t piece, std::size_t times) {
  std::string delta = delta_size(base) + delta_size(piece * times);
  for (std::size_t i = 0; i < times; ++i) {
    delta += '\xf0';  // three bytes of size, none of offset
    for (int shift = 0; shift < 24; shift += 8) delta += static_cast<char>(piece >> shift & 0xff);
  }
  return delta;
}

struct Bomb {
  std::string commit, pack;
};

/// Returns the raw bytes of an object.
inline std::string raw_object(const testing::GitRepository& repository, const std::string& type,
                              const std::string& id) {
  FILE* pipe = popen(("git -C '" + repository.text() + "' cat-file " + type + " " + id).c_str(), "r");
  std::string bytes;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) bytes.append(buffer, count);
  pclose(pipe);
  return bytes;
}

/// Makes a commit of some ten KB that holds the file channels/a.yaml of 16 bytes, which is a delta of an
/// object of `mebibytes` MiB. `claimed`: the size that the header of that object states instead of the size
/// of its delta.
inline Bomb delta_bomb(const testing::GitRepository& repository, std::size_t mebibytes,
                       std::size_t claimed = 0) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20, small = 16;
  repository.folder().write("channels/a.yaml", std::string(small, ' '));
  Bomb bomb{.commit = repository.commit(), .pack = {}};
  PackWriter writer;
  const std::size_t base = writer.add(PackWriter::blob, std::string(mebibyte, ' '));
  const std::size_t large =
      writer.add(PackWriter::offset_delta, copying_delta(mebibyte, mebibyte, mebibytes), base, claimed);
  writer.add(PackWriter::offset_delta, copying_delta(mebibyte * mebibytes, small, 1), large);
  for (const char* tree : {"HEAD^{tree}", "HEAD:channels"})
    writer.add(PackWriter::tree, raw_object(repository, "tree", "'" + std::string(tree) + "'"));
  writer.add(PackWriter::commit, raw_object(repository, "commit", "HEAD"));
  const testing::TempDirectory scratch;
  bomb.pack = writer.finish(scratch);
  return bomb;
}

/// Leaves a repository with nothing but the objects of a pack.
inline void keep_only(const testing::GitRepository& repository, const std::string& pack) {
  repository.folder().write("bomb.pack", pack);
  repository.git("index-pack bomb.pack");
  std::filesystem::create_directories(repository.folder() / ".git/objects/pack");
  for (const auto& entry : std::filesystem::directory_iterator(repository.folder() / ".git/objects")) {
    if (entry.path().filename().string().size() == 2) std::filesystem::remove_all(entry.path());
  }
  for (const char* ending : {".pack", ".idx"}) {
    std::filesystem::rename(repository.folder() / ("bomb" + std::string(ending)),
                            repository.folder() / (".git/objects/pack/pack-bomb" + std::string(ending)));
  }
}

}  // namespace fairway::sources
