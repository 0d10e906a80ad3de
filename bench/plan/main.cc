// SPDX-License-Identifier: Apache-2.0

// The search of a plan (graph/fewest_risks.h) for each pair of releases of each channel, and over all
// channels at once, beside a plain shortest path over the same updates.
//   bench_plan FILE...   each is a service's answer for one channel, named CHANNEL.json
// Each risk counts, which is the hardest case. Times are of the thread's processor, so that other work of the
// machine does not show.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "graph/evaluated_graph.h"
#include "graph/fewest_risks.h"
#include "graph/merged_graph.h"

namespace {

using namespace fairway;
using graph::MergedGraph;

/// Pairs that are tried over all channels at once.
constexpr int pairs_over_all = 2'000;

double microseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// The updates out of each release, as a plain search needs them.
using Outgoing = std::vector<std::vector<std::uint32_t>>;

Outgoing outgoing_of(const MergedGraph& graph) {
  Outgoing out(graph.releases.size());
  for (std::uint32_t i = 0; i < graph.updates.size(); ++i) out[graph.updates[i].from].push_back(i);
  return out;
}

/// Returns the hops of the shortest path, breadth first; 0: there is none.
std::size_t shortest(const MergedGraph& graph, const Outgoing& out, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> hops(graph.releases.size(), UINT32_MAX);
  std::vector<std::uint32_t> open{from};
  hops[from] = 0;
  for (std::size_t i = 0; i < open.size() && hops[to] == UINT32_MAX; ++i) {
    for (const std::uint32_t update : out[open[i]]) {
      const std::uint32_t next = graph.updates[update].to;
      if (hops[next] != UINT32_MAX) continue;
      hops[next] = hops[open[i]] + 1;
      open.push_back(next);
    }
  }
  return hops[to] == UINT32_MAX ? 0 : hops[to];
}

struct Times {
  std::vector<double> plan, plain;
  std::size_t with_path = 0, longer = 0, incomplete = 0;
};

void measure(const MergedGraph& graph, const Outgoing& out, std::uint32_t from, std::uint32_t to,
             const graph::FewestRisksQuestion& question, Times& times) {
  const double began = microseconds();
  const std::size_t hops = shortest(graph, out, from, to);
  const double between = microseconds();
  const auto answer = graph::find_fewest_risks(graph, question);
  const double ended = microseconds();
  if ((hops == 0) != answer.paths.empty()) {
    std::fprintf(stderr, "error: %s to %s: one search finds a path, and the other does not\n",
                 graph.releases[from].version.c_str(), graph.releases[to].version.c_str());
    std::exit(1);
  }
  if (hops == 0) return;
  ++times.with_path;
  times.longer += answer.paths.front().size() > hops ? 1 : 0;
  times.incomplete += answer.is_complete ? 0 : 1;
  times.plain.push_back(between - began);
  times.plan.push_back(ended - between);
}

double percentile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void show(const char* what, Times& times) {
  std::printf(
      "%s: %zu pairs with a path; plain shortest path p50 %.1f us, p99 %.1f us; plan p50 %.1f us, p99 "
      "%.1f us, max %.1f us; %zu plans take more hops to have fewer risks, %zu searches ended early\n",
      what, times.with_path, percentile(times.plain, 0.5), percentile(times.plain, 0.99),
      percentile(times.plan, 0.5), percentile(times.plan, 0.99), percentile(times.plan, 1), times.longer,
      times.incomplete);
}

graph::FewestRisksQuestion question_of(const MergedGraph& graph) {
  return {.counts = std::vector<bool>(graph.risks.size(), true),
          .preferred = std::vector<bool>(graph.channels.size(), true)};
}

std::vector<graph::ChannelGraph> read_graphs(int count, char** files) {
  std::vector<graph::ChannelGraph> graphs;
  for (int i = 0; i < count; ++i) {
    const auto text = read_file(files[i]);
    const auto read = text ? graph::read_cincinnati_json(*text, files[i], graph::RisksWithoutRules::keep)
                           : Result<graph::ReadGraph>(fail(text.error()));
    if (!read) {
      std::fprintf(stderr, "error: %s\n", read.error().message.c_str());
      std::exit(1);
    }
    graphs.push_back({std::filesystem::path(files[i]).stem().string(), read->graph});
  }
  return graphs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_plan FILE...\n", stderr);
    return 2;
  }
  const std::vector<graph::ChannelGraph> all = read_graphs(argc - 1, argv + 1);
  Times each;
  for (const graph::ChannelGraph& channel : all) {
    const MergedGraph graph = graph::merge({channel});
    const Outgoing out = outgoing_of(graph);
    graph::FewestRisksQuestion question = question_of(graph);
    for (question.from = 0; question.from < graph.releases.size(); ++question.from)
      for (question.to = question.from + 1; question.to < graph.releases.size(); ++question.to)
        measure(graph, out, question.from, question.to, question, each);
  }
  std::printf("%zu channels\n", all.size());
  show("each pair of each channel", each);
  const double began = microseconds();
  const MergedGraph graph = graph::merge(all);
  std::printf("all channels merged in %.1f ms: %zu releases, %zu updates, %zu risks of %zu names\n",
              (microseconds() - began) / 1e3, graph.releases.size(), graph.updates.size(), graph.risks.size(),
              graph.names);
  const Outgoing out = outgoing_of(graph);
  Times merged;
  // The same pairs each time, so that two runs can be compared.
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed)
  graph::FewestRisksQuestion question = question_of(graph);
  for (int i = 0; i < pairs_over_all && graph.releases.size() > 1; ++i) {
    const auto one = static_cast<std::uint32_t>(random() % graph.releases.size()),
               other = static_cast<std::uint32_t>(random() % graph.releases.size());
    if (one == other) continue;
    question.from = std::min(one, other);
    question.to = std::max(one, other);
    measure(graph, out, question.from, question.to, question, merged);
  }
  show("random pairs over all channels", merged);
  std::printf("plan-p99 %.3f ms\n", percentile(each.plan, 0.99) / 1e3);
  return 0;
}
