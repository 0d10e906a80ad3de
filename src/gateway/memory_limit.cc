// SPDX-License-Identifier: Apache-2.0

#include "gateway/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>

#include "base/file.h"

namespace fairway::gateway {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// Returns the number at the beginning of a text, without spaces before it; `no_limit`: there is none.
std::uint64_t number_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() ? number : no_limit;
}

std::string text_of(const std::filesystem::path& file) {
  return read_file(file.string()).value_or("");
}

}  // namespace

std::uint64_t least_memory(std::string_view meminfo, std::string_view cgroup_limit) {
  constexpr std::string_view total = "MemTotal:";
  const std::size_t at = meminfo.find(total);
  std::uint64_t machine =
      at == std::string_view::npos ? no_limit : number_at(meminfo.substr(at + total.size()));
  if (machine != no_limit) machine *= 1024;
  return std::min(machine, number_at(cgroup_limit));
}

std::uint64_t memory_of_process() {
  const std::string meminfo = text_of("/proc/meminfo");
  const std::filesystem::path root = "/sys/fs/cgroup";
  // Of a container whose namespace ends at its own cgroup, and of version 1.
  std::uint64_t least = std::min(least_memory(meminfo, text_of(root / "memory.max")),
                                 least_memory(meminfo, text_of(root / "memory/memory.limit_in_bytes")));
  const std::string own = text_of("/proc/self/cgroup");
  constexpr std::string_view of_version_2 = "0::/";
  const std::size_t at = own.find(of_version_2);
  if (at == std::string::npos) return least;
  std::filesystem::path group =
      own.substr(at + of_version_2.size(), own.find('\n', at) - at - of_version_2.size());
  for (; !group.empty(); group = group.parent_path())
    least = std::min(least, least_memory(meminfo, text_of(root / group / "memory.max")));
  return least;
}

std::uint64_t default_max_memory() {
  const std::uint64_t all = memory_of_process();
  return all == no_limit ? 0 : all / 4 * 3;
}

}  // namespace fairway::gateway
