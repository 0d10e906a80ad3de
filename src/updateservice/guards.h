// SPDX-License-Identifier: Apache-2.0

// The guards against changes that a running service takes from its sources only when somebody has accepted
// them: many updates that open at once, and other images for versions that were served.
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

/// Window within which blocks that are lifted step by step count together.
inline constexpr std::chrono::hours widening_window{24};

/// Memory of the guard against widening: the builds before one. Kept with that build's inputs.
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
  /// Id that was accepted and used last. Later ids depend on it, so that an entry opens only once.
  std::string accepted;
  std::vector<Lifted> lifted;  ///< distinct blocks lifted without being held, within the window

  /// Numbers of blocks in force and the times until which they were, within `widening_window`. Only counts
  /// lower than all later ones are kept.
  std::vector<Counted> counted;

  /// Forgets entries older than `widening_window`. A time after `now` (a clock was ahead, or an invalid time
  /// was stored) counts as `now`.
  void forget_old(WallTime now);
  void remember(const graph::Widening& widening, WallTime now);
  /// Records that this many blocks were in force until now.
  void count(std::size_t blocks, WallTime now);
  /// Returns how many of the blocks in force count for a share: no more than the lowest number within
  /// `widening_window`, so that new blocks do not make it easier to lift others.
  std::size_t lasting(std::size_t blocks) const;
  /// Records that the number of blocks is unknown: for `widening_window` from the next `forget_old` on none
  /// counts.
  void count_none() { counted = {{.until = WallTime::max()}}; }
};

/// Limit of the blocks that one refresh may lift (--max-widening).
struct WideningLimit {
  bool on = false;
  std::size_t blocks = 10;  ///< a refresh is held if it lifts more than this number
  double percent = 5;       ///< and more than this share of the blocks in force throughout `widening_window`

  /// Parses "10,5%", or "off".
  static Result<WideningLimit> parse(std::string_view text);
  std::string to_string() const;
  bool is_exceeded_by(const graph::Widening& widening) const;
  /// Returns whether the limit is exceeded together with the blocks that were lifted before.
  bool is_exceeded_by(const graph::Widening& widening, const WideningMemory& memory) const;
};

struct Guards {
  WideningLimit widening;
  std::string data_directory;  ///< data directory of the service, with the entries for this replica; empty:
                               ///< there are none
  /// True if other replicas are configured. Without a graph to compare with, nothing is served until one of
  /// them provides one (Builder::learn), or somebody accepts the sources' graph.
  bool has_peers = false;
};

/// Widenings and images that somebody has accepted by name.
struct Accepted {
  std::set<std::string> widenings;  ///< graph::Widening::id
  /// Accepted digests ("sha256:HEX"), or pull specs without one, by "VERSION+ARCH".
  std::map<std::string, std::set<std::string>> payloads;

  friend bool operator==(const Accepted&, const Accepted&) = default;
};

/// Files of graph data with entries that accept for all replicas.
inline constexpr const char* accept_widening_path = "accept-widening";
inline constexpr const char* accept_payloads_path = "accept-payloads";

/// Returns the path of the entries of the replica whose --data is `directory`.
std::string accepted_path(const std::string& directory);

/// Adds one entry to those of the replica whose --data is `directory`: the id of a widening, or
/// "VERSION+ARCH=DIGEST". Errors: the entry is neither, the folder does not exist, it cannot be written.
Result<void> accept(const std::string& directory, std::string_view entry);

/// Reads the entries of a replica's folder ("" for none) and of graph data. Lines that are not understood
/// accept nothing; empty ones and those that begin with `#` are comments. Of several images of one version
/// the last line counts, and the replica's entry takes precedence over that of the graph data.
Accepted read_accepted(const std::string& directory, const graphdata::Files& files);

/// Returns the part of a pull spec that identifies one image permanently: its digest, or all of it without
/// one.
std::string_view digest_of(std::string_view payload);

}  // namespace fairway::updateservice
