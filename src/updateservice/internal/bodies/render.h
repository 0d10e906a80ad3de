// Makes the responses of a build: what every audience sees of a snapshot, as bytes with their compressed
// forms.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "graph/snapshot.h"
#include "graphdata/load.h"
#include "updateservice/channel_descriptions.h"
#include "updateservice/internal/bodies/responses.h"

namespace fairway::updateservice {

struct RenderInputs {
  const graph::Snapshot& snapshot;
  const graphdata::Files& files;
  std::shared_ptr<const PrivateChannels> rules;
  const ChannelDescriptions& descriptions;
  /// Beside the snapshot's: the service's own.
  std::vector<graph::Problem> problems = {};
  std::chrono::seconds max_age{60};
  /// True if callers without credentials are told where releases and graph data come from.
  bool show_sources = false;
  /// What is served now: unchanged bodies are taken over, changed ones remembered. May be null.
  std::shared_ptr<const Responses> previous;
  int threads = 2;
};

/// Makes the responses, whose views the snapshot has to outlive. The same inputs give the same bytes.
std::shared_ptr<const Responses> render(const RenderInputs& inputs);

}  // namespace fairway::updateservice
