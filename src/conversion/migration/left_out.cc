// SPDX-License-Identifier: Apache-2.0

#include "conversion/migration/left_out.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "conversion/internal/cause_text.h"

namespace fairway::conversion {

namespace {

/// Names of one cause in a summary; the report of the migration has all.
constexpr std::size_t names_in_summary = 5;

constexpr std::string_view example_field = ", for example: ";

}  // namespace

void LeftOut::add(const k8s::Key& key, std::string_view error) {
  const std::string text = cause_of(key, error, longest_cause);
  LeftOutCause& cause = group(text);
  if (cause.cause == other_causes && text != other_causes) {
    // Counted with others, it is at least an example of them.
    cause.cause += std::string(example_field) + text;
  }
  ++cause.count;
  if (names() < most_names) cause.objects.push_back(key.to_string());
}

void LeftOut::add(LeftOutCause cause) {
  LeftOutCause& known = group(cause.cause);
  known.count += cause.count;
  std::size_t room = most_names - std::min(most_names, names());
  for (std::string& name : cause.objects) {
    if (room-- == 0) break;
    known.objects.push_back(std::move(name));
  }
}

LeftOutCause& LeftOut::group(std::string_view cause) {
  const auto is_other = [](std::string_view text) {
    return text == other_causes || text.starts_with(std::string(other_causes) + std::string(example_field));
  };
  const auto found = std::ranges::find_if(causes_, [&](const LeftOutCause& known) {
    return known.cause == cause || (is_other(known.cause) && is_other(cause));
  });
  if (found != causes_.end()) return *found;
  if (causes_.size() + 1 >= most_causes && !is_other(cause)) return group(other_causes);
  causes_.push_back({.cause = std::string(cause)});
  return causes_.back();
}

std::size_t LeftOut::names() const {
  std::size_t count = 0;
  for (const LeftOutCause& cause : causes_) count += cause.objects.size();
  return count;
}

std::int64_t LeftOut::count() const {
  std::int64_t count = 0;
  for (const LeftOutCause& cause : causes_) count += cause.count;
  return count;
}

bool LeftOut::names_all() const {
  return static_cast<std::int64_t>(names()) == count();
}

std::vector<LeftOutCause> LeftOut::by_count() const {
  std::vector<LeftOutCause> sorted = causes_;
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &LeftOutCause::count);
  return sorted;
}

std::vector<k8s::Key> LeftOut::keys() const {
  std::vector<k8s::Key> keys;
  for (const LeftOutCause& cause : causes_) {
    for (const std::string& name : cause.objects) {
      if (auto key = k8s::Key::parse(name)) keys.push_back(*std::move(key));
    }
  }
  return keys;
}

std::string LeftOut::summary() const {
  const std::int64_t all = count();
  std::string text = std::to_string(all) + (all == 1 ? " object was" : " objects were") + " left out";
  if (causes_.size() > 1) text += ", by " + std::to_string(causes_.size()) + " causes";
  text += ": ";
  bool first = true;
  for (const LeftOutCause& cause : by_count()) {
    if (!first) text += "; ";
    first = false;
    std::vector<std::string> names = cause.objects;
    const bool has_more =
        names.size() > names_in_summary || static_cast<std::int64_t>(names.size()) < cause.count;
    names.resize(std::min(names.size(), names_in_summary));
    if (has_more) names.emplace_back("...");
    text += join(names, ", ") + ": " + cause.cause;
    if (cause.count > 1) text += " (" + std::to_string(cause.count) + " objects)";
  }
  return text;
}

}  // namespace fairway::conversion
