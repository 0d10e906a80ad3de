// SPDX-License-Identifier: Apache-2.0

// What a client waits for before it acknowledges: it gets that without having to acknowledge first. Envoy
// acknowledges no cluster before all that it has got are ready, and asks only for endpoints of new clusters.
#include <gtest/gtest.h>

#include "xds/delta_stream_rig.h"

namespace fairway::xds {
namespace {

using State = Acknowledgement::State;

class WarmingTest : public DeltaStreamTest {
 protected:
  /// Serves another cluster with its endpoints, both acknowledged.
  void serve_cluster(const std::string& name) {
    put(Type::cluster, name);
    put(Type::endpoints, name);
    EXPECT_EQ(sent_and_acknowledged(), "Cluster " + name + "@1");
    ask(Type::endpoints, {name});
    EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment " + name + "@1");
  }
};

TEST_F(WarmingTest, EndpointsFollowAClusterThatChangesBeforeItIsAcknowledged) {
  serve_all();
  put(Type::cluster, "c", "2");
  EXPECT_EQ(sent(), "Cluster c@2");
  const DeltaResponse cluster = last;
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@1");
  EXPECT_EQ(state(Type::endpoints, "c"), State::pending);
  acknowledge(last);
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::cluster, "c"), State::pending) << "only its own answer counts";
  acknowledge(cluster);
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::cluster, "c"), State::acknowledged);
  EXPECT_EQ(state(Type::endpoints, "c"), State::acknowledged);
}

TEST_F(WarmingTest, SeveralClustersThatChangeAreGivenTheirEndpointsAndNoOthers) {
  serve_all();
  for (const char* name : {"d", "e"}) serve_cluster(name);
  put(Type::cluster, "c", "2");
  put(Type::cluster, "e", "2");
  EXPECT_EQ(sent(), "Cluster c@2 e@2");
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@1 e@1");
}

TEST_F(WarmingTest, EndpointsThatChangeWithTheirClusterAreSentOnce) {
  serve_all();
  put(Type::cluster, "c", "2");
  put(Type::endpoints, "c", "2");
  EXPECT_EQ(sent(), "Cluster c@2");
  const DeltaResponse cluster = last;
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@2");
  acknowledge(cluster);
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(WarmingTest, EndpointsThatWereUnderWayBeforeTheClusterAreSentAgain) {
  serve_all();
  put(Type::endpoints, "c", "2");
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@2");
  const DeltaResponse before = last;
  put(Type::cluster, "c", "2");
  EXPECT_EQ(sent(), "Cluster c@2");
  EXPECT_EQ(sent(), "nothing") << "one response of endpoints at a time";
  acknowledge(before);
  EXPECT_EQ(state(Type::endpoints, "c"), State::pending);
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@2");
}

TEST_F(WarmingTest, EndpointsThatWereRefusedBeforeTheClusterAreSentAgain) {
  serve_all();
  put(Type::endpoints, "c", "2");
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@2");
  const DeltaResponse before = last;
  put(Type::cluster, "c", "2");
  EXPECT_EQ(sent(), "Cluster c@2");
  refuse(before, "no");
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@2");
  refuse(last, "no");
  EXPECT_EQ(state(Type::endpoints, "c"), State::refused);
}

TEST_F(WarmingTest, AClusterThatChangesTwiceIsGivenItsEndpointsTwice) {
  serve_all();
  put(Type::cluster, "c", "2");
  EXPECT_EQ(sent(), "Cluster c@2");
  const DeltaResponse second = last;
  put(Type::cluster, "c", "3");
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  acknowledge(second);
  EXPECT_EQ(sent(), "Cluster c@3");
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@1");
}

TEST_F(WarmingTest, ClustersThatAreSentAgainAfterARefusalAreGivenTheirEndpoints) {
  serve_all();
  serve_cluster("d");
  put(Type::cluster, "c", "2");
  put(Type::cluster, "d", "2");
  EXPECT_EQ(sent(), "Cluster c@2 d@2");
  const DeltaResponse clusters = last;
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1 d@1");
  refuse(clusters, "d is bad");
  // Envoy has taken it from the refused response: nothing changes, but nothing is missing either.
  EXPECT_EQ(sent(), "Cluster c@2");
  const DeltaResponse good = last;
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  acknowledge(good);
  EXPECT_EQ(sent(), "Cluster d@2");
}

TEST_F(WarmingTest, ARefusedClusterLeavesItsEndpointsAcknowledged) {
  serve_all();
  put(Type::cluster, "c", "2");
  EXPECT_EQ(sent(), "Cluster c@2");
  const DeltaResponse cluster = last;
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  refuse(cluster, "no");
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::endpoints, "c"), State::acknowledged);
  EXPECT_EQ(state(Type::cluster, "c"), State::refused);
}

