// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/delta_stream.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include "xds/delta_stream_rig.h"

namespace fairway::xds {
namespace {

using State = Acknowledgement::State;

TEST_F(DeltaStreamTest, NothingIsSentThatWasNotAskedFor) {
  put(Type::cluster, "c");
  put(Type::route, "r");
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::cluster, "c"), State::pending);
}

TEST_F(DeltaStreamTest, AResourceIsAcknowledgedOnlyByTheAnswerToItsVersion) {
  put(Type::cluster, "c");
  ask(Type::cluster);
  EXPECT_EQ(sent(), "Cluster c@1");
  EXPECT_EQ(state(Type::cluster, "c"), State::pending);
  put(Type::cluster, "c", "2");
  EXPECT_EQ(sent(), "nothing") << "one response at a time";
  acknowledge(last);
  EXPECT_EQ(state(Type::cluster, "c"), State::pending) << "version 1 was acknowledged, not 2";
  EXPECT_EQ(sent_and_acknowledged(), "Cluster c@2");
  EXPECT_EQ(state(Type::cluster, "c"), State::acknowledged);
}

TEST_F(DeltaStreamTest, AnAnswerToAnotherResponseSaysNothing) {
  put(Type::cluster, "c");
  ask(Type::cluster);
  EXPECT_EQ(sent(), "Cluster c@1");
  DeltaResponse other = last;
  other.nonce = "77";
  acknowledge(other);
  refuse(other, "no");
  EXPECT_EQ(state(Type::cluster, "c"), State::pending);
  acknowledge(last);
  acknowledge(last);
  EXPECT_EQ(state(Type::cluster, "c"), State::acknowledged);
}

TEST_F(DeltaStreamTest, TypesComeInTheirOrderAndWaitForAnswers) {
  serve_all();
  for (const ResourceName& name : {ResourceName{Type::cluster, "c"}, ResourceName{Type::endpoints, "c"},
                                   ResourceName{Type::listener, "l"}, ResourceName{Type::route, "l"}})
    EXPECT_EQ(state(name.type, name.name), State::acknowledged);
}

TEST_F(DeltaStreamTest, RoutesWaitForTheEndpointsOfANewCluster) {
  serve_all();
  put(Type::cluster, "d");
  put(Type::endpoints, "d");
  put(Type::route, "l", "2");
  EXPECT_EQ(sent(), "Cluster d@1");
  EXPECT_EQ(sent(), "nothing");
  acknowledge(last);
  EXPECT_EQ(sent(), "nothing") << "its endpoints have not been asked for";
  ask(Type::endpoints, {"d"});
  EXPECT_EQ(sent(), "ClusterLoadAssignment d@1");
  EXPECT_EQ(sent(), "nothing");
  acknowledge(last);
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l@2");
}

TEST_F(DeltaStreamTest, AClusterGoesAfterAllRoutesOfAListener) {
  put(Type::cluster, "c");
  put(Type::endpoints, "c");
  put(Type::listener, "l");
  put(Type::route, "l#a");
  ask(Type::cluster);
  ask(Type::listener);
  EXPECT_EQ(sent_and_acknowledged(), "Cluster c@1");
  ask(Type::endpoints, {"c"});
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@1");
  // It has not asked for the listener's routes yet, and what they lead to may still be what it has.
  remove(Type::cluster, "c");
  EXPECT_EQ(sent(), "nothing");
  ask(Type::route, {"l#a"});
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l#a@1");
  EXPECT_EQ(sent_and_acknowledged(), "Cluster -c");
}

TEST_F(DeltaStreamTest, AListenerThatComesBackFindsItsRoutesAsTheyAreNow) {
  serve_all();
  remove(Type::listener, "l");
  remove(Type::route, "l");
  while (sent_and_acknowledged() != "nothing") continue;
  // Envoy has not dropped the routes: connections of the listener are still ending.
  put(Type::listener, "l", "2");
  put(Type::route, "l", "2");
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l@2");
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@2");
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, ARefusedListenerIsNotWaitedFor) {
  serve_all();
  put(Type::listener, "l", "2");
  put(Type::route, "l#more");
  EXPECT_EQ(sent(), "Listener l@2");
  refuse(last, "no");
  // It will not ask for the routes of what it has refused.
  remove(Type::cluster, "c");
  remove(Type::endpoints, "c");
  EXPECT_NE(sent_and_acknowledged().find("-c"), std::string::npos);
}

