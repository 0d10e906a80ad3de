// SPDX-License-Identifier: Apache-2.0

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

#include "promql/random_comparison.h"
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

TEST(RandomQueries, AreAnsweredAsPrometheusAnswersThem) {
  if (!PrometheusServer::installed())
    GTEST_SKIP() << "prometheus is not installed (apt-get install prometheus)";
  const std::uint64_t seed = setting("FAIRWAY_RANDOM_SEED", 1),
                      count = setting("FAIRWAY_RANDOM_QUERIES", 4000);
  const SeriesStore store = SeriesMaker(seed).make();
  PrometheusServer server;
  server.write(all_series(store));
  const std::vector<Question> questions = random_questions(seed, count, dialect);
  Comparison comparison([&](const Question& question) { return ask(server, question); }, store, dialect);
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
  std::printf("%llu queries, seed %llu: %s\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed), counts.to_string().c_str());
  // Most queries say something.
  EXPECT_GT(counts.values, counts.empty + counts.errors);
}

}  // namespace
}  // namespace fairway::promql::testing
