// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/refused_parts.h"

#include <cstddef>

namespace fairway::xds {

namespace {

constexpr std::size_t most = 1000;

}  // namespace

void RefusedParts::record(const std::string& id, const std::string& words) {
  const auto [place, is_new] = words_.insert_or_assign(id, words);
  if (!is_new) return;
  order_.push_back(id);
  for (; order_.size() > most; order_.pop_front()) words_.erase(order_.front());
}

std::optional<std::string> RefusedParts::words(const std::string& id) const {
  const auto found = words_.find(id);
  return found != words_.end() ? std::optional(found->second) : std::nullopt;
}

void ClientParts::record_refused(const std::string& id, const std::string& words) {
  taken_.erase(id);
  if (own_.words(id) != words) ++revision_;
  own_.record(id, words);
  of_all_->record(id, words);
}

void ClientParts::record_taken(const std::string& id) {
  taken_.insert(id);
  // A part that nobody is known to refuse any more needs no exception.
  if (taken_.size() > most)
    std::erase_if(taken_, [&](const std::string& one) { return !of_all_->words(one); });
}

std::optional<std::string> ClientParts::words_of_any(const std::string& id) const {
  return taken_.contains(id) ? std::nullopt : of_all_->words(id);
}

}  // namespace fairway::xds
