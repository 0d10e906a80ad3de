// SPDX-License-Identifier: Apache-2.0

#include "promql/script/promqltest.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/text.h"
#include "promql/engine/engine.h"
#include "promql/internal/script/script_expectation.h"
#include "promql/internal/script/series_description.h"
#include "promql/parser/go_text.h"
#include "promql/parser/parser.h"

namespace fairway::promql {

namespace {

constexpr const char* native_histograms = "native histograms";
constexpr Timestamp minute = 60'000;
constexpr Timestamp last_time = 1'000'000'000'000'000;

/// Takes the first word off a line.
std::string_view take_word(std::string_view& line) {
  line = trim(line);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line = trim(line.substr(end));
  return word;
}

bool take_word(std::string_view& line, std::string_view expected) {
  std::string_view rest = line;
  if (take_word(rest) != expected) return false;
  line = rest;
  return true;
}

class Script {
 public:
  Script(std::string_view text, const ScriptOptions& options, SeriesStore& store)
      : options_(options), store_(store) {
    for (std::string_view line : split(text, '\n')) {
      line = trim(line);
      lines_.push_back(line.starts_with('#') ? std::string_view() : line);
    }
  }

  std::vector<ScriptCase> run(bool only_load) {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      std::string_view line = lines_[at_];
      if (line.empty()) continue;
      const std::string command = to_lower(take_word(line));
      if (command == "clear") {
        store_.clear();
      } else if (command == "load" || command == "load_with_nhcb") {
        load(line, command != "load");
      } else if (command.starts_with("eval")) {
        only_load ? skip_block() : evaluate(command, line);
      } else {
        wrong("there is no command '" + printable(command, 40) + "'");
      }
    }
    return std::move(cases_);
  }

 private:
  void wrong(std::string why) {
    cases_.push_back({static_cast<int>(at_) + 1, "", ScriptCase::Outcome::failed, std::move(why)});
  }

  /// Moves to the next line of a block. The lines of a block follow its command, up to an empty one.
  bool next_line() {
    if (at_ + 1 >= lines_.size() || lines_[at_ + 1].empty()) return false;
    ++at_;
    return true;
  }

  void skip_block() {
    while (next_line()) continue;
  }

  std::optional<Timestamp> duration(std::string_view text) {
    const auto milliseconds = parse_duration_text(text, Dialect::prometheus3);
    if (milliseconds) return *milliseconds;
    wrong("'" + printable(text, 40) + "' is not a duration");
    return std::nullopt;
  }

  void load(std::string_view arguments, bool with_custom_buckets) {
    const auto step = duration(arguments);
    if (!step) return skip_block();
    while (next_line()) {
      // `up{...}@st` gives the start timestamps of the series in the next line, for an experimental feature.
      if (const std::size_t mark = lines_[at_].find("@st"); mark != std::string_view::npos) {
        const auto metric = parse_series_description(lines_[at_].substr(0, mark));
        if (metric) refuse(store_.series(metric->labels), "start timestamps");
        continue;
      }
      add_series(*step, with_custom_buckets);
    }
  }

  static void refuse(Series& series, const char* feature) {
    series.unsupported_feature = feature;
    series.unsupported_at.clear();
  }

  void add_series(Timestamp step, bool with_custom_buckets) {
    const auto description = parse_series_description(lines_[at_]);
    if (!description) return wrong(description.error());
    if (description->values.size() >
        options_.max_samples - std::min(options_.max_samples, store_.point_count())) {
      wrong("the series that are loaded have more than " + std::to_string(options_.max_samples) + " samples");
      return skip_block();
    }
    if (step > last_time / static_cast<Timestamp>(description->values.size() + 1))
      return wrong("the series goes on until after " + format_duration_text(last_time) +
                   ", the last time there is");
    Timestamp time = 0;
    std::vector<Timestamp> histograms;
    for (const DescribedValue& value : description->values) {
      if (value.histogram) {
        histograms.push_back(time);
      } else if (!value.omitted) {
        store_.add(description->labels, time, value.value);
      }
      time += step;
    }
    if (!histograms.empty()) add_histograms(store_.series(description->labels), std::move(histograms));
    if (with_custom_buckets) add_custom_buckets(*description->labels);
  }

  /// Marks native histograms at these times as unsupported. A series that another command marked as a whole
  /// stays so.
  static void add_histograms(Series& series, std::vector<Timestamp> times) {
    if (!series.unsupported_feature.empty() && series.unsupported_at.empty()) return;
    series.unsupported_feature = native_histograms;
    series.unsupported_at.insert(series.unsupported_at.end(), times.begin(), times.end());
    std::ranges::sort(series.unsupported_at);
  }

