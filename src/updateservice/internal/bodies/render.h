// SPDX-License-Identifier: Apache-2.0

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
  /// Problems of the service itself, beside the snapshot's.
  std::vector<graph::Problem> problems = {};
  std::chrono::seconds max_age{60};
  /// True if callers without credentials are told where releases and graph data come from.
  bool show_sources = false;
  /// Responses that are served now: unchanged bodies are reused, changed ones remembered. May be null.
  std::shared_ptr<const Responses> previous;
  int threads = 2;
};

/// Makes the responses. The snapshot must outlive their views. The same inputs give the same bytes.
std::shared_ptr<const Responses> render(const RenderInputs& inputs);

}  // namespace fairway::updateservice
