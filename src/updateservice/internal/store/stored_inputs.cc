// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/store/stored_inputs.h"

#include <algorithm>
#include <chrono>

#include "base/json.h"
#include "base/log.h"
#include "graph/update_graph.h"
#include "updateservice/internal/store/packing.h"

namespace fairway::updateservice {
namespace {

void pack_texts(Packer& out, const std::vector<std::string>& texts) {
  out.list(texts, [&](const std::string& text) { out.text(text); });
}

std::vector<std::string> unpack_texts(Unpacker& in) {
  std::vector<std::string> texts;
  in.list([&] { texts.emplace_back(in.text()); });
  return texts;
}

void pack_files(Packer& out, const graphdata::Files& files) {
  out.list(files, [&](const auto& file) {
    out.text(file.first);
    out.text(file.second);
  });
}

std::shared_ptr<const graphdata::Files> unpack_files(Unpacker& in) {
  graphdata::Files files;
  in.list([&] {
    const std::string path(in.text());
    files[path] = in.text();
  });
  return std::make_shared<const graphdata::Files>(std::move(files));
}

void pack(Packer& out, const graph::Release& release) {
  out.text(release.version.to_string());
  out.text(release.arch);
  out.text(release.payload);
  out.list(release.metadata, [&](const auto& entry) {
    out.text(entry.first);
    out.text(entry.second);
  });
  pack_texts(out, release.previous);
  pack_texts(out, release.next);
  out.text(release.source);
}

Result<graph::Release> unpack_release(Unpacker& in) {
  graph::Release release;
  auto version = Version::parse(in.text());
  if (!version) return fail(version.error());
  release.version = *version;
  release.arch = in.text();
  release.payload = in.text();
  in.list([&] {
    const std::string key(in.text());
    release.metadata[key] = in.text();
  });
  release.previous = unpack_texts(in);
  release.next = unpack_texts(in);
  release.source = in.text();
  return release;
}

void pack(Packer& out, const graph::UpstreamGraph& upstream) {
  out.text(upstream.source);
  out.text(upstream.channel);
  out.text(upstream.arch);
  out.text(graph::to_cincinnati_json(upstream.graph));
}

Result<graph::UpstreamGraph> unpack_upstream(Unpacker& in) {
  graph::UpstreamGraph upstream;
  upstream.source = in.text();
  upstream.channel = in.text();
  upstream.arch = in.text();
  auto read = graph::read_cincinnati_json(in.text(), upstream.source);
  if (!read) return fail(read.error());
  upstream.graph = std::move(read->graph);
  return upstream;
}

void pack(Packer& out, const graph::Problem& problem) {
  out.text(problem.kind);
  out.text(problem.place.file);
  out.number(static_cast<std::uint64_t>(problem.place.line));
  out.number(static_cast<std::uint64_t>(problem.place.column));
  out.text(problem.message);
  pack_texts(out, problem.channels);
  pack_texts(out, problem.versions);
}

graph::Problem unpack_problem(Unpacker& in) {
  graph::Problem problem;
  problem.kind = in.text();
  problem.place.file = in.text();
  problem.place.line = static_cast<int>(in.number());
  problem.place.column = static_cast<int>(in.number());
  problem.message = in.text();
  problem.channels = unpack_texts(in);
  problem.versions = unpack_texts(in);
  return problem;
}

std::uint64_t pack_time(WallTime time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

/// Returns the time when a block was lifted, or a count ended. An invalid time becomes one far in the future,
/// so that it counts as now (WideningMemory::forget_old); one in the past would be ignored.
WallTime unpack_lifted_time(std::uint64_t seconds) {
  // A WallTime counts nanoseconds in 64 bits: to the year 2262.
  constexpr std::uint64_t latest = 9'000'000'000;
  return WallTime(std::chrono::seconds(std::min(seconds, latest)));
}

void pack(Packer& out, const WideningMemory& memory) {
  out.text(memory.accepted);
  out.list(memory.lifted, [&](const WideningMemory::Lifted& lifted) {
    out.number(pack_time(lifted.time));
    out.text(lifted.to);
    out.text(lifted.risk);
  });
  out.number(memory.absent->overflowed ? 1 : 0);
  out.list(memory.absent->risks, [&](const graph::Risk& risk) {
    out.text(risk.url);
    out.text(risk.name);
    out.text(risk.message);
    out.text(json::to_text(risk.matching_rules));
  });
  out.list(memory.absent->updates, [&](const auto& update) {
    out.text(update.first.arch);
    out.text(update.first.from);
    out.text(update.first.to);
    out.list(update.second, [&](std::uint32_t risk) { out.number(risk); });
  });
}

Result<WideningMemory> unpack_memory(Unpacker& in) {
  bool wrong = false;
  WideningMemory memory;
  memory.accepted = in.text();
  // `pack_held` has it.
  memory.count_none();
  in.list([&] {
    WideningMemory::Lifted& lifted = memory.lifted.emplace_back();
    lifted.time = unpack_lifted_time(in.number());
    lifted.to = in.text();
    lifted.risk = in.text();
  });
  auto absent = std::make_shared<graph::WithdrawnUpdates>();
  absent->overflowed = in.number() != 0;
  in.list([&] {
    graph::Risk& risk = absent->risks.emplace_back();
    risk.url = in.text();
    risk.name = in.text();
    risk.message = in.text();
    const auto rules = json::parse(in.text());
    wrong = wrong || !rules || !rules->is_array();
    if (!wrong) risk.matching_rules = rules->as_array();
  });
  in.list([&] {
    graph::WithdrawnUpdates::Ends ends;
    ends.arch = in.text();
    ends.from = in.text();
    ends.to = in.text();
    std::vector<std::uint32_t>& risks = absent->updates[std::move(ends)];
    risks.clear();
    in.list([&] {
      const std::uint64_t risk = in.number();
      wrong = wrong || risk >= absent->risks.size();
      risks.push_back(static_cast<std::uint32_t>(risk));
    });
  });
  if (wrong) return fail(ErrorCode::invalid, "the stored inputs name a risk that they do not have");
  memory.absent = std::move(absent);
  return memory;
}

/// Deepest nesting of inputs.
constexpr int max_depth = static_cast<int>(most_nested_inputs);

/// Version of the format that `pack_held` writes.
constexpr std::uint64_t held_format = 1;

constexpr std::uint64_t uncompared_mark = 1, of_peers_mark = 2;

Result<std::shared_ptr<const BuiltInputs>> unpack_inputs(std::string_view bytes, int depth);

}  // namespace

std::size_t nested_inputs(const BuiltInputs& inputs) {
  std::size_t count = 0;
  for (const BuiltInputs* one = inputs.baseline.get(); one != nullptr; one = one->baseline.get()) ++count;
  return count;
}

Result<std::shared_ptr<const BuiltInputs>> unpack_inputs(std::string_view bytes) {
  auto inputs = unpack_inputs(bytes, 0);
  if (!inputs || nested_inputs(**inputs) < most_nested_inputs) return inputs;
  // Earlier programs left out what lay deeper, and said nothing.
  log::error("the stored inputs may lack what was held when it was stored: look at the graph that is served",
             {{"nested", most_nested_inputs}});
  auto marked = std::make_shared<BuiltInputs>(**inputs);
  marked->uncompared = true;
  return marked;
}

std::string pack_inputs(const BuiltInputs& inputs) {
  Packer out;
  out.list(inputs.releases, [&](const sources::FetchedReleases& fetched) {
    out.text(fetched.source);
    out.text(fetched.revision);
    out.list(fetched.releases, [&](const graph::Release& release) { pack(out, release); });
    out.list(fetched.upstreams, [&](const graph::UpstreamGraph& upstream) { pack(out, upstream); });
    out.list(fetched.problems, [&](const graph::Problem& problem) { pack(out, problem); });
  });
  pack_files(out, *inputs.files);
  out.text(inputs.revision);
  out.text(inputs.graph_data_source);
  out.list(inputs.payloads, [&](const auto& entry) {
    out.text(entry.first);
    out.text(entry.second);
  });
  pack(out, inputs.guard);
  out.text(inputs.baseline ? pack_inputs(*inputs.baseline) : "");
  out.list(inputs.releases, [&](const sources::FetchedReleases& fetched) { out.text(fetched.identity); });
  out.text(inputs.graph_data_identity);
  // Only where it says something: an earlier program can read all others.
  const std::uint64_t marks =
      (inputs.uncompared ? uncompared_mark : 0) | (inputs.of_peers ? of_peers_mark : 0);
  if (marks != 0) out.number(marks);
  return out.take();
}

namespace {

Result<std::shared_ptr<const BuiltInputs>> unpack_inputs(std::string_view bytes, int depth) {
  Unpacker in(bytes);
  auto inputs = std::make_shared<BuiltInputs>();
  std::optional<Error> wrong;
  in.list([&] {
    sources::FetchedReleases& fetched = inputs->releases.emplace_back();
    fetched.source = in.text();
    fetched.revision = in.text();
    in.list([&] {
      auto release = unpack_release(in);
      if (release) {
        fetched.releases.push_back(std::move(*release));
      } else {
        wrong = release.error();
      }
    });
    in.list([&] {
      auto upstream = unpack_upstream(in);
      if (upstream) {
        fetched.upstreams.push_back(std::move(*upstream));
      } else {
        wrong = upstream.error();
      }
    });
    in.list([&] { fetched.problems.push_back(unpack_problem(in)); });
  });
  inputs->files = unpack_files(in);
  inputs->revision = in.text();
  inputs->graph_data_source = in.text();
  // Earlier programs kept none.
  if (in.ok() && !in.complete()) {
    in.list([&] {
      const std::string version(in.text());
      inputs->payloads[version] = in.text();
    });
  }
  if (in.ok() && !in.complete()) {
    auto memory = unpack_memory(in);
    const std::string_view baseline = in.text();
    if (memory) {
      inputs->guard = std::move(*memory);
    } else {
      wrong = memory.error();
    }
    if (!baseline.empty() && depth >= max_depth) {
      wrong = Error{ErrorCode::invalid, "the stored inputs lie too deep in each other"};
    } else if (!baseline.empty()) {
      auto inner = unpack_inputs(baseline, depth + 1);
      if (inner) {
        inputs->baseline = std::move(*inner);
      } else {
        wrong = inner.error();
      }
    }
  }
  if (in.ok() && !in.complete()) {
    std::size_t number = 0;
    in.list([&] {
      const std::string_view identity = in.text();
      if (number < inputs->releases.size()) inputs->releases[number++].identity = identity;
    });
    inputs->graph_data_identity = in.text();
  }
  if (in.ok() && !in.complete()) {
    const std::uint64_t marks = in.number();
    inputs->uncompared = (marks & uncompared_mark) != 0;
    inputs->of_peers = (marks & of_peers_mark) != 0;
    if (marks == 0 || marks > (uncompared_mark | of_peers_mark))
      wrong = Error{ErrorCode::invalid, "the stored inputs have marks of another program"};
  }
  if (!in.complete())
    return fail(ErrorCode::invalid, "the stored inputs are cut short or longer than they say");
  if (wrong) return fail(*wrong);
  return inputs;
}

}  // namespace

std::string pack_held(const BuiltInputs& inputs) {
  Packer out;
  out.number(held_format);
  out.list(inputs.guard.counted, [&](const WideningMemory::Counted& counted) {
    out.number(pack_time(counted.until));
    out.number(counted.blocks);
  });
  out.number(inputs.held ? 1 : 0);
  if (!inputs.held) return out.take();
  out.number(inputs.held->blocks);
  out.text(inputs.held->revision);
  const bool same = *inputs.held->files == *inputs.files;
  out.number(same ? 1 : 0);
  if (!same) pack_files(out, *inputs.held->files);
  return out.take();
}

std::shared_ptr<const BuiltInputs> with_held(std::shared_ptr<const BuiltInputs> inputs,
                                             std::string_view bytes) {
  Unpacker in(bytes);
  const bool known = in.number() == held_format;
  auto more = std::make_shared<BuiltInputs>(*inputs);
  more->guard.counted.clear();
  if (known) {
    in.list([&] {
      WideningMemory::Counted& counted = more->guard.counted.emplace_back();
      counted.until = unpack_lifted_time(in.number());
      counted.blocks = in.number();
    });
  }
  if (known && in.number() == 1) {
    auto held = std::make_shared<HeldData>();
    held->blocks = in.number();
    held->revision = in.text();
    held->files = in.number() == 1 ? inputs->files : unpack_files(in);
    more->held = std::move(held);
  }
  if (known && in.complete()) return more;
  log::warning("what was held is stored as this program does not know it");
  return inputs;
}

}  // namespace fairway::updateservice
