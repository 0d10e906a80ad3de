// SPDX-License-Identifier: Apache-2.0

// Snapshots for tests, from a description in JSON.
#pragma once

#include <memory>
#include <string_view>

#include "graph/snapshot.h"

namespace fairway::graph::testing {

/// Reads tests/graph/data/NAME. Throws if it cannot: that is a fault of the test, not of the code.
json::Value read_data(std::string_view name);

/// Builds {"releases":{ARCH:[release metadata]},"channels":[{"name","versions","tombstones"?,"feeder"?}],
/// "blocks":[{"to","from"?,"effect","name"?,"message"?,"promql"?,"file"?}],"raw_metadata"?,
/// "metadataFaults":[{"version"?}]?,"upstreams":[{"channel","arch","answer"}],"problems"?}.
/// The file of a channel is channels/NAME.yaml with `name` in line 1, versions from line 11 on and tombstones
/// from line 51 on; that of block I is blocked-edges/I.yaml, `to` in line 1. A block's risk says NAME + "."
/// and concerns all clusters, where nothing else is said.
std::shared_ptr<const Snapshot> build_snapshot(const json::Value& description);

/// Returns the view of an audience that may see all channels but these.
View view_without(const Snapshot& snapshot, const json::Array& hidden);

}  // namespace fairway::graph::testing
