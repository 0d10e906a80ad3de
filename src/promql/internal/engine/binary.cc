// SPDX-License-Identifier: Apache-2.0

// Binary operators: scalars, sets, and vectors matched by their labels.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "promql/internal/engine/arithmetic.h"
#include "promql/internal/engine/evaluator.h"

namespace fairway::promql {

namespace {

using Cardinality = VectorMatching::Cardinality;

/// Returns whether an operator changes the meaning of a value, so that the name no longer fits. 2.x omits
/// atan2 here.
bool changes_meaning(TokenKind op, bool three) {
  switch (op) {
    case TokenKind::add:
    case TokenKind::sub:
    case TokenKind::mul:
    case TokenKind::div:
    case TokenKind::mod:
    case TokenKind::pow:
      return true;
    case TokenKind::atan2:
      return three;
    default:
      return false;
  }
}

bool is_trim(TokenKind op) {
  return op == TokenKind::trim_lower || op == TokenKind::trim_upper;
}

bool contains(const std::vector<std::string>& labels, const std::string& name) {
  return std::ranges::find(labels, name) != labels.end();
}

/// Appends a number in a form that marks its own end.
void append_number(std::string& key, std::size_t number) {
  for (; number >= 0x80; number >>= 7) key += static_cast<char>(0x80 | (number & 0x7F));
  key += static_cast<char>(number);
}

void append_text(std::string& key, std::string_view text) {
  append_number(key, text.size());
  key += text;
}

}  // namespace

void append_signature(std::string& key, const Metric& metric, const std::vector<std::string>& labels,
                      bool named) {
  // Values may be any bytes, so that none can stand between them.
  if (named) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string_view value = metric.get(labels[i]);
      if (value.empty()) continue;
      append_number(key, i);
      append_text(key, value);
    }
    return;
  }
  metric.for_each([&](const Label& label) {
    if (label.first == metric_name_label || contains(labels, label.first)) return;
    append_text(key, label.first);
    append_text(key, label.second);
  });
}

std::vector<std::string> distinct(std::vector<std::string> labels) {
  std::ranges::sort(labels);
  labels.erase(std::ranges::unique(labels).begin(), labels.end());
  return labels;
}

/// Returns the labels of a match, as the error about two matches shows them.
Metric Evaluator::match_group(const Metric& metric, const VectorMatching& matching) {
  std::vector<Label> labels;
  metric.for_each([&](const Label& label) {
    const bool named = contains(matching.labels, label.first);
    if (matching.on ? named : !named && label.first != metric_name_label) labels.push_back(label);
  });
  return made(std::move(labels));
}

/// Returns the labels of a result: those of the many side, without those that matching removes, and with
/// those that group_left adds.
Metric Evaluator::result_metric(const Metric& many, const Metric& one, const VectorMatching& matching,
                                bool without_name) {
  Metric base = many;
  if (without_name) base.drop_name(options_.dialect);
  const bool one_to_one = matching.cardinality == Cardinality::one_to_one;
  if (!one_to_one && matching.include.empty()) return base;
  if (one_to_one && !matching.on && matching.labels.empty()) return base;
  std::vector<Label> labels;
  base.for_each([&](const Label& label) {
    if (one_to_one && contains(matching.labels, label.first) != matching.on) return;
    if (contains(matching.include, label.first)) return;
    labels.push_back(label);
  });
  for (const std::string& name : matching.include) {
    const std::string_view value = one.get(name);
    if (value.empty()) continue;
    if (!count_label(matching.cardinality == Cardinality::one_to_many ? "group_right" : "group_left",
                     name.size(), value.size()))
      return base;
    labels.emplace_back(name, value);
  }
  return made(std::move(labels));
}

const VectorMatching& Evaluator::matching_of(const Binary& node) {
  if (node.matching->labels.size() < 2 && node.matching->include.size() < 2) return *node.matching;
  const auto [known, is_new] = matchings_.try_emplace(&node, *node.matching);
  if (is_new) {
    known->second.labels = distinct(std::move(known->second.labels));
    known->second.include = distinct(std::move(known->second.include));
  }
  return known->second;
}

/// Returns the key of each sample; after a failure some are missing.
std::vector<std::string> Evaluator::signatures(const Vector& vector, const VectorMatching& matching) {
  std::vector<std::string> result(vector.size());
  for (std::size_t i = 0; i < vector.size() && may_continue(1 + matching.labels.size()); ++i)
    append_signature(result[i], vector[i].metric, matching.labels, matching.on);
  return result;
}

Vector Evaluator::binary(const Expression& expression, Timestamp time) {
  const auto& node = std::get<Binary>(expression.node);
  if (node.lhs->type == ValueType::scalar || node.rhs->type == ValueType::scalar) {
    const bool scalar_is_left = node.lhs->type == ValueType::scalar;
    const double number = scalar(scalar_is_left ? *node.lhs : *node.rhs, time);
    Vector samples = vector(scalar_is_left ? *node.rhs : *node.lhs, time);
    if (failed()) return {};
    return with_scalar(node, std::move(samples), number, scalar_is_left, expression.span);
  }
  Vector lhs = vector(*node.lhs, time);
  // It stays while the other side is computed, and so on all the way down.
  const std::size_t held = lhs.size() * sizeof(Sample) / sizeof(Point);
  if (failed() || !keep(held)) return {};
  Vector rhs = vector(*node.rhs, time);
  kept_ -= std::min(kept_, held);
  if (failed()) return {};
  if (is_set_operator(node.op)) return set_operation(node, std::move(lhs), std::move(rhs));
  return matched(node, std::move(lhs), std::move(rhs), expression.span);
}

