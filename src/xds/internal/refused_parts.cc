#include "xds/internal/refused_parts.h"

#include <cstddef>

namespace fairway::xds {

namespace {

constexpr std::size_t most = 1000;

}  // namespace

void RefusedParts::note(const std::string& id, const std::string& words) {
  const auto [place, is_new] = words_.insert_or_assign(id, words);
  if (!is_new) return;
  order_.push_back(id);
  for (; order_.size() > most; order_.pop_front()) words_.erase(order_.front());
}

std::optional<std::string> RefusedParts::words(const std::string& id) const {
  const auto found = words_.find(id);
  return found != words_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace fairway::xds
