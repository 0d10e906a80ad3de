// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/render.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/json.h"
#include "base/parallel.h"
#include "graph/update_graph.h"
#include "updateservice/internal/bodies/anonymous.h"
#include "updateservice/internal/bodies/graph_data_tarball.h"

namespace fairway::updateservice {
namespace {

/// Returns the old document if it would be the same as a new one, so that bytes are shared and nothing is
/// compressed again.
std::shared_ptr<const Document> reuse_or_make(std::string body, const DocumentHeaders& headers,
                                              const std::shared_ptr<const Document>& old) {
  if (old && old->headers() == headers && *old->body() == body) return old;
  return Document::compressible(std::move(body), headers);
}

/// Returns `earlier` and the document that followed them, now that another one takes its place.
PastGraphs remember(const PastGraphs& earlier, const Document& old, const Document& now) {
  if (old.hash() == now.hash()) return earlier;
  auto past = std::make_shared<std::vector<PastGraph>>(*earlier);
  // A body that comes back is the newest of its kind, not two builds.
  std::erase_if(*past,
                [&](const PastGraph& graph) { return graph.hash == old.hash() || graph.hash == now.hash(); });
  past->push_back({old.hash(), old.gzip()});
  if (past->size() > builds_kept) past->erase(past->begin(), past->end() - builds_kept);
  return past;
}

struct GraphJob {
  const graph::Architecture* architecture = nullptr;
  std::size_t channel = 0;
  const graph::View* view = nullptr;
  GraphResponse result;
};

/// Makes the responses of one build.
class Renderer {
 public:
  explicit Renderer(const RenderInputs& inputs)
      : inputs_(inputs),
        rules_(inputs.rules ? inputs.rules : PrivateChannels::none()),
        policy_{inputs.max_age, !rules_->empty()} {
    // Bodies made under other rules must not be remembered: they may list what is hidden now.
    if (inputs.previous && inputs.previous->rules->fingerprint() == rules_->fingerprint()) {
      previous_ = inputs.previous.get();
    }
  }

  std::shared_ptr<const Responses> render() {
    auto responses = std::make_shared<Responses>(empty_responses(rules_, policy_));
    std::vector<GraphJob> jobs;
    for (const graph::Architecture& architecture : inputs_.snapshot.architectures) {
      for (std::size_t i = 0; i < inputs_.snapshot.channels.size(); ++i) {
        if (!architecture.members[i].empty()) jobs.push_back({&architecture, i});
      }
    }
    responses->audiences.resize(rules_->audiences().size());
    make_views(*responses, jobs);
    const std::size_t audiences = responses->audiences.size();
    parallel_for(jobs.size() + audiences, inputs_.threads, [&](std::size_t i) {
      // The tarballs first: each is longer work than a graph.
      if (i < audiences) {
        responses->audiences[i] = documents_of(i, *responses->views[i]);
      } else {
        make_graph(jobs[i - audiences], responses->unknown);
      }
    });
    for (GraphJob& job : jobs) {
      responses->graphs[job.architecture->name].emplace(inputs_.snapshot.channels[job.channel].name,
                                                        std::move(job.result));
    }
    remember_gone(*responses);
    return responses;
  }

 private:
  /// Makes the views of each audience and each graph. Many see the same, and each view is made once.
  void make_views(Responses& responses, std::vector<GraphJob>& jobs) {
    std::map<PrivateChannels::OpenRules, std::shared_ptr<const graph::View>> views;
    for (const auto& open : rules_->audiences()) views.try_emplace(open);
    for (GraphJob& job : jobs) {
      job.result.rule = rules_->rule_of(inputs_.snapshot.channels[job.channel].name);
      views.try_emplace(rules_->only(job.result.rule));
    }
    std::vector<decltype(views)::value_type*> wanted;
    for (auto& view : views) wanted.push_back(&view);
    parallel_for(wanted.size(), inputs_.threads, [&](std::size_t i) {
      wanted[i]->second =
          std::make_shared<const graph::View>(rules_->view(wanted[i]->first, inputs_.snapshot));
    });
    for (const auto& open : rules_->audiences()) responses.views.push_back(views.at(open));
    for (GraphJob& job : jobs) job.view = views.at(rules_->only(job.result.rule)).get();
    views_of_rules_ = std::move(views);
  }

  void make_graph(GraphJob& job, const GraphResponse& unknown) const {
    const std::string& channel = inputs_.snapshot.channels[job.channel].name;
    std::string body = graph::to_cincinnati_json(job.view->channel_graph(channel, job.architecture->name));
    const GraphResponse* old =
        previous_ != nullptr ? find_in(previous_->graphs, job.architecture->name, channel) : nullptr;
    job.result.document = reuse_or_make(std::move(body), policy_.graph(job.result.rule.has_value()),
                                        old != nullptr ? old->document : nullptr);
    if (old != nullptr) {
      job.result.past = remember(old->past, *old->document, *job.result.document);
    } else if (previous_ != nullptr) {
      // A new graph was the empty graph until now, and may have been another one before.
      const GoneGraph* gone = find_in(previous_->gone, job.architecture->name, channel);
      job.result.past =
          remember(gone != nullptr ? gone->past : unknown.past, *unknown.document, *job.result.document);
    } else {
      job.result.past = unknown.past;
    }
  }