TEST_F(DeltaStreamTest, ARefusedListenerIsTriedAgainOnceAnotherHasChanged) {
  put(Type::listener, "a");
  put(Type::listener, "b");
  ask(Type::listener);
  EXPECT_EQ(sent(), "Listener a@1 b@1");
  refuse(last, "a has the address that b is about to leave");
  EXPECT_EQ(sent(), "Listener a@1");
  refuse(last, "a has the address that b is about to leave");
  EXPECT_EQ(state(Type::listener, "a"), State::refused);
  EXPECT_EQ(sent_and_acknowledged(), "Listener b@1");
  EXPECT_EQ(sent(), "Listener a@1");
  // Once for each change: what is still refused is not repeated.
  refuse(last, "it is taken");
  EXPECT_EQ(state(Type::listener, "a"), State::refused);
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, AClusterGoesAfterTheRoutesThatLedToIt) {
  serve_all();
  remove(Type::cluster, "c");
  remove(Type::endpoints, "c");
  put(Type::route, "l", "2");
  EXPECT_EQ(sent(), "RouteConfiguration l@2");
  EXPECT_EQ(sent(), "nothing");
  acknowledge(last);
  EXPECT_EQ(sent_and_acknowledged(), "Cluster -c");
  drop(Type::endpoints, {"c"});
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, EndpointsChangeByThemselves) {
  serve_all();
  put(Type::endpoints, "c", "2");
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@2");
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, AClusterThatChangesIsGivenItsEndpointsAgain) {
  serve_all();
  put(Type::cluster, "c", "2");
  EXPECT_EQ(sent_and_acknowledged(), "Cluster c@2");
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, ARefusedResourceIsSentAgainOnceItHasChanged) {
  serve_all();
  put(Type::route, "l", "2");
  EXPECT_EQ(sent(), "RouteConfiguration l@2");
  refuse(last, "bad header");
  EXPECT_EQ(state(Type::route, "l"), State::refused);
  EXPECT_EQ(stream.acknowledgement(snapshot, {Type::route, "l"}).message, "bad header");
  EXPECT_EQ(sent(), "nothing");
  put(Type::route, "l", "3");
  EXPECT_EQ(state(Type::route, "l"), State::pending);
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l@3");
  EXPECT_EQ(state(Type::route, "l"), State::acknowledged);
}

TEST_F(DeltaStreamTest, WhatItHadBeforeARefusalIsStillServed) {
  serve_all();
  put(Type::route, "l", "2");
  EXPECT_EQ(sent(), "RouteConfiguration l@2");
  refuse(last, "bad header");
  put(Type::route, "l", "1");
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::route, "l"), State::acknowledged);
}

TEST_F(DeltaStreamTest, OfSeveralThatAreRefusedTheCulpritIsFound) {
  for (const char* name : {"a", "b", "c", "d", "e"}) put(Type::cluster, name);
  ask(Type::cluster);
  EXPECT_EQ(sent(), "Cluster a@1 b@1 c@1 d@1 e@1");
  refuse(last, "d is bad");
  EXPECT_EQ(state(Type::cluster, "a"), State::pending);
  EXPECT_EQ(sent_and_acknowledged(), "Cluster a@1 b@1");
  EXPECT_EQ(sent(), "Cluster c@1 d@1 e@1");
  refuse(last, "d is bad");
  EXPECT_EQ(sent_and_acknowledged(), "Cluster c@1");
  EXPECT_EQ(sent(), "Cluster d@1 e@1");
  refuse(last, "d is bad");
  EXPECT_EQ(sent(), "Cluster d@1");
  refuse(last, "d is bad");
  EXPECT_EQ(sent_and_acknowledged(), "Cluster e@1");
  EXPECT_EQ(sent(), "nothing");
  for (const char* name : {"a", "b", "c", "e"}) EXPECT_EQ(state(Type::cluster, name), State::acknowledged);
  EXPECT_EQ(state(Type::cluster, "d"), State::refused);
}

