// What a running service takes from its sources only when somebody has accepted it: many updates that open at
// once, and other images for versions that were served.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "graph/widening.h"
#include "graph/withdrawn_updates.h"
#include "graphdata/load.h"

namespace fairway::updateservice {

/// What is lifted step by step within this time counts together.
inline constexpr std::chrono::hours widening_window{24};

/// What the guard against widening knows of the builds before one; kept with its inputs.
struct WideningMemory {
  struct Lifted {
    WallTime time;
    std::string to, risk;  ///< see graph::LiftedBlock
  };
  struct Counted {
    WallTime until;
    std::size_t blocks = 0;
  };
  std::shared_ptr<const graph::WithdrawnUpdates> absent = std::make_shared<const graph::WithdrawnUpdates>();
  /// The id that was accepted and used last: it makes the ids after it others, so that an entry opens once.
  std::string accepted;
  std::vector<Lifted> lifted;  ///< without being held, within `widening_window`; each block once

  /// How many blocks were in force until when, within `widening_window`: only what is less than all later
  /// ones.
  std::vector<Counted> counted;

  /// Forgets what is older than `widening_window`. A time after `now` (a clock was ahead, or it was stored as
  /// something that is no time) counts as `now`.
  void forget_old(WallTime now);
  void remember(const graph::Widening& widening, WallTime now);
  /// Remembers that these were in force until now.
  void count(std::size_t blocks, WallTime now);
  /// Of the blocks that are in force, how many count for a share: no more than there were at any time within
  /// `widening_window`, so that those that came meanwhile help to lift none.
  std::size_t lasting(std::size_t blocks) const;
  /// Nobody knows how many there were: for `widening_window` from the next `forget_old` on none counts.
  void count_none() { counted = {{.until = WallTime::max()}}; }
};

/// --max-widening: how many blocks one refresh may lift.
struct WideningLimit {
  bool on = false;
  std::size_t blocks = 10;  ///< held when it lifts more than these
  double percent = 5;       ///< and more than this share of those in force for `widening_window`

  /// "10,5%", or "off".
  static Result<WideningLimit> parse(std::string_view text);
  std::string to_string() const;
  bool is_exceeded_by(const graph::Widening& widening) const;
  /// The same with what was lifted before it.
  bool is_exceeded_by(const graph::Widening& widening, const WideningMemory& memory) const;
};

struct Guards {
  WideningLimit widening;
  std::string data_directory;  ///< of the service: where entries for this replica are; empty: none are
  /// Other replicas are configured: without a graph to compare with nothing is served until one of them gives
  /// one (Builder::learn), or somebody accepts what the sources say.
  bool has_peers = false;
};

/// What somebody has accepted by name.
struct Accepted {
  std::set<std::string> widenings;  ///< graph::Widening::id
  /// By "VERSION+ARCH": digests ("sha256:HEX"), or pull specs without one.
  std::map<std::string, std::set<std::string>> payloads;

  friend bool operator==(const Accepted&, const Accepted&) = default;
};

/// Files of graph data that accept for all replicas.
inline constexpr const char* accept_widening_path = "accept-widening";
inline constexpr const char* accept_payloads_path = "accept-payloads";

/// Where the entries of the replica whose --data is `directory` are.
std::string accepted_path(const std::string& directory);

/// Adds one entry to those of the replica whose --data is `directory`: the id of a widening, or
/// "VERSION+ARCH=DIGEST". Errors: the entry is neither, there is no such folder, it cannot be written.
Result<void> accept(const std::string& directory, std::string_view entry);

/// What is accepted in a replica's folder ("" for none) and in graph data. Lines that are not understood
/// accept nothing; empty ones and those that begin with `#` are comments. Of several images of one version
/// the last line counts, and the replica's before that of the graph data.
Accepted read_accepted(const std::string& directory, const graphdata::Files& files);

/// The part of a pull spec that names one image for good: its digest, or all of it where it has none.
std::string_view digest_of(std::string_view payload);

}  // namespace fairway::updateservice