  /// Marks the native histogram that this command also makes of classic buckets; it has the base name and no
  /// bound.
  void add_custom_buckets(const LabelSet& bucket) {
    std::vector<Label> labels = bucket.labels();
    for (Label& label : labels) {
      if (label.first == metric_name_label && label.second.ends_with("_bucket"))
        label.second.resize(label.second.size() - 7);
      if (label.first == "le") label.second.clear();
    }
    refuse(store_.series(LabelSet::make(std::move(labels))), native_histograms);
  }

  void evaluate(const std::string& command, std::string_view line) {
    ScriptCase result{static_cast<int>(at_) + 1, "", ScriptCase::Outcome::passed, ""};
    Expectation expected;
    expected.fails = command == "eval_fail";
    expected.ordered = command == "eval_ordered";
    expected.warns = command == "eval_warn";
    expected.informs = command == "eval_info";
    bool range = false;
    const std::size_t cases_before = cases_.size();
    if (!times(line, expected, range)) return skip_block();
    result.query = line;
    while (next_line()) {
      if (!expectation(lines_[at_], expected)) return skip_block();
    }
    if (cases_.size() != cases_before) return;
    const auto several = std::ranges::find_if(
        expected.series, [](const SeriesDescription& one) { return one.values.size() > 1; });
    if (!range && !expected.range_vector && several != expected.series.end()) {
      judge(result, "an instant query gives " + Metric(several->labels).to_string() + " one value, not " +
                        std::to_string(several->values.size()));
      cases_.push_back(std::move(result));
      return;
    }
    check(expected, range, result);
    cases_.push_back(std::move(result));
  }

  /// Reads `instant at 5m` or `range from 0 to 1m step 5s`, and leaves the query in `line`.
  bool times(std::string_view& line, Expectation& expected, bool& range) {
    range = !take_word(line, "instant");
    if (range && !take_word(line, "range")) {
      wrong("an eval is 'instant at TIME QUERY' or 'range from TIME to TIME step STEP QUERY'");
      return false;
    }
    const auto read = [&](std::string_view word, Timestamp& into) {
      if (!take_word(line, word)) {
        wrong("the eval lacks '" + std::string(word) + "'");
        return false;
      }
      const auto value = duration(take_word(line));
      if (value) into = *value;
      return value.has_value();
    };
    if (range) return read("from", expected.start) && read("to", expected.end) && read("step", expected.step);
    // The time may be left out.
    if (std::string_view rest = line; take_word(rest) == "at" && !read("at", expected.start)) return false;
    expected.end = expected.start;
    return true;
  }

  bool expectation(std::string_view line, Expectation& expected) {
    if (expected.scalar) {
      wrong("nothing stands behind the number that is expected");
      return false;
    }
    if (line.starts_with("expected_fail_message")) {
      expected.failure.message = trim(line.substr(21));
      return true;
    }
    if (line.starts_with("expected_fail_regexp")) return pattern(line.substr(20), expected.failure);
    if (std::string_view rest = line; take_word(rest) == "expect") return expect_command(rest, expected);
    if (const auto number = parse_number(line)) {
      expected.scalar = *number;
      return true;
    }
    auto description = parse_series_description(line);
    if (!description) {
      wrong(description.error());
      return false;
    }
    const Metric metric(description->labels);
    if (std::ranges::any_of(expected.series,
                            [&](const SeriesDescription& one) { return Metric(one.labels) == metric; })) {
      wrong(metric.to_string() + " is expected twice");
      return false;
    }
    expected.series.push_back(std::move(*description));
    return true;
  }

  bool pattern(std::string_view text, TextExpectation& into) {
    auto compiled = Pattern::compile(trim(text));
    if (!compiled) {
      wrong(compiled.error().message);
      return false;
    }
    into.pattern = std::move(*compiled);
    return true;
  }

  bool expect_command(std::string_view line, Expectation& expected) {
    const std::string_view kind = take_word(line);
    if (kind == "string") {
      auto text = unquote(line);
      if (!text) wrong("the expected string is not quoted as it should be");
      if (text) expected.string = std::move(*text);
      return text.has_value();
    }
    if (kind == "range") {
      Expectation times_only;
      bool range = false;
      std::string command =
          "range " + std::string(line.substr(std::min<std::size_t>(line.find("from"), line.size())));
      std::string_view rest = command;
      if (!times(rest, times_only, range)) return false;
      expected.range_vector = true;
      expected_times_ = {expected.start};
      expected.start = times_only.start;
      expected.end = times_only.end;
      expected.step = times_only.step;
      return true;
    }
    TextExpectation text;
    if (line.starts_with("msg:")) {
      text.message = trim(line.substr(4));
    } else if (line.starts_with("regex:")) {
      if (!pattern(line.substr(6), text)) return false;
    } else if (!line.empty()) {
      wrong("after an expectation stands 'msg:' or 'regex:'");
      return false;
    }
    if (kind == "fail") {
      expected.fails = true;
      expected.failure = std::move(text);
    } else if (kind == "ordered") {
      expected.ordered = true;
    } else if (kind == "warn") {
      expected.warnings.push_back(std::move(text));
    } else if (kind == "info") {
      expected.infos.push_back(std::move(text));
    } else if (kind == "no_warn") {
      expected.no_warnings = true;
    } else if (kind == "no_info") {
      expected.no_infos = true;
    } else {
      wrong("nothing is known of 'expect " + printable(kind, 40) + "'");
      return false;
    }
    return true;
  }

