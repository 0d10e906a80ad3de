// SPDX-License-Identifier: Apache-2.0

// The words by which texts of `adm upgrade` name the program: a text sends nobody to a program that they may
// not have.
#pragma once

#include <string>

namespace fairway::adm {

/// The name that the program was called by. The default is that of `oc`, whose words the texts are.
struct Caller {
  /// Beginning of a command line of `adm upgrade`: "oc adm upgrade", "fairway adm upgrade", "kubectl
  /// fairway".
  std::string upgrade = "oc adm upgrade";
  /// The client that has the other commands, such as `describe`: "oc", "kubectl".
  std::string client = "oc";

  /// Returns where to find more about a ClusterVersion that lacks something.
  std::string describe_hint() const {
    return "see `" + client + " describe clusterversion` for more details";
  }
};

}  // namespace fairway::adm
