// SPDX-License-Identifier: Apache-2.0

// The words by which texts of `adm upgrade` name the program: a text sends nobody to a program that they may
// not have, nor to another cluster.
#pragma once

#include <string>
#include <string_view>

namespace fairway::adm {

/// The name that the program was called by. The default is that of `oc`, whose words the texts are.
struct Caller {
  /// Beginning of a command line of `adm upgrade`: "oc adm upgrade", "fairway adm upgrade", "kubectl
  /// fairway".
  std::string upgrade = "oc adm upgrade";
  /// The client that has the other commands, such as `describe`: "oc", "kubectl".
  std::string client = "oc";
  /// Beginning of a command line of the program's other commands, such as `migrate`: "fairway". Empty: they
  /// have no flag for this cluster.
  std::string program = "fairway";
  /// Flags that select the cluster, each with a space before it: " --context prod". Empty: it is the one that
  /// is selected without them.
  std::string cluster = {};

  /// Returns a command line of `adm upgrade` with these words, for the cluster.
  std::string upgrade_line(std::string_view words) const {
    return upgrade + " " + std::string(words) + cluster;
  }
  /// Returns a command line of the client with these words, for the cluster.
  std::string client_line(std::string_view words) const {
    return client + " " + std::string(words) + cluster;
  }

  /// Returns where to find more about a ClusterVersion that lacks something.
  std::string describe_hint() const {
    return "see `" + client + " describe clusterversion` for more details";
  }
};

}  // namespace fairway::adm