TEST_F(WarmingTest, RoutesAndListenersWaitUntilTheClusterIsAcknowledged) {
  serve_all();
  put(Type::cluster, "c", "2");
  put(Type::route, "l", "2");
  put(Type::listener, "l", "2");
  EXPECT_EQ(sent(), "Cluster c@2");
  const DeltaResponse cluster = last;
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  EXPECT_EQ(sent(), "nothing");
  acknowledge(cluster);
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l@2");
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@2");
}

TEST_F(WarmingTest, ASecretThatAChangedClusterAsksForIsSentBeforeItIsAcknowledged) {
  serve_all();
  put(Type::cluster, "c", "2");
  put(Type::secret, "s");
  EXPECT_EQ(sent(), "Cluster c@2");
  const DeltaResponse cluster = last;
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  ask(Type::secret, {"s"});
  EXPECT_EQ(sent_and_acknowledged(), "Secret s@1");
  acknowledge(cluster);
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(WarmingTest, RoutesDoNotWaitForSecretsThatRotate) {
  serve_all();
  ask(Type::secret, {"s", "t"});
  for (const char* name : {"s", "t"}) put(Type::secret, name);
  EXPECT_EQ(sent(), "Secret s@1");
  const DeltaResponse secret = last;
  put(Type::route, "l", "2");
  put(Type::listener, "l", "2");
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l@2");
  EXPECT_EQ(sent(), "nothing") << "a refused secret would take a listener into service before it is ready";
  acknowledge(secret);
  EXPECT_EQ(sent_and_acknowledged(), "Secret t@1");
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@2");
}

TEST_F(WarmingTest, WhoComesBackWhileAClusterWaitsIsGivenItsEndpoints) {
  put(Type::cluster, "c", "2");
  put(Type::endpoints, "c");
  // Envoy does not ask for clusters while one of them waits.
  stream.receive({.type_url = url_of(Type::endpoints), .subscribe = {"c"}, .has = {{"c", "1"}}});
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  stream.receive({.type_url = url_of(Type::cluster), .has = {{"c", "2"}}});
  EXPECT_EQ(sent_and_acknowledged(), "Cluster") << "there is nothing new";
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::cluster, "c"), State::acknowledged);
}

TEST_F(WarmingTest, WhoComesBackIsGivenTheEndpointsOfAClusterThatHasChangedMeanwhile) {
  put(Type::cluster, "c", "2");
  put(Type::endpoints, "c");
  stream.receive({.type_url = url_of(Type::cluster), .has = {{"c", "1"}}});
  EXPECT_EQ(sent(), "Cluster c@2");
  // It was on its way before Envoy has got the cluster.
  stream.receive({.type_url = url_of(Type::endpoints), .subscribe = {"c"}, .has = {{"c", "1"}}});
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@1");
}

TEST_F(WarmingTest, WhoComesBackIsNotSentTheEndpointsThatItHas) {
  put(Type::cluster, "c");
  put(Type::endpoints, "c");
  stream.receive({.type_url = url_of(Type::cluster), .has = {{"c", "1"}}});
  stream.receive({.type_url = url_of(Type::endpoints), .subscribe = {"c"}, .has = {{"c", "1"}}});
  EXPECT_EQ(sent_and_acknowledged(), "Cluster") << "there is nothing new";
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::endpoints, "c"), State::acknowledged);
}

}  // namespace
}  // namespace fairway::xds
