// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/labels.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "promql/parser/go_text.h"
#include "promql/parser/matcher.h"

namespace fairway::promql {

namespace {

/// Returns the hash of a label. The hash of a set is the sum over its labels, so that one label can be taken
/// out.
std::uint64_t label_hash(const Label& label) {
  std::uint64_t h = std::hash<std::string>{}(label.first) * 0x9E3779B97F4A7C15U;
  h ^= std::hash<std::string>{}(label.second) + 0x632BE59BD9B4E019U + (h << 6) + (h >> 2);
  h *= 0xBF58476D1CE4E5B9U;
  return h ^ (h >> 31);
}

}  // namespace

bool is_metadata_label(std::string_view name) {
  return name.starts_with("__") && (name == metric_name_label || name == "__type__" || name == "__unit__");
}

std::shared_ptr<const LabelSet> LabelSet::make(std::vector<Label> labels) {
  return make(std::move(labels), nullptr);
}

std::shared_ptr<const LabelSet> LabelSet::make(std::vector<Label> labels,
                                               const std::shared_ptr<LabelMemory>& memory) {
  std::ranges::stable_sort(labels, {}, &Label::first);
  auto set = std::make_shared<LabelSet>();
  set->labels_.reserve(labels.size());
  for (Label& label : labels) {
    if (!set->labels_.empty() && set->labels_.back().first == label.first) set->labels_.pop_back();
    set->labels_.push_back(std::move(label));
  }
  std::erase_if(set->labels_, [](const Label& label) { return label.second.empty(); });
  for (const Label& label : set->labels_) {
    const std::uint64_t hash = label_hash(label);
    set->hash_ += hash;
    if (label.first != metric_name_label) set->nameless_hash_ += hash;
    if (!is_metadata_label(label.first)) set->metadata_less_hash_ += hash;
  }
  if (memory != nullptr) {
    set->counted_in_ = memory;
    memory->used_.fetch_add(set->memory(), std::memory_order_relaxed);
  }
  return set;
}

LabelSet::~LabelSet() {
  if (counted_in_ != nullptr) counted_in_->used_.fetch_sub(memory(), std::memory_order_relaxed);
}

std::size_t LabelSet::memory() const {
  // Short texts are stored in the label itself.
  constexpr std::size_t shortest_apart = 16;
  std::size_t bytes = sizeof(LabelSet) + 2 * sizeof(void*) + labels_.capacity() * sizeof(Label);
  for (const Label& label : labels_) {
    for (const std::string* text : {&label.first, &label.second})
      bytes += text->capacity() < shortest_apart ? 0 : text->capacity() + 1;
  }
  return bytes;
}

const std::shared_ptr<const LabelSet>& LabelSet::empty() {
  static const std::shared_ptr<const LabelSet> none = std::make_shared<LabelSet>();
  return none;
}

std::string_view LabelSet::get(std::string_view name) const {
  // Sets are small: a scan is faster than a search.
  for (const Label& label : labels_) {
    if (label.first == name) return label.second;
  }
  return {};
}

std::string_view Metric::get(std::string_view name) const {
  if (hides(name)) return {};
  return labels_->get(name);
}

bool Metric::is_empty() const {
  bool empty = true;
  for_each([&](const Label&) { empty = false; });
  return empty;
}

std::vector<Label> Metric::labels() const {
  std::vector<Label> result;
  for_each([&](const Label& label) { result.push_back(label); });
  return result;
}

bool operator==(const Metric& a, const Metric& b) {
  if (a.labels_ == b.labels_ && a.shown_ == b.shown_) return true;
  if (a.hash() != b.hash()) return false;
  const auto& left = a.labels_->labels();
  const auto& right = b.labels_->labels();
  std::size_t i = 0, j = 0;
  for (;;) {
    while (i < left.size() && a.hides(left[i].first)) ++i;
    while (j < right.size() && b.hides(right[j].first)) ++j;
    if (i == left.size() || j == right.size()) return i == left.size() && j == right.size();
    if (left[i++] != right[j++]) return false;
  }
}

bool operator<(const Metric& a, const Metric& b) {
  const auto& left = a.labels_->labels();
  const auto& right = b.labels_->labels();
  for (std::size_t i = 0, j = 0;; ++i, ++j) {
    while (i < left.size() && a.hides(left[i].first)) ++i;
    while (j < right.size() && b.hides(right[j].first)) ++j;
    if (i == left.size() || j == right.size()) return i == left.size() && j < right.size();
    if (const auto order = left[i] <=> right[j]; order != 0) return order < 0;
  }
}

std::string Metric::to_string() const {
  std::string out = "{";
  for_each([&](const Label& label) {
    if (out.size() > 1) out += ", ";
    out += is_plain_label_name(label.first) ? label.first : quote(label.first);
    out += '=';
    out += quote(label.second);
  });
  return out + "}";
}

bool is_label_name(std::string_view name, bool utf8) {
  return utf8 ? !name.empty() && is_utf8(name) : is_plain_label_name(name);
}

}  // namespace fairway::promql
