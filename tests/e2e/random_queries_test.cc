// Random queries over random series, here and on Debian's prometheus: the answers have to be the same.
//
// FAIRWAY_RANDOM_QUERIES is how many (each at one time and over a range of times), FAIRWAY_RANDOM_SEED where
// they begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "promql/answers.h"
#include "promql/known_differences.h"
#include "promql/random_queries.h"
#include "promql/random_series.h"
#include "support/prometheus_server.h"

namespace fairway::promql::testing {
namespace {

using fairway::testing::Parameters;
using fairway::testing::PrometheusServer;

constexpr Dialect dialect = Dialect::prometheus2;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Question {
  std::string query;
  When when;
};

std::vector<Question> random_questions(std::uint64_t seed, std::uint64_t count) {
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

std::string seconds(Timestamp time) {
  return format_fixed(static_cast<double>(time) / 1000, 3);
}

Answer ask(PrometheusServer& server, const Question& question) {
  const When& when = question.when;
  Parameters parameters{{"query", question.query}};
  if (when.step == 0) {
    parameters.emplace_back("time", seconds(when.start));
  } else {
    parameters.insert(
        parameters.end(),
        {{"start", seconds(when.start)}, {"end", seconds(when.end)}, {"step", seconds(when.step)}});
  }
  const auto reply = server.get(when.step == 0 ? "/api/v1/query" : "/api/v1/query_range", parameters);
  const auto parsed = json::parse(reply.body);
  if (!parsed) throw std::runtime_error(question.query + ": " + reply.body);
  Answer answer = read_answer(*parsed);
  // The API says which parameter a text is about, and 2.42 names one token by its number.
  for (const std::string_view part : {"invalid parameter \"query\": ", "\"<Item 57385>\" "}) {
    if (const std::size_t at = answer.error.find(part); at != std::string::npos)
      answer.error.erase(at, part.size());
  }
  return answer;
}

struct Counts {
  std::atomic<int> values{0}, empty{0}, errors{0}, undecided{0}, inconsistent{0}, known{0}, different{0};
};

/// The server and the engine beside each other.
class Comparison {
 public:
  Comparison(PrometheusServer& server, const SeriesStore& store) : server_(server), store_(store) {
    options_.dialect = dialect;
  }

  /// Says what is different, or nothing.
  std::string compare(const Question& question) {
    const Answer ours = evaluate(question.query, question.when, store_, options_);
    const Answer theirs = ask(server_, question);
    ++(!theirs.error_type.empty() ? counts.errors : theirs.empty() ? counts.empty : counts.values);
    const std::string first = difference(theirs, ours, is_ordered(question));
    if (first.empty()) return "";
    if (asked_again(question, ours)) {
      ++counts.undecided;
      return "";
    }
    if (asked_time_by_time(question, ours)) {
      ++counts.inconsistent;
      return "";
    }
    const bool errors = theirs.error_type == "execution" && ours.error_type == "execution";
    if (!known_difference(question.query, errors, dialect).empty()) {
      ++counts.known;
      return "";
    }
    ++counts.different;
    return first;
  }

  Counts counts;

 private:
  static bool is_ordered(const Question& question) {
    return question.when.step == 0 && is_sorted(question.query, dialect);
  }

  /// Prometheus goes through the results of some parts of a query in an order of chance, which decides ties,
  /// the names in errors, and the last digits of sums: any of its answers is right.
  bool asked_again(const Question& question, const Answer& ours) {
    for (int again = 0; again < 20; ++again) {
      if (difference(ask(server_, question), ours, is_ordered(question)).empty()) return true;
    }
    return false;
  }

  /// Over a range, chance is greater, of several faults another is named, and predict_linear() with @ looks
  /// elsewhere than at a single time. Then Prometheus's answers for each time are what counts.
  bool asked_time_by_time(const Question& question, const Answer& ours) {
    const When& when = question.when;
    if (when.step == 0 || ours.error_type == "bad_data") return false;
    for (Timestamp time = when.start; time <= when.end; time += when.step) {
      Question single{at_this_time(question), {time, time, 0}};
      const Answer theirs = ask(server_, single);
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

  /// The query with the range's start() and end() as numbers.
  static std::string at_this_time(const Question& question) {
    std::string text = question.query;
    for (const auto& [word, time] :
         {std::pair("@ start()", question.when.start), {"@ end()", question.when.end}}) {
      for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
        text.replace(at, std::string_view(word).size(), "@ " + seconds(time));
    }
    return text;
  }

  /// What an answer over a range says of one time.
  static Answer slice(const Answer& matrix, Timestamp time, const std::string& type) {
    Answer part{.type = type};
    for (const Answer::Series& series : matrix.series) {
      const auto point = std::ranges::find(series.points, time, &Point::time);
      if (point != series.points.end())
        part.series.push_back({type == "scalar" ? "" : series.metric, {*point}});
    }
    return part;
  }

  PrometheusServer& server_;
  const SeriesStore& store_;
  EngineOptions options_;
};

TEST(RandomQueries, AreAnsweredAsPrometheusAnswersThem) {
  if (!PrometheusServer::installed())
    GTEST_SKIP() << "prometheus is not installed (apt-get install prometheus)";
  const std::uint64_t seed = setting("FAIRWAY_RANDOM_SEED", 1),
                      count = setting("FAIRWAY_RANDOM_QUERIES", 4000);
  const SeriesStore store = SeriesMaker(seed).make();
  PrometheusServer server;
  server.write(all_series(store));
  const std::vector<Question> questions = random_questions(seed, count);
  Comparison comparison(server, store);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < questions.size(); i = next++) {
      const Question& question = questions[i];
      std::string different;
      try {
        different = comparison.compare(question);
      } catch (const std::exception& error) {
        different = error.what();
      }
      if (different.empty()) continue;
      const std::lock_guard lock(mutex);
      ADD_FAILURE() << question.query << "\n  from " << seconds(question.when.start) << " to "
                    << seconds(question.when.end) << " step " << seconds(question.when.step) << "\n  "
                    << different;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  }
  const Counts& counts = comparison.counts;
  std::printf(
      "%llu queries, seed %llu: %d answers with values, %d empty, %d errors; of these %d that Prometheus "
      "gives in "
      "several ways, %d that it gives otherwise at single times, %d known to differ, %d different\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed), counts.values.load(),
      counts.empty.load(), counts.errors.load(), counts.undecided.load(), counts.inconsistent.load(),
      counts.known.load(), counts.different.load());
  // Most queries say something.
  EXPECT_GT(counts.values, counts.empty + counts.errors);
}

}  // namespace
}  // namespace fairway::promql::testing
