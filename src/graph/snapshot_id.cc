// SPDX-License-Identifier: Apache-2.0

#include "graph/snapshot_id.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/json.h"

namespace fairway::graph {
namespace {

constexpr std::size_t id_digits = 32;

/// Hashes texts with their sizes and lists with their lengths, so that different snapshots never give the
/// same bytes.
class Hasher {
 public:
  void text(std::string_view value) {
    number(value.size());
    hash_.update(value);
  }
  void number(std::uint64_t value) { hash_.update(std::to_string(value) + ":"); }
  std::string hex() { return hash_.hex(); }

 private:
  Sha256 hash_;
};

}  // namespace

std::string snapshot_id(const Snapshot& snapshot) {
  Hasher hash;
  hash.text("snapshot");
  // The name and the rules of each risk decide whom it concerns.
  std::vector<std::string> risks, sets;
  for (const Risk& risk : snapshot.risks) {
    Hasher of_risk;
    of_risk.text(risk.name);
    of_risk.text(json::to_text(risk.matching_rules));
    risks.push_back(of_risk.hex());
  }
  for (const auto& set : snapshot.risk_sets) {
    Hasher of_set;
    for (const std::uint32_t id : set) of_set.text(risks[id]);
    sets.push_back(of_set.hex());
  }
  hash.number(snapshot.channels.size());
  for (const SnapshotChannel& channel : snapshot.channels) hash.text(channel.name);
  for (const Architecture& architecture : snapshot.architectures) {
    hash.text(architecture.name);
    hash.number(architecture.releases.size());
    for (const SnapshotRelease& release : architecture.releases) {
      hash.text(release.text);
      hash.text(release.payload);
      hash.number(release.channels.size());
      for (const std::uint32_t channel : release.channels) hash.number(channel);
    }
    hash.number(architecture.edges.size());
    for (const SnapshotEdge& edge : architecture.edges) {
      hash.number(edge.from);
      hash.number(edge.to);
      hash.text(sets[edge.risk_set]);
    }
  }
  return hash.hex().substr(0, id_digits);
}

}  // namespace fairway::graph