  static void skip(ScriptCase& result, std::string feature) {
    result.outcome = ScriptCase::Outcome::skipped;
    result.detail = std::move(feature);
  }

  static void judge(ScriptCase& result, std::string wrong) {
    if (wrong.empty()) return;
    result.outcome = ScriptCase::Outcome::failed;
    result.detail = std::move(wrong);
  }

  static void judge_failure(ScriptCase& result, const Expectation& expected, const std::string& message) {
    if (!expected.fails) {
      judge(result, message);
    } else if (!expected.failure.accepts(message)) {
      judge(result, "it failed otherwise than expected: " + message);
    }
  }

  void check(const Expectation& expected, bool range, ScriptCase& result) {
    const auto parsed = parse(result.query, options_.dialect);
    if (!parsed) {
      if (!parsed.error().unsupported_feature.empty())
        return skip(result, parsed.error().unsupported_feature);
      return judge_failure(result, expected, to_string(parsed.error(), result.query, options_.dialect));
    }
    if (expected.has_histograms()) return skip(result, native_histograms);
    EngineOptions options;
    options.dialect = options_.dialect;
    options.delayed_name_removal = options_.delayed_name_removal && options_.dialect == Dialect::prometheus3;
    options.clock = options_.clock;
    if (options.clock != nullptr) options.deadline = options.clock->steady() + options_.timeout;
    const Timestamp time = expected.range_vector ? expected_times_.front() : expected.start;
    const auto evaluated = range ? range_query(**parsed, result.query, store_, expected.start, expected.end,
                                               expected.step, options)
                                 : instant_query(**parsed, result.query, store_, time, options);
    if (!evaluated) {
      if (evaluated.error().kind == QueryError::Kind::unsupported)
        return skip(result, evaluated.error().unsupported_feature);
      // Not a failure that a script can expect.
      if (evaluated.error().kind == QueryError::Kind::timeout)
        return judge(result, evaluated.error().message);
      return judge_failure(result, expected, evaluated.error().message);
    }
    if (expected.fails) return judge(result, "it should fail, and does not");
    judge(result, expected.check_annotations(*evaluated));
    if (result.outcome == ScriptCase::Outcome::passed) judge(result, expected.check_value(evaluated->value));
    const ValueType type = (*parsed)->type;
    if (range || expected.ordered || result.outcome != ScriptCase::Outcome::passed ||
        (type != ValueType::vector && type != ValueType::scalar))
      return;
    check_around(expected, **parsed, options, result);
  }

  /// Checks that an instant query gives the same as a range query at that time.
  void check_around(const Expectation& expected, const Expression& expression, const EngineOptions& options,
                    ScriptCase& result) {
    const auto around = range_query(expression, result.query, store_, expected.start - minute,
                                    expected.start + minute, minute, options);
    // Unsupported options may follow the time.
    if (!around && around.error().kind == QueryError::Kind::unsupported) return;
    if (!around) return judge(result, "as a range query: " + around.error().message);
    Vector samples;
    for (const SeriesResult& series : around->value.matrix) {
      for (const Point& point : series.points) {
        if (point.time == expected.start) samples.push_back({series.metric, point.value, point.time, false});
      }
    }
    std::string wrong;
    if (expected.scalar) {
      Value value;
      value.type = ValueType::scalar;
      value.scalar = samples.empty() ? 0 : samples.front().value;
      wrong = expected.check_value(value);
    } else {
      wrong = expected.check_samples(samples);
    }
    if (!wrong.empty()) judge(result, "as a range query: " + wrong);
  }

  const ScriptOptions& options_;
  SeriesStore& store_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::vector<ScriptCase> cases_;
  std::vector<Timestamp> expected_times_;
};

}  // namespace

std::vector<ScriptCase> run_script(std::string_view script, const ScriptOptions& options) {
  SeriesStore store;
  return Script(script, options, store).run(false);
}

Result<void> load_script(std::string_view script, SeriesStore& store) {
  const ScriptOptions options;
  const std::vector<ScriptCase> problems = Script(script, options, store).run(true);
  if (problems.empty()) return {};
  return std::unexpected(
      Error{ErrorCode::invalid, "line " + std::to_string(problems[0].line) + ": " + problems[0].detail});
}

}  // namespace fairway::promql
