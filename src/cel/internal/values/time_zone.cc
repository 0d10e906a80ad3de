// SPDX-License-Identifier: Apache-2.0

// Time zones by offset, and by name from the machine's TZif files (RFC 8536).
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/file.h"
#include "cel/internal/values/time.h"

namespace fairway::cel {

namespace {

struct Zone {
  /// Moments at which the offset changes, ascending.
  std::vector<std::int64_t> changes;
  /// Offsets, each from its change on.
  std::vector<std::int64_t> offsets;
  /// Offset before the first change.
  std::int64_t first = 0;
};

std::int64_t big_endian(std::string_view data, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(data[at + i]);
  if (size == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int64_t>(value);
}

/// Parses the second, 64-bit block of a file.
std::optional<Zone> parse_zone(std::string_view data) {
  constexpr std::size_t header = 44;
  if (data.size() < header || !data.starts_with("TZif") || data[4] < '2') return std::nullopt;
  const auto count = [&](std::size_t from, std::size_t index) {
    return static_cast<std::size_t>(big_endian(data, from + 20 + 4 * index, 4) & 0xffff);
  };
  // Counts: UT flags, standard flags, leap seconds, transitions, types, characters.
  const std::size_t skipped =
      header + count(0, 3) * 5 + count(0, 4) * 6 + count(0, 5) + count(0, 2) * 8 + count(0, 1) + count(0, 0);
  if (data.size() < skipped + header || !data.substr(skipped).starts_with("TZif")) return std::nullopt;
  const std::size_t changes = count(skipped, 3);
  const std::size_t types = count(skipped, 4);
  const std::size_t times_at = skipped + header;
  const std::size_t indices_at = times_at + changes * 8;
  const std::size_t types_at = indices_at + changes;
  if (types == 0 || data.size() < types_at + types * 6) return std::nullopt;
  Zone zone;
  zone.first = big_endian(data, types_at, 4);
  for (std::size_t i = 0; i < changes; ++i) {
    const auto type = static_cast<unsigned char>(data[indices_at + i]);
    if (type >= types) return std::nullopt;
    zone.changes.push_back(big_endian(data, times_at + 8 * i, 8));
    zone.offsets.push_back(big_endian(data, types_at + 6u * type, 4));
  }
  return zone;
}

std::int64_t offset_at(const Zone& zone, std::int64_t seconds) {
  const auto after = std::ranges::upper_bound(zone.changes, seconds);
  if (after == zone.changes.begin()) return zone.first;
  return zone.offsets[static_cast<std::size_t>(after - zone.changes.begin()) - 1];
}

bool plain_name(std::string_view name) {
  return !name.empty() && name.size() < 64 && !name.starts_with('/') &&
         name.find("..") == std::string_view::npos &&
         std::ranges::all_of(
             name,
             [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '+' || c == '/';
             });
}

std::optional<Zone> read_zone(std::string_view name) {
  const auto data = read_file("/usr/share/zoneinfo/" + std::string(name));
  return data ? parse_zone(*data) : std::nullopt;
}

/// Parses `[+-]HH:MM`, where the hours may have one digit.
std::optional<std::int64_t> fixed_offset(std::string_view text) {
  const bool west = text.starts_with('-');
  if (west || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > 2 || text.size() != colon + 3)
    return std::nullopt;
  int hours = 0, minutes = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == colon) continue;
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    int& part = i < colon ? hours : minutes;
    part = part * 10 + (text[i] - '0');
  }
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (hours * 3600 + minutes * 60) * (west ? -1 : 1);
}

}  // namespace

std::optional<std::int64_t> zone_offset(std::string_view zone, std::int64_t seconds) {
  if (zone.empty() || zone == "UTC") return 0;
  if (zone.find(':') != std::string_view::npos) return fixed_offset(zone);
  if (!plain_name(zone)) return std::nullopt;
  static std::mutex mutex;
  static std::map<std::string, std::optional<Zone>, std::less<>> zones;
  const std::scoped_lock lock(mutex);
  auto found = zones.find(zone);
  if (found == zones.end()) {
    // Only names that exist are kept, or anybody could fill the memory.
    std::optional<Zone> read = read_zone(zone);
    if (!read) return std::nullopt;
    found = zones.emplace(std::string(zone), std::move(read)).first;
  }
  return offset_at(*found->second, seconds);
}

}  // namespace fairway::cel
