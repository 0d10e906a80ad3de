// SPDX-License-Identifier: Apache-2.0

// Label sets, and the metric of a sample: a label set with or without the metric name.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "promql/parser/dialect.h"

namespace fairway::promql {

using Label = std::pair<std::string, std::string>;

/// The memory of the label sets that one query has created and that still exist, in bytes. Results outlive
/// the query and may be dropped by any thread.
class LabelMemory {
 public:
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  friend class LabelSet;
  std::atomic<std::size_t> used_ = 0;
};

/// Labels sorted by name; no empty values, no duplicate names. Shared and immutable.
class LabelSet {
 public:
  /// Takes labels in any order; empty values are dropped, and the last value of a duplicate name wins.
  static std::shared_ptr<const LabelSet> make(std::vector<Label> labels);
  /// Returns the same set, counted in `memory` for as long as it exists.
  static std::shared_ptr<const LabelSet> make(std::vector<Label> labels,
                                              const std::shared_ptr<LabelMemory>& memory);
  static const std::shared_ptr<const LabelSet>& empty();

  LabelSet() = default;
  LabelSet(const LabelSet&) = delete;
  LabelSet& operator=(const LabelSet&) = delete;
  ~LabelSet();

  /// Returns the approximate memory of the set, in bytes.
  std::size_t memory() const;

  const std::vector<Label>& labels() const { return labels_; }
  /// Returns the value of a label, or "".
  std::string_view get(std::string_view name) const;
  std::uint64_t hash() const { return hash_; }
  /// Returns the hash of the same labels without the name.
  std::uint64_t nameless_hash() const { return nameless_hash_; }
  /// Returns the hash of the same labels without metadata labels (`is_metadata_label`).
  std::uint64_t metadata_less_hash() const { return metadata_less_hash_; }

 private:
  std::vector<Label> labels_;
  std::uint64_t hash_ = 0, nameless_hash_ = 0, metadata_less_hash_ = 0;
  std::shared_ptr<LabelMemory> counted_in_;
};

using LabelsRef = std::shared_ptr<const LabelSet>;

/// Returns whether a label is metadata: the metric's name, type or unit. Operations that change the meaning
/// of a value drop all three in Prometheus 3, and only the name in 2.x.
bool is_metadata_label(std::string_view name);

/// The identity of a sample: its labels. Dropping the name sets a flag, so that it costs no copy of the
/// labels.
class Metric {
 public:
  Metric() : labels_(LabelSet::empty()) {}
  explicit Metric(LabelsRef labels) : labels_(std::move(labels)) {}

  /// Returns the value of a label, or "".
  std::string_view get(std::string_view name) const;
  /// Drops the name, and in Prometheus 3 also type and unit.
  void drop_name(Dialect dialect) {
    shown_ =
        dialect == Dialect::prometheus3 || shown_ == Shown::no_metadata ? Shown::no_metadata : Shown::no_name;
  }
  bool is_empty() const;
  std::uint64_t hash() const {
    return shown_ == Shown::all       ? labels_->hash()
           : shown_ == Shown::no_name ? labels_->nameless_hash()
                                      : labels_->metadata_less_hash();
  }
  friend bool operator==(const Metric& a, const Metric& b);
  /// Compares label by label, for a stable order.
  friend bool operator<(const Metric& a, const Metric& b);

  /// Returns a copy of the remaining labels.
  std::vector<Label> labels() const;
  template <class Visit>
  void for_each(const Visit& visit) const;

  /// Returns `{__name__="up", job="x"}`, as Prometheus's errors show a metric.
  std::string to_string() const;

 private:
  enum class Shown : std::uint8_t { all, no_name, no_metadata };
  bool hides(std::string_view label) const {
    return shown_ != Shown::all && label.starts_with("__") &&
           (shown_ == Shown::no_metadata ? is_metadata_label(label) : label == "__name__");
  }

  LabelsRef labels_;
  Shown shown_ = Shown::all;
};

/// Returns whether a text may be a label's name: in Prometheus 3 any UTF-8, in 2.x letters, digits and
/// underscores.
bool is_label_name(std::string_view name, bool utf8);

struct MetricHash {
  std::size_t operator()(const Metric& metric) const { return metric.hash(); }
};

template <class Visit>
void Metric::for_each(const Visit& visit) const {
  for (const Label& label : labels_->labels()) {
    if (hides(label.first)) continue;
    visit(label);
  }
}

}  // namespace fairway::promql
