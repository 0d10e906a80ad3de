// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/responses.h"

#include <algorithm>

#include "graph/update_graph.h"

namespace fairway::updateservice {
namespace {

bool same_document(const std::shared_ptr<const Document>& a, const std::shared_ptr<const Document>& b) {
  return a == b || (a && b && a->hash() == b->hash() && a->headers() == b->headers());
}

}  // namespace

std::string CachePolicy::cache_control(bool is_private) const {
  return (is_private ? "private, max-age=" : "public, max-age=") + std::to_string(max_age.count());
}

std::string CachePolicy::vary() const {
  return rules ? "Accept, Accept-Encoding, Authorization, Origin" : "Accept, Accept-Encoding, Origin";
}

DocumentHeaders CachePolicy::graph(bool is_private) const {
  return {{std::string(graph_vendor_type_name), "application/json"}, cache_control(is_private), vary()};
}

DocumentHeaders CachePolicy::channels(bool is_private) const {
  return {{"application/json", std::string(channels_vendor_type_name)}, cache_control(is_private), vary()};
}

DocumentHeaders CachePolicy::json(bool is_private) const {
  return {{"application/json"}, cache_control(is_private), vary()};
}

DocumentHeaders CachePolicy::archive(bool is_private) const {
  return {{"application/gzip"}, cache_control(is_private), vary()};
}

Responses empty_responses(std::shared_ptr<const PrivateChannels> rules, const CachePolicy& policy) {
  Responses responses;
  responses.rules = std::move(rules);
  responses.unknown.document =
      Document::compressible(graph::to_cincinnati_json(graph::UpdateGraph{}), policy.graph(false));
  responses.unknown.past = std::make_shared<const std::vector<PastGraph>>();
  return responses;
}

const GraphResponse& Responses::find(std::string_view arch, std::string_view channel,
                                     AudienceIndex audience) const {
  const GraphResponse* graph = find_in(graphs, arch, channel);
  return graph != nullptr && rules->opens(audience, graph->rule) ? *graph : unknown;
}

const PastGraphs& Responses::find_past(std::string_view arch, std::string_view channel,
                                       AudienceIndex audience) const {
  const GoneGraph* graph = find_in(gone, arch, channel);
  return graph != nullptr && rules->opens(audience, graph->rule) ? graph->past
                                                                 : find(arch, channel, audience).past;
}

bool Responses::same_content(const Responses& other) const {
  if (rules->fingerprint() != other.rules->fingerprint() || graphs.size() != other.graphs.size() ||
      audiences.size() != other.audiences.size()) {
    return false;
  }
  for (std::size_t i = 0; i < audiences.size(); ++i) {
    if (!same_document(audiences[i].channels, other.audiences[i].channels) ||
        !same_document(audiences[i].problems, other.audiences[i].problems) ||
        !same_document(audiences[i].graph_data, other.audiences[i].graph_data)) {
      return false;
    }
  }
  return std::ranges::all_of(graphs, [&other](const auto& architecture) {
    const auto its = other.graphs.find(architecture.first);
    if (its == other.graphs.end() || its->second.size() != architecture.second.size()) return false;
    return std::ranges::all_of(architecture.second, [&its](const auto& channel) {
      const auto graph = its->second.find(channel.first);
      return graph != its->second.end() && graph->second.rule == channel.second.rule &&
             same_document(graph->second.document, channel.second.document);
    });
  });
}

std::size_t Responses::bytes() const {
  const auto size = [](const std::shared_ptr<const Document>& document) {
    return document ? document->body()->size() + (document->gzip() ? document->gzip()->size() : 0) : 0;
  };
  std::size_t total = size(unknown.document);
  for (const auto& [arch, channels] : graphs) {
    for (const auto& [channel, graph] : channels) total += size(graph.document);
  }
  for (const AudienceDocuments& documents : audiences) {
    total += size(documents.channels) + size(documents.problems) + size(documents.graph_data);
  }
  return total;
}

}  // namespace fairway::updateservice