  /// Keeps graphs of the previous responses that these no longer have.
  void remember_gone(Responses& responses) const {
    if (previous_ == nullptr) return;
    struct Gone {
      std::string_view arch, channel;
      GoneGraph graph;
    };
    std::vector<Gone> all;
    const auto add = [&](std::string_view arch, std::string_view channel, GoneGraph graph) {
      if (graph.builds >= builds_kept || find_in(responses.graphs, arch, channel) != nullptr) return;
      all.push_back({arch, channel, std::move(graph)});
    };
    for (const auto& [arch, channels] : previous_->graphs) {
      for (const auto& [channel, graph] : channels) {
        add(arch, channel, {graph.rule, remember(graph.past, *graph.document, *responses.unknown.document)});
      }
    }
    for (const auto& [arch, channels] : previous_->gone) {
      for (const auto& [channel, graph] : channels)
        add(arch, channel, {graph.rule, graph.past, graph.builds + 1});
    }
    std::ranges::sort(
        all, {}, [](const Gone& gone) { return std::tuple(gone.graph.builds, gone.arch, gone.channel); });
    std::size_t bytes = 0;
    for (Gone& gone : all) {
      for (const PastGraph& past : *gone.graph.past) bytes += past.gzip->size();
      if (bytes > gone_bytes_kept) return;
      responses.gone[std::string(gone.arch)].emplace(gone.channel, std::move(gone.graph));
    }
  }

  AudienceDocuments documents_of(AudienceIndex audience, const graph::View& view) const {
    const bool is_private = audience != public_audience;
    const AudienceDocuments old = previous_ != nullptr ? previous_->audiences[audience] : AudienceDocuments{};
    AudienceDocuments documents;
    documents.channels = reuse_or_make(channel_list(view), policy_.channels(is_private), old.channels);
    documents.problems =
        reuse_or_make(problem_list(view, is_private), policy_.json(is_private), old.problems);
    const std::string archive = make_archive(visible_files(inputs_.files, view));
    const DocumentHeaders headers = policy_.archive(is_private);
    documents.graph_data =
        old.graph_data && old.graph_data->headers() == headers && *old.graph_data->body() == archive
            ? old.graph_data
            : Document::opaque(archive, headers);
    return documents;
  }

  /// Returns the channel list (channel-metadata of docs/api.md, section Channel-list API).
  std::string channel_list(const graph::View& view) const {
    json::Object channels;
    for (std::uint32_t i = 0; i < inputs_.snapshot.channels.size(); ++i) {
      if (!view.sees_channel(i)) continue;
      const graph::SnapshotChannel& channel = inputs_.snapshot.channels[i];
      const std::string_view description =
          channel.description.empty() ? inputs_.descriptions.find(channel.name) : channel.description;
      json::Object entry;
      if (!description.empty()) entry["description"] = view.redact(description);
      channels[channel.name] = std::move(entry);
    }
    return json::to_text(json::Object{{"channels", std::move(channels)}});
  }

  std::string problem_list(const graph::View& view, bool is_private) const {
    json::Array problems;
    // What is left of several problems for who may not see all of them may be the same.
    std::set<std::string> known;
    const bool with_sources = is_private || inputs_.show_sources;
    const auto add = [&](graph::Problem problem) {
      // Without credentials nothing tells that some channels are private.
      if (!is_private && problem.kind == graph::problem_kind::private_rule_unused) return;
      json::Object shown = (with_sources ? std::move(problem) : for_anonymous(std::move(problem))).to_json();
      if (known.insert(json::to_text(shown)).second) problems.push_back(std::move(shown));
    };
    for (const graph::Problem& problem : view.problems()) add(problem);
    for (const graph::Problem& problem : inputs_.problems) {
      if (auto redacted = view.redact(problem)) add(std::move(*redacted));
    }
    return json::to_text(json::Object{{"problems", std::move(problems)}});
  }

  const RenderInputs& inputs_;
  std::map<PrivateChannels::OpenRules, std::shared_ptr<const graph::View>> views_of_rules_;
  const std::shared_ptr<const PrivateChannels> rules_;
  const CachePolicy policy_;
  const Responses* previous_ = nullptr;
};

}  // namespace

std::shared_ptr<const Responses> render(const RenderInputs& inputs) {
  return Renderer(inputs).render();
}

}  // namespace fairway::updateservice
