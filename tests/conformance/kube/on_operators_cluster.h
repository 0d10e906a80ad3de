// SPDX-License-Identifier: Apache-2.0

// Tests on the API server that leave nothing of the operator's there.
#pragma once

#include "conformance/kube/on_cluster.h"
#include "support/eventually.h"

namespace fairway::conformance {

class OnOperatorsCluster : public OnCluster {
 protected:
  /// Removes the definitions that an operator brings, and their objects, so that other tests find none.
  void TearDown() override {
    const k8s::GroupVersionResource definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
    for (const char* name :
         {"clusterversions.config.openshift.io", "channels.config.openshift.io",
          "clusteroperators.config.openshift.io", "conversions.pkg.knative.dev", "gears.example.com"}) {
      [[maybe_unused]] const auto removed = client->remove(definitions, {"", name});
      EXPECT_TRUE(testing::eventually([&] { return !client->get(definitions, {"", name}).has_value(); }))
          << name;
    }
  }
};

}  // namespace fairway::conformance
