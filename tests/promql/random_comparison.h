// SPDX-License-Identifier: Apache-2.0

// Random queries here and elsewhere: whether the answers are the same.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "promql/answers.h"
#include "promql/known_differences.h"
#include "promql/random_queries.h"

namespace fairway::promql::testing {

struct Question {
  std::string query;
  When when;
};

/// Returns `count` queries, each at one time and over a range.
inline std::vector<Question> random_questions(std::uint64_t seed, std::uint64_t count, Dialect dialect) {
  RandomQueries random(seed, dialect);
  std::vector<Question> questions;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string query = random.query();
    const Timestamp time = random.time(), step = random.step();
    questions.push_back({query, {time, time, 0}});
    questions.push_back({query, {time, time + step * static_cast<Timestamp>(random.below(20)), step}});
  }
  return questions;
}

/// Returns a time as the API and queries take it.
inline std::string seconds(Timestamp time) {
  return format_fixed(static_cast<double>(time) / 1000, 3);
}

struct Counts {
  std::atomic<int> values{0}, empty{0}, errors{0}, undecided{0}, inconsistent{0}, known{0}, different{0},
      annotations{0};

  std::string to_string() const {
    return std::to_string(values) + " answers with values, " + std::to_string(empty) + " empty, " +
           std::to_string(errors) + " errors; of these " + std::to_string(undecided) +
           " that Prometheus gives in several ways, " + std::to_string(inconsistent) +
           " that it gives otherwise at single times, " + std::to_string(known) + " known to differ, " +
           std::to_string(different) + " different, " + std::to_string(annotations) +
           " with other annotations";
  }
};

/// Compares the engine with Prometheus, over the same series.
class Comparison {
 public:
  using Ask = std::function<Answer(const Question&)>;
  /// Creates a comparison. `ask` is called from all threads that compare.
  Comparison(Ask ask, const SeriesStore& store, Dialect dialect) : ask_(std::move(ask)), store_(store) {
    options_.dialect = dialect;
  }

  /// Returns the difference; empty if there is none.
  std::string compare(const Question& question) {
    const Answer ours = evaluate(question.query, question.when, store_, options_);
    const Answer theirs = ask_(question);
    ++(!theirs.error_type.empty() ? counts.errors : theirs.empty() ? counts.empty : counts.values);
    std::string first = difference(theirs, ours, is_ordered(question));
    if (first.empty()) {
      const std::string annotations = annotation_difference(theirs, ours);
      if (!annotations.empty()) ++counts.annotations;
      return annotations;
    }
    if (asked_again(question, ours)) {
      ++counts.undecided;
      return "";
    }
    if (asked_time_by_time(question, ours)) {
      ++counts.inconsistent;
      return "";
    }
    if (!known_difference(question.query, theirs, ours, options_.dialect).empty()) {
      ++counts.known;
      return "";
    }
    ++counts.different;
    return first;
  }

  Counts counts;

 private:
  bool is_ordered(const Question& question) const {
    return question.when.step == 0 && is_sorted(question.query, options_.dialect);
  }

  /// Asks Prometheus again. It iterates the results of some parts of a query in random order, which decides
  /// ties, the names in errors, and the last digits of sums: any of its answers is right.
  bool asked_again(const Question& question, const Answer& ours) {
    for (int again = 0; again < 20; ++again) {
      if (difference(ask_(question), ours, is_ordered(question)).empty()) return true;
    }
    return false;
  }

  /// Asks Prometheus for each time of a range, whose answers then count. Over a range, more is random,
  /// another of several faults may be named, and predict_linear() with @ reads other times than at a single
  /// time.
  bool asked_time_by_time(const Question& question, const Answer& ours) {
    const When& when = question.when;
    if (when.step == 0 || ours.error_type == "bad_data") return false;
    for (Timestamp time = when.start; time <= when.end; time += when.step) {
      Question single{at_this_time(question), {time, time, 0}};
      const Answer theirs = ask_(single);
      if (!ours.error_type.empty()) {
        if (!theirs.error_type.empty()) return theirs.error == ours.error || asked_again(single, ours);
        continue;
      }
      if (!theirs.error_type.empty()) return false;
      const Answer part = slice(ours, time, theirs.type);
      if (!difference(theirs, part, false).empty() && !asked_again(single, part)) return false;
    }
    return ours.error_type.empty();
  }

  /// Returns the query with the range's start() and end() as numbers.
  static std::string at_this_time(const Question& question) {
    std::string text = question.query;
    for (const auto& [word, time] :
         {std::pair("@ start()", question.when.start), {"@ end()", question.when.end}}) {
      for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
        text.replace(at, std::string_view(word).size(), "@ " + seconds(time));
    }
    return text;
  }

  /// Returns the part of an answer over a range that is for one time.
  static Answer slice(const Answer& matrix, Timestamp time, const std::string& type) {
    Answer part{.type = type};
    for (const Answer::Series& series : matrix.series) {
      const auto point = std::ranges::find(series.points, time, &Point::time);
      if (point != series.points.end())
        part.series.push_back({type == "scalar" ? "" : series.metric, {*point}});
    }
    return part;
  }

  Ask ask_;
  const SeriesStore& store_;
  EngineOptions options_;
};

}  // namespace fairway::promql::testing
