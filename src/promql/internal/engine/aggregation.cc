// SPDX-License-Identifier: Apache-2.0

// Aggregations: groups of samples become one, or a few of them stay.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/go_text.h"
#include "promql/internal/engine/arithmetic.h"
#include "promql/internal/engine/evaluator.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double two_to_63 = 9223372036854775808.0;

/// The state of one group, as Prometheus 3 computes it, or 2.x if that differs.
class Group {
 public:
  Group(TokenKind op, bool three) : op_(op), three_(three) {}

  void add(double value) {
    count_ += 1;
    const bool first = count_ == 1;
    switch (op_) {
      case TokenKind::sum:
        if (first || !three_) {
          sum_.sum = first ? value : sum_.sum + value;
        } else {
          sum_.add(value);
        }
        break;
      case TokenKind::avg:
        if (three_) {
          mean_.add(value);
        } else {
          add_to_running_mean(value);
        }
        break;
      case TokenKind::min:
        if (first || value_ > value || std::isnan(value_)) value_ = value;
        break;
      case TokenKind::max:
        if (first || value_ < value || std::isnan(value_)) value_ = value;
        break;
      case TokenKind::stddev:
      case TokenKind::stdvar:
        add_to_variance(value);
        break;
      case TokenKind::quantile:
        values_.push_back(value);
        break;
      default:
        break;
    }
  }

  double result(double parameter) {
    switch (op_) {
      case TokenKind::sum:
        return three_ ? sum_.sum + sum_.correction : sum_.sum;
      case TokenKind::avg:
        return three_ ? mean_.value() : value_;
      case TokenKind::count:
        return count_;
      case TokenKind::group:
        return 1;
      case TokenKind::stdvar:
        return value_ / count_;
      case TokenKind::stddev:
        return std::sqrt(value_ / count_);
      case TokenKind::quantile:
        return quantile_of(parameter, std::move(values_));
      default:
        return value_;
    }
  }

 private:
  void add_to_running_mean(double value) {
    if (count_ == 1) {
      value_ = value;
      return;
    }
    // An infinite mean stays, but for the other infinity or what is no number.
    if (std::isinf(value_)) {
      if (std::isinf(value) && (value_ > 0) == (value > 0)) return;
      if (!std::isinf(value) && !std::isnan(value)) return;
    }
    value_ += value / count_ - value_ / count_;
  }

  void add_to_variance(double value) {
    if (count_ == 1) {
      value_ = three_ && !std::isfinite(value) ? not_a_number : 0;
      average_ = value;
      return;
    }
    const double delta = value - average_;
    average_ += delta / count_;
    value_ += delta * (value - average_);
  }

  TokenKind op_;
  bool three_;
  double count_ = 0, value_ = 0, average_ = 0;
  CompensatedSum sum_;
  Mean mean_;
  std::vector<double> values_;
};

/// Assigns samples to groups, numbered in the order in which they appear.
class Grouping {
 public:
  Grouping(const std::vector<std::string>& labels, bool without) : labels_(labels), without_(without) {}

  std::size_t of(const Metric& metric) {
    if (!without_ && labels_.empty()) return 0;  // all are one
    key_.clear();
    append_signature(key_, metric, labels_, !without_);
    return numbers_.try_emplace(key_, numbers_.size()).first->second;
  }
  /// Returns the key of the last metric's group.
  const std::string& key() const { return key_; }

 private:
  const std::vector<std::string>& labels_;
  bool without_;
  std::string key_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

/// Keeps the `count` largest samples, or smallest, the best first; NaN is the worst in both cases. Ties are
/// broken as in Prometheus: a heap with the worst in front, whose front is replaced by a better sample.
class Top {
 public:
  Top(std::size_t count, bool largest, bool three) : count_(count), largest_(largest), three_(three) {}

  void keep(Vector& samples) const {
    const std::size_t kept = std::min(count_, samples.size());
    for (std::size_t i = 1; i < samples.size(); ++i) {
      if (i < kept) {
        rise(samples, i);
      } else if (three_ && better(samples[i].value, samples[0].value)) {
        std::swap(samples[0], samples[i]);
        sink(samples, kept);
      } else if (!three_ && (better(samples[i].value, samples[0].value) || std::isnan(samples[0].value))) {
        // 2.x takes the worst out before it puts the other in, and what is no number gives way even to its
        // like.
        std::swap(samples[0], samples[kept - 1]);
        sink(samples, kept - 1);
        std::swap(samples[kept - 1], samples[i]);
        rise(samples, kept - 1);
      }
    }
    samples.resize(kept);
    std::ranges::stable_sort(samples,
                             [&](const Sample& a, const Sample& b) { return better(a.value, b.value); });
    std::ranges::reverse(std::ranges::find_if(samples, [](const Sample& s) { return std::isnan(s.value); }),
                         samples.end());
  }

 private:
  bool better(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return largest_ ? a > b : a < b;
  }
  /// Returns whether `a` is worse. A NaN is also worse than another NaN.
  bool worse(double a, double b) const { return std::isnan(a) || (!std::isnan(b) && better(b, a)); }