Vector Evaluator::with_scalar(const Binary& node, Vector samples, double number, bool scalar_is_left,
                              Span span) {
  if (is_trim(node.op)) {
    if (!samples.empty()) annotations_.incompatible_operands(spelling(node.op), span);
    return {};
  }
  std::size_t kept = 0;
  for (Sample& sample : samples) {
    if (!may_continue()) return {};
    const double of_vector = sample.value;
    const Combined combined =
        scalar_is_left ? combine(node.op, number, of_vector) : combine(node.op, of_vector, number);
    if (node.return_bool) {
      sample.value = combined.keep ? 1 : 0;
    } else if (!combined.keep) {
      continue;
    } else {
      // A comparison gives the vector's value, on whichever side it stands.
      sample.value = is_comparison(node.op) ? of_vector : combined.value;
    }
    if (changes_meaning(node.op, three()) || node.return_bool) drop_name(sample);
    if (&samples[kept] != &sample) samples[kept] = std::move(sample);
    ++kept;
  }
  samples.resize(kept);
  if (!options_.delayed_name_removal) refuse_duplicates(samples);
  return samples;
}

Vector Evaluator::set_operation(const Binary& node, Vector lhs, Vector rhs) {
  const VectorMatching& matching = matching_of(node);
  if (lhs.empty() || rhs.empty()) {
    if (node.op == TokenKind::and_set) return {};
    if (node.op == TokenKind::unless_set || rhs.empty()) return lhs;
    return rhs;
  }
  const std::vector<std::string> left = signatures(lhs, matching), right = signatures(rhs, matching);
  if (!check_time()) return {};
  if (node.op == TokenKind::or_set) {
    const std::unordered_set<std::string_view> present(left.begin(), left.end());
    for (std::size_t i = 0; i < rhs.size(); ++i) {
      if (!present.contains(right[i])) lhs.push_back(std::move(rhs[i]));
    }
    return lhs;
  }
  const std::unordered_set<std::string_view> present(right.begin(), right.end());
  Vector result;
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    if (present.contains(left[i]) == (node.op == TokenKind::and_set)) result.push_back(std::move(lhs[i]));
  }
  return result;
}

Vector Evaluator::matched(const Binary& node, Vector lhs, Vector rhs, Span span) {
  const VectorMatching& matching = matching_of(node);
  if (lhs.empty() || rhs.empty()) return {};
  // From here the right side is the one that has each match once.
  const bool swapped = matching.cardinality == Cardinality::one_to_many;
  if (swapped) std::swap(lhs, rhs);
  const std::vector<std::string> left = signatures(lhs, matching), right = signatures(rhs, matching);
  if (!check_time()) return {};
  struct One {
    std::size_t sample = 0;
    bool used = false;
    std::unordered_set<Metric, MetricHash> results;
  };
  std::unordered_map<std::string_view, One> ones;
  ones.reserve(rhs.size());
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    if (!may_continue()) return {};
    const auto [found, is_new] = ones.try_emplace(right[i], One{i, false, {}});
    if (is_new) continue;
    std::string first = rhs[i].metric.to_string(), second = rhs[found->second.sample].metric.to_string();
    if (three() && second < first) std::swap(first, second);
    fail("found duplicate series for the match group " + match_group(rhs[i].metric, matching).to_string() +
         " on the " + (swapped ? "left" : "right") + " hand-side of the operation: [" + first + ", " +
         second + "];many-to-many matching not allowed: matching labels must be unique on one side");
    return {};
  }
  Vector result;
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    if (!may_continue(1 + matching.labels.size() + matching.include.size())) return {};
    const auto found = ones.find(left[i]);
    if (found == ones.end()) continue;
    One& one = found->second;
    const Sample& other = rhs[one.sample];
    if (is_trim(node.op)) {
      annotations_.incompatible_operands(spelling(node.op), span);
      continue;
    }
    const Combined combined =
        swapped ? combine(node.op, other.value, lhs[i].value) : combine(node.op, lhs[i].value, other.value);
    // 2.x looks for ambiguous matches only among what a comparison keeps.
    if (!three() && !node.return_bool && !combined.keep) continue;
    const bool truth_alone = node.return_bool && !options_.delayed_name_removal;
    const bool without_name = changes_meaning(node.op, three()) || truth_alone;
    Metric metric = result_metric(lhs[i].metric, other.metric, matching, without_name);
    if (failed()) return {};
    // The name that group_left brings stays in 3.
    if (truth_alone && !three()) metric.drop_name(options_.dialect);
    if (matching.cardinality == Cardinality::one_to_one) {
      if (one.used) {
        fail("multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)");
        return {};
      }
      one.used = true;
    } else if (!one.results.insert(metric).second) {
      fail("multiple matches for labels: grouping labels must ensure unique matches");
      return {};
    }
    if (!combined.keep && !node.return_bool) continue;
    const double value = node.return_bool ? (combined.keep ? 1 : 0) : combined.value;
    result.push_back({std::move(metric), value, 0, node.return_bool});
  }
  if (!options_.delayed_name_removal) refuse_duplicates(result);
  return result;
}

}  // namespace fairway::promql
