// SPDX-License-Identifier: Apache-2.0

// The fixture of the tests on the real API server.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "conformance/kube/cluster.h"
#include "k8s/core.h"
#include "support/cases.h"
#include "support/is_ok.h"

namespace fairway::conformance {

inline const k8s::GroupVersionResource config_maps{"", "v1", "configmaps"};
inline const k8s::GroupVersionResource deployments{"apps", "v1", "deployments"};

/// Each test has a namespace of its own.
class OnCluster : public ::testing::Test {
 protected:
  k8s::ConfigMap config_map(const std::string& name) const {
    return k8s::make<k8s::ConfigMap>(name, namespace_name);
  }
  k8s::Key key(const std::string& name) const { return {namespace_name, name}; }

  Cluster& cluster = Cluster::shared();
  const std::string namespace_name = cluster.make_namespace();
  const std::shared_ptr<kube::Client> client = cluster.client();
};

/// A file of cases beside the tests.
inline json::Array cases_of(const std::string& name) {
  return testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) + "/tests/conformance/kube/data/" + name);
}

/// JSON of a test's own text.
inline json::Value parsed(std::string_view text) {
  return json::parse(text).value();
}
inline k8s::Dynamic object_of(std::string_view text) {
  return k8s::Dynamic(parsed(text).as_object());
}

}  // namespace fairway::conformance