TEST_F(DeltaStreamTest, SecretsAreSentOneByOneSoThatNoneIsRepeatedThatWasRefused) {
  for (const char* name : {"a", "b", "c"}) put(Type::secret, name);
  ask(Type::secret, {"a", "b", "c"});
  EXPECT_EQ(sent_and_acknowledged(), "Secret a@1");
  EXPECT_EQ(sent(), "Secret b@1");
  EXPECT_EQ(sent(), "nothing") << "one response at a time";
  refuse(last, "no");
  EXPECT_EQ(sent_and_acknowledged(), "Secret c@1");
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::secret, "a"), State::acknowledged);
  EXPECT_EQ(state(Type::secret, "b"), State::refused);
  EXPECT_EQ(state(Type::secret, "c"), State::acknowledged);
}

TEST_F(DeltaStreamTest, ARefusedClusterHoldsUpNobody) {
  put(Type::cluster, "c");
  put(Type::endpoints, "c");
  put(Type::listener, "l");
  ask(Type::cluster);
  ask(Type::listener);
  EXPECT_EQ(sent(), "Cluster c@1");
  refuse(last, "no");
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@1");
}

TEST_F(DeltaStreamTest, WhoComesBackIsSentOnlyWhatHasChanged) {
  put(Type::cluster, "same");
  put(Type::cluster, "changed", "2");
  stream.receive(
      {.type_url = url_of(Type::cluster), .has = {{"same", "1"}, {"changed", "1"}, {"gone", "1"}}});
  EXPECT_EQ(state(Type::cluster, "same"), State::acknowledged);
  EXPECT_EQ(state(Type::cluster, "changed"), State::pending);
  EXPECT_EQ(sent_and_acknowledged(), "Cluster changed@2 -gone");
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, WhoAsksForWhatThereIsNotIsToldOnce) {
  ask(Type::endpoints, {"none"});
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment -none");
  EXPECT_EQ(sent(), "nothing");
  put(Type::endpoints, "none");
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment none@1");
}

TEST_F(DeltaStreamTest, WhoAsksForEverythingIsToldThatThereIsNothing) {
  ask(Type::cluster);
  ask(Type::listener);
  EXPECT_EQ(sent(), "Cluster");
  EXPECT_EQ(sent(), "nothing");
  acknowledge(last);
  EXPECT_EQ(sent_and_acknowledged(), "Listener");
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, WhoAsksAgainIsSentItAgain) {
  put(Type::endpoints, "c");
  ask(Type::endpoints, {"c"});
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
  ask(Type::endpoints, {"c"});
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
}

TEST_F(DeltaStreamTest, WhoHasLostInterestDoesNotAgree) {
  put(Type::endpoints, "c");
  ask(Type::endpoints, {"c"});
  EXPECT_EQ(sent(), "ClusterLoadAssignment c@1");
  drop(Type::endpoints, {"c"});
  acknowledge(last);
  EXPECT_EQ(state(Type::endpoints, "c"), State::pending);
  put(Type::endpoints, "c", "2");
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, ARefusedRemovalIsNotRepeated) {
  put(Type::listener, "l");
  ask(Type::listener);
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@1");
  remove(Type::listener, "l");
  EXPECT_EQ(sent(), "Listener -l");
  refuse(last, "no");
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, TypesThatAreNotServedAreIgnored) {
  stream.receive({.type_url = "type.googleapis.com/envoy.service.runtime.v3.Runtime", .subscribe = {"a"}});
  stream.receive({.type_url = "", .subscribe = {"a"}});
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, ACollectionIsAskedForAsAWhole) {
  const std::string of = "xdstp://fairway/envoy.config.route.v3.ScopedRouteConfiguration/";
  put(Type::listener, "l");
  put(Type::scope, of + "l/1");
  put(Type::scope, of + "l/2");
  put(Type::scope, of + "other/1");
  put(Type::route, "l#~1");
  ask(Type::cluster);
  EXPECT_EQ(sent_and_acknowledged(), "Cluster");
  ask(Type::listener);
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@1");
  ask(Type::scope, {of + "l/*"});
  EXPECT_EQ(sent(), "ScopedRouteConfiguration " + of + "l/1@1 " + of + "l/2@1");
  acknowledge(last);
  EXPECT_EQ(state(Type::scope, of + "l/1"), State::acknowledged);
  EXPECT_EQ(state(Type::scope, of + "other/1"), State::pending);
  ask(Type::route, {"l#~1"});
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l#~1@1");
  put(Type::scope, of + "l/2", "2");
  EXPECT_EQ(sent_and_acknowledged(), "ScopedRouteConfiguration " + of + "l/2@2");
  // Whoever asks for it goes on with what was in it.
  remove(Type::scope, of + "l/1");
  remove(Type::scope, of + "l/2");
  EXPECT_EQ(sent(), "nothing");
  // Who asks again begins anew.
  put(Type::scope, of + "l/1");
  drop(Type::scope, {of + "l/*"});
  EXPECT_EQ(state(Type::scope, of + "l/1"), State::pending);
  ask(Type::scope, {of + "l/*"});
  EXPECT_EQ(sent_and_acknowledged(), "ScopedRouteConfiguration " + of + "l/1@1");
}

