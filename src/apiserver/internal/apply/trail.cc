// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/trail.h"

namespace fairway::apiserver::apply::internal {

FieldSet& Trail::node(std::size_t set) const {
  if (nodes_[set] == nullptr) nodes_[set] = &parent_->node(set).descend(element());
  return *nodes_[set];
}

void Trail::insert(std::size_t set) const {
  if (parent_ != nullptr) parent_->node(set).insert_member(element());
}

std::string Trail::to_string() const {
  if (parent_ == nullptr) return {};
  return parent_->to_string() + (element_ != nullptr ? element_->to_string() : "." + std::string(field_));
}

void Faults::add(const Trail& at, std::string_view message) {
  // A document with thousands of faults is not described by thousands of lines.
  constexpr std::size_t limit = 100;
  if (lines_.size() >= limit) return;
  const std::string path = at.to_string();
  lines_.push_back(path.empty() ? std::string(message) : path + ": " + std::string(message));
}

Error Faults::to_error() const {
  if (lines_.size() == 1) return {ErrorCode::invalid, lines_.front()};
  std::string text = "errors:";
  for (const std::string& line : lines_) text += "\n  " + line;
  return {ErrorCode::invalid, text};
}

}  // namespace fairway::apiserver::apply::internal