  void rise(Vector& heap, std::size_t at) const {
    while (at > 0 && worse(heap[at].value, heap[(at - 1) / 2].value)) {
      std::swap(heap[at], heap[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
  }
  void sink(Vector& heap, std::size_t size) const {
    for (std::size_t at = 0; 2 * at + 1 < size;) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < size && worse(heap[child + 1].value, heap[child].value)) ++child;
      if (!worse(heap[child].value, heap[at].value)) return;
      std::swap(heap[at], heap[child]);
      at = child;
    }
  }

  std::size_t count_;
  bool largest_, three_;
};

}  // namespace

double quantile_of(double quantile, std::vector<double> values) {
  if (values.empty() || std::isnan(quantile)) return not_a_number;
  if (quantile < 0) return -std::numeric_limits<double>::infinity();
  if (quantile > 1) return std::numeric_limits<double>::infinity();
  // NaN comes first.
  std::ranges::sort(values, [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; });
  const auto count = static_cast<double>(values.size());
  const double rank = quantile * (count - 1);
  const double lower = std::max(0.0, std::floor(rank)), upper = std::min(count - 1, lower + 1);
  const double weight = rank - std::floor(rank);
  return values[static_cast<std::size_t>(lower)] * (1 - weight) +
         values[static_cast<std::size_t>(upper)] * weight;
}

Metric Evaluator::group_metric(const Metric& metric, const std::vector<std::string>& grouping, bool without) {
  std::vector<Label> labels;
  metric.for_each([&](const Label& label) {
    const bool named = std::ranges::find(grouping, label.first) != grouping.end();
    if (without ? !named && label.first != metric_name_label : named) labels.push_back(label);
  });
  return made(std::move(labels));
}

const std::vector<std::string>& Evaluator::grouping_of(const Aggregation& node) {
  if (node.grouping.size() < 2) return node.grouping;
  const auto [known, is_new] = groupings_.try_emplace(&node);
  if (is_new) known->second = distinct(node.grouping);
  return known->second;
}

Vector Evaluator::aggregation(const Expression& expression, Timestamp time) {
  const auto& node = std::get<Aggregation>(expression.node);
  if (node.op == TokenKind::count_values) return count_values(node, vector(*node.expression, time));
  const double parameter = node.parameter ? scalar(*node.parameter, time) : 0;
  Vector input = vector(*node.expression, time);
  if (failed()) return {};
  if (node.op == TokenKind::topk || node.op == TokenKind::bottomk)
    return top(node, std::move(input), parameter);
  if (node.op == TokenKind::quantile)
    annotations_.quantile_parameter(parameter, {without_parens(*node.parameter).span, expression.span});
  Vector result;
  std::vector<Group> groups;
  const std::vector<std::string>& labels = grouping_of(node);
  Grouping grouping(labels, node.without);
  auto& metrics = group_metrics_[&node];
  for (const Sample& sample : input) {
    if (!may_continue(1 + labels.size())) return {};
    const std::size_t number = grouping.of(sample.metric);
    if (number == groups.size()) {
      groups.emplace_back(node.op, three());
      const auto [known, is_new] = metrics.try_emplace(grouping.key());
      if (is_new) {
        known->second = group_metric(sample.metric, labels, node.without);
        if (!keep_series(known->second)) return {};
      }
      result.push_back({known->second, 0, time, false});
    }
    groups[number].add(sample.value);
    result[number].drop_name = result[number].drop_name || sample.drop_name;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) result[i].value = groups[i].result(parameter);
  return result;
}

Vector Evaluator::count_values(const Aggregation& node, const Vector& input) {
  if (failed()) return {};
  const std::string& label = string(*node.parameter);
  if (!is_label_name(label, three())) {
    fail("invalid label name " + quote(label));
    return {};
  }
  std::vector<std::string> with_value = grouping_of(node);
  if (!node.without) with_value.push_back(label);
  Vector result;
  Grouping grouping(with_value, node.without);
  for (const Sample& sample : input) {
    if (!may_continue(1 + with_value.size())) return {};
    std::string value = go_plain_number(sample.value);
    if (!count_label("count_values", label.size(), value.size())) return {};
    const Metric metric = with_label(sample.metric, label, std::move(value));
    const std::size_t number = grouping.of(metric);
    if (failed()) return {};
    if (number == result.size())
      result.push_back({group_metric(metric, with_value, node.without), 0, 0, sample.drop_name});
    result[number].value += 1;
    result[number].drop_name = result[number].drop_name || sample.drop_name;
  }
  return result;
}

Vector Evaluator::top(const Aggregation& node, Vector input, double parameter) {
  if (std::isnan(parameter) && three()) {
    fail("Parameter value is NaN");
    return {};
  }
  if (!(parameter < two_to_63) || (!three() && !(parameter >= -two_to_63))) {
    fail("Scalar value " + go_number(parameter) + " overflows int64");
    return {};
  }
  if (parameter < 1) return {};
  const std::size_t k =
      parameter >= static_cast<double>(input.size()) ? input.size() : static_cast<std::size_t>(parameter);
  std::vector<Vector> groups;
  const std::vector<std::string>& labels = grouping_of(node);
  Grouping grouping(labels, node.without);
  for (Sample& sample : input) {
    if (!may_continue(1 + labels.size())) return {};
    const std::size_t number = grouping.of(sample.metric);
    if (number == groups.size()) groups.emplace_back();
    groups[number].push_back(std::move(sample));
  }
  const Top top(k, node.op == TokenKind::topk, three());
  Vector result;
  for (Vector& group : groups) {
    top.keep(group);
    std::ranges::move(group, std::back_inserter(result));
  }
  return result;
}

}  // namespace fairway::promql