/// After a refusal of routes Envoy takes a listener into service without those that it waits for.
TEST_F(DeltaStreamTest, AListenerWithNewRoutesWaitsForAnAnswerToThoseFromBefore) {
  serve_all();
  put(Type::listener, "l", "2");
  put(Type::route, "l", "2");
  put(Type::route, "l#~1");
  EXPECT_EQ(sent(), "RouteConfiguration l@2");
  EXPECT_EQ(sent(), "nothing") << "it may be refused";
  acknowledge(last);
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@2");
  // What comes meanwhile may be refused, too.
  put(Type::route, "l", "3");
  put(Type::route, "l#~1", "3");
  EXPECT_EQ(sent(), "nothing");
  ask(Type::route, {"l#~1"});
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l#~1@1");
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l@3 l#~1@3");
  EXPECT_EQ(sent(), "nothing");
  EXPECT_EQ(state(Type::listener, "l"), State::acknowledged);
  // One whose routes are there does not wait.
  put(Type::listener, "l", "3");
  put(Type::route, "l", "4");
  EXPECT_EQ(sent(), "RouteConfiguration l@4");
  EXPECT_EQ(sent(), "Listener l@3");
}

TEST_F(DeltaStreamTest, AListenerWithNewRoutesIsNotStarvedByThoseFromBefore) {
  serve_all();
  put(Type::listener, "l", "2");
  put(Type::route, "l#~1");
  std::string all;
  for (int i = 0; i < 10; ++i) {
    put(Type::route, "l", "2." + std::to_string(i));
    const std::string text = sent();
    put(Type::route, "l", "2." + std::to_string(i) + "+");
    if (text != "nothing") acknowledge(last);
    all += text + "; ";
  }
  EXPECT_NE(all.find("Listener l@2"), std::string::npos) << all;
}

TEST_F(DeltaStreamTest, ABadRouteIsSearchedForBeforeAListenerWithNewRoutesComes) {
  serve_all();
  put_routes("l", {"a", "b"});
  EXPECT_EQ(answer_all(), 0);
  put(Type::listener, "l", "2");
  put_routes("l", {"a", "b", "BAD"});
  put_routes("l#~1", {"a", "BAD"});
  EXPECT_EQ(answer_all(), 3) << "it, a trial of nothing, and what takes its place";
  EXPECT_EQ(state(Type::listener, "l"), State::acknowledged);
  EXPECT_EQ(refused_parts("l"), 1U);
  ask(Type::route, {"l#~1"});
  EXPECT_EQ(answer_all(), 0) << "the listener would be without its routes";
  EXPECT_EQ(refused_parts("l#~1"), 1U);
}

TEST_F(DeltaStreamTest, NothingIsTriedWhileAListenerWaitsForItsRoutes) {
  serve_all();
  put(Type::listener, "m");
  put(Type::route, "m");
  EXPECT_EQ(sent_and_acknowledged(), "Listener m@1");
  put_routes("l", {"a", "BAD"});
  EXPECT_EQ(sent(), "nothing") << "it may be refused";
  ask(Type::route, {"m"});
  EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration m@1");
  EXPECT_GT(answer_all(), 0);
  EXPECT_EQ(refused_parts("l"), 1U);
}

