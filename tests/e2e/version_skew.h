// SPDX-License-Identifier: Apache-2.0

// Clients, operators, update services and ClusterVersions of different age, on whichever API server.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/client/client.h"

namespace fairway::testing {

/// An API server with nothing of Fairway's on it.
class SkewCluster {
 public:
  /// The kubeconfig is its administrator's.
  explicit SkewCluster(std::string kubeconfig);

  const std::string& kubeconfig() const { return kubeconfig_; }
  /// Installs a definition of ClusterVersion (a file of this repository) and an object of it.
  void make_cluster_version(const std::string& definition, const json::Object& spec,
                            const json::Value& status);
  void make_old_cluster_version();
  void make_new_cluster_version();
  /// The object as it is; empty if there is none.
  json::Object read() const;
  kube::Client& client() const { return *client_; }

  /// The result of `fairway adm upgrade` with these words.
  struct Ran {
    int exit_code = -1;
    std::string out, err;
  };
  Ran adm_upgrade(const std::string& words) const;

 private:
  std::string kubeconfig_;
  std::shared_ptr<kube::Client> client_;
};

/// A case; `judge` reports failures to GoogleTest.
struct SkewCase {
  const char* name;
  void (*judge)(SkewCluster& cluster);
};
/// Prints the name of a case for GoogleTest.
inline void PrintTo(const SkewCase& one, std::ostream* out) {
  *out << one.name;
}
const std::vector<SkewCase>& skew_cases();

}  // namespace fairway::testing
