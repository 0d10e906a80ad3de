// SPDX-License-Identifier: Apache-2.0

// The smallest graph data and releases that are worth a test: two channels, one conditional edge, one removed
// edge.
#pragma once

#include <map>
#include <string>

namespace fairway::testing {

/// Graph data by relative path. `stable-4.7` lists 4.6.23, 4.7.0 and 4.7.4; the edges into 4.7.4 from 4.6 are
/// conditional on the risk `SlowDisks`; the edge from 4.6.23 to 4.7.0 is removed.
inline std::map<std::string, std::string> small_graph_data() {
  return {
      {"version", "1.2.0\n"},
      {"channels/candidate-4.7.yaml", "name: candidate-4.7\nversions:\n- 4.6.23\n- 4.7.0\n- 4.7.4\n"},
      {"channels/stable-4.7.yaml",
       "feeder:\n  delay: P1W\n  filter: 4\\.[0-9]+\\.[0-9]+(.*hotfix.*)?\n  name: candidate-4.7\n"
       "name: stable-4.7\nversions:\n- 4.6.23\n- 4.7.0\n- 4.7.4\n"},
      {"blocked-edges/4.7.0.yaml", "to: 4.7.0\nfrom: 4[.]6[.]23[+].*\n"},
      {"blocked-edges/4.7.4-slow-disks.yaml",
       "to: 4.7.4\nfrom: 4[.]6[.].*\nurl: https://example.com/slow-disks\nname: SlowDisks\n"
       "message: Clusters on slow disks lose their leader.\nmatchingRules:\n- type: PromQL\n  promql:\n"
       "    promql: |\n      group(slow_disks == 1)\n"},
  };
}

/// A release list with 4.6.23, 4.7.0 and 4.7.4: each later one updates from all earlier ones.
inline std::string small_release_list() {
  return R"({"arch":"amd64","releases":[
{"kind":"cincinnati-metadata-v0","version":"4.6.23","previous":[],"next":[],"metadata":{},"image":"registry.example/release@sha256:0000000000000000000000000000000000000000000000000000000000000623"},
{"kind":"cincinnati-metadata-v0","version":"4.7.0","previous":["4.6.23"],"next":[],"metadata":{},"image":"registry.example/release@sha256:0000000000000000000000000000000000000000000000000000000000000700"},
{"kind":"cincinnati-metadata-v0","version":"4.7.4","previous":["4.6.23","4.7.0"],"next":[],"metadata":{},"image":"registry.example/release@sha256:0000000000000000000000000000000000000000000000000000000000000704"}
]})";
}

}  // namespace fairway::testing