TEST_F(DeltaStreamTest, ABadRouteKeepsNoScopesOfAnotherListenerWaiting) {
  const std::string of_m = "xdstp://fairway/envoy.config.route.v3.ScopedRouteConfiguration/m/";
  put(Type::listener, "k");
  put(Type::listener, "m");
  put_routes("k", {"a", "BAD"});
  put(Type::scope, of_m + "1");
  put(Type::route, "m#~1");
  ask(Type::cluster);
  EXPECT_EQ(sent_and_acknowledged(), "Cluster");
  ask(Type::listener);
  EXPECT_EQ(sent_and_acknowledged(), "Listener k@1 m@1");
  ask(Type::route, {"k"});
  ask(Type::scope, {of_m + "*"});
  answer_all();
  EXPECT_EQ(state(Type::scope, of_m + "1"), State::acknowledged);
  ask(Type::route, {"m#~1"});
  answer_all();
  EXPECT_EQ(state(Type::route, "m#~1"), State::acknowledged);
  EXPECT_EQ(refused_parts("k"), 1U);
}

/// An Envoy whose listeners are stopped acknowledges new ones, and never asks for their routes.
TEST_F(DeltaStreamTest, WhoAsksForNoRoutesIsSentThoseThatItHas) {
  serve_all();
  put(Type::listener, "m");
  put(Type::route, "m");
  EXPECT_EQ(sent_and_acknowledged(), "Listener m@1");
  put(Type::route, "l", "2");
  EXPECT_EQ(sent(), "nothing") << "it is about to ask";
  std::deque<Snapshot> changes;
  std::optional<DeltaResponse> response;
  while (!response && changes.size() < 10) response = stream.next(changes.emplace_back(snapshot));
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->resources.contains("l"));
}

TEST_F(DeltaStreamTest, AListenerThatGoesWhileItIsHeldIsNotGiven) {
  serve_all();
  put(Type::listener, "m");
  put(Type::route, "m");
  put(Type::route, "l", "2");
  EXPECT_EQ(sent(), "RouteConfiguration l@2");
  remove(Type::listener, "m");
  remove(Type::route, "m");
  acknowledge(last);
  EXPECT_EQ(sent(), "nothing");
}

TEST_F(DeltaStreamTest, ARouteThatIsBadInManyIsSearchedForOnce) {
  serve_all();
  for (int i = 10; i < 75; ++i) {
    const std::string name = "l#~" + std::to_string(i);
    put_routes(name, {name});
    ask(Type::route, {name});
  }
  EXPECT_EQ(answer_all(), 0);
  for (int i = 10; i < 75; ++i) {
    const std::string name = "l#~" + std::to_string(i);
    put_routes(name, {name, "BAD"});
  }
  EXPECT_LT(answer_all(), 15) << "7 halves of 65, and a search of one";
  for (int i = 10; i < 75; ++i) EXPECT_EQ(refused_parts("l#~" + std::to_string(i)), 1U) << i;
}

TEST_F(DeltaStreamTest, WhatIsBadInManyIsTriedOnceByAnotherClient) {
  const auto remembered = std::make_shared<RefusedParts>();
  const auto serve = [&] {
    stream = DeltaStream(remembered);
    put(Type::listener, "l");
    ask(Type::cluster);
    ask(Type::listener);
    for (int i = 10; i < 75; ++i) put_routes("l#~" + std::to_string(i), {std::to_string(i), "BAD"});
    for (int i = 10; i < 75; ++i) ask(Type::route, {"l#~" + std::to_string(i)});
    return answer_all();
  };
  EXPECT_LT(serve(), 20);
  EXPECT_EQ(serve(), 1) << "after all else is served";
  for (int i = 10; i < 75; ++i) EXPECT_EQ(refused_parts("l#~" + std::to_string(i)), 1U) << i;
}

TEST_F(DeltaStreamTest, NobodyIsAboutToAskForWhatIsLeftOver) {
  serve_all();
  put(Type::listener, "l", "2");
  put(Type::route, "l#old", "1");
  put(Type::cluster, "d");
  put(Type::endpoints, "d");
  EXPECT_EQ(sent_and_acknowledged(), "Cluster d@1");
  ask(Type::endpoints, {"d"});
  EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment d@1");
  EXPECT_EQ(sent_and_acknowledged(), "Listener l@2");
  // A cluster that is gone waits until nobody can refer to it.
  remove(Type::cluster, "d");
  remove(Type::endpoints, "d");
  EXPECT_EQ(sent(), "nothing");
  Resource left_over;
  left_over.is_left_over = true;
  snapshot.of(Type::route)["l#old"] = std::make_shared<EncodedResource>("1", "l#old@1", left_over);
  EXPECT_EQ(sent_and_acknowledged(), "Cluster -d");
}

}  // namespace
}  // namespace fairway::xds
