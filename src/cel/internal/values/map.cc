// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/values/map.h"

#include <bit>
#include <cmath>
#include <functional>

#include "cel/internal/values/numbers.h"

namespace fairway::cel {

namespace {

constexpr std::size_t few = 8;

std::uint64_t hash_of(const Value& key) {
  switch (key.kind()) {
    case ValueKind::boolean:
      return key.boolean() ? 3 : 5;
    case ValueKind::integer:
      return static_cast<std::uint64_t>(key.integer()) * 0x9e3779b97f4a7c15u;
    case ValueKind::unsigned_integer:
      return key.unsigned_integer() * 0x9e3779b97f4a7c15u;
    case ValueKind::floating: {
      // A double only finds a key that is the same integer.
      const double value = key.floating();
      if (value >= 0 && value < 18446744073709551616.0)
        return static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15u;
      if (value < 0 && value >= -9223372036854775808.0)
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) * 0x9e3779b97f4a7c15u;
      return 0;
    }
    default:
      return std::hash<std::string_view>{}(key.text());
  }
}

}  // namespace

bool same_key(const Value& a, const Value& b) {
  if (a.is(ValueKind::string)) return b.is(ValueKind::string) && a.text() == b.text();
  if (a.is(ValueKind::boolean)) return b.is(ValueKind::boolean) && a.boolean() == b.boolean();
  if (is_number(a) && is_number(b)) return compare_numbers(a, b) == std::partial_ordering::equivalent;
  return false;
}

MapBuilder::MapBuilder(std::size_t capacity, Scratch& scratch) {
  void* place = scratch.allocate(sizeof(Map));
  entries_ = scratch.allocate_array<Entry>(capacity);
  if (!place || !entries_ || capacity > (std::size_t{1} << 30)) return;
  std::uint32_t mask = 0;
  if (capacity > few) {
    const std::size_t slots = std::bit_ceil(capacity * 2);
    slots_ = scratch.allocate_array<std::uint32_t>(slots);
    if (!slots_) return;
    std::memset(slots_, 0, slots * sizeof(std::uint32_t));
    mask = static_cast<std::uint32_t>(slots - 1);
  }
  map_ = new (place) Map{entries_, 0, slots_, mask};
}

bool MapBuilder::add(const Value& key, const Value& value) {
  if (find_entry(*map_, key)) return false;
  new (&entries_[map_->count]) Entry{key, value};
  ++map_->count;
  if (slots_) {
    std::uint64_t hash = hash_of(key);
    hash ^= hash >> 32;
    std::uint32_t slot = static_cast<std::uint32_t>(hash) & map_->mask;
    while (slots_[slot] != 0) slot = (slot + 1) & map_->mask;
    slots_[slot] = map_->count;
  }
  return true;
}

const Entry* find_entry(const Map& map, const Value& key) {
  if (!map.slots) {
    for (std::uint32_t i = 0; i < map.count; ++i)
      if (same_key(map.entries[i].key, key)) return &map.entries[i];
    return nullptr;
  }
  if (key.kind() == ValueKind::null_value || key.kind() > ValueKind::bytes) return nullptr;
  std::uint64_t hash = hash_of(key);
  hash ^= hash >> 32;
  for (std::uint32_t slot = static_cast<std::uint32_t>(hash) & map.mask; map.slots[slot] != 0;
       slot = (slot + 1) & map.mask)
    if (same_key(map.entries[map.slots[slot] - 1].key, key)) return &map.entries[map.slots[slot] - 1];
  return nullptr;
}

}  // namespace fairway::cel
