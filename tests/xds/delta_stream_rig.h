// SPDX-License-Identifier: Apache-2.0

// A stream of delta discovery with a client that asks and answers as a test tells it to.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/protobuf_wire.h"
#include "xds/internal/delta_stream.h"
#include "xds/internal/route_parts.h"

namespace fairway::xds {

/// Tests with a client that asks and answers as Envoy does, and with the responses of the stream.
class DeltaStreamTest : public ::testing::Test {
 protected:
  void put(Type type, const std::string& name, const std::string& version = "1") {
    snapshot.of(type)[name] = std::make_shared<EncodedResource>(version, name + "@" + version);
  }
  /// Puts a RouteConfiguration of routes with these actions.
  void put_routes(const std::string& name, const std::vector<std::string>& actions) {
    std::string bytes, version;
    wire::append_bytes(bytes, 1, name);
    std::vector<std::string> routes;
    for (const std::string& action : actions) wire::append_bytes(routes.emplace_back(), 2, action);
    append_host(bytes, host_shell("h"), {routes.begin(), routes.end()});
    for (const std::string& action : actions) version += action;
    snapshot.of(Type::route)[name] = std::make_shared<EncodedResource>(version, bytes);
  }
  void remove(Type type, const std::string& name) { snapshot.of(type).erase(name); }

  void ask(Type type, std::vector<std::string> names = {}) {
    stream.receive({.type_url = url_of(type), .subscribe = std::move(names)});
  }
  void drop(Type type, std::vector<std::string> names) {
    stream.receive({.type_url = url_of(type), .unsubscribe = std::move(names)});
  }
  void acknowledge(const DeltaResponse& response) {
    stream.receive({.type_url = url_of(response.type), .nonce = response.nonce});
  }
  void refuse(const DeltaResponse& response, const std::string& why) {
    stream.receive({.type_url = url_of(response.type), .nonce = response.nonce, .refusal = why});
  }

  /// Returns the next response: "cluster: a@1 b@1 -c", or "nothing".
  std::string sent() {
    const auto response = stream.next(snapshot);
    if (!response) return "nothing";
    last = *response;
    std::string text(message_of(response->type).substr(message_of(response->type).rfind('.') + 1));
    for (const auto& [name, resource] : response->resources) text += " " + resource->bytes;
    for (const std::string& name : response->removed) text += " -" + name;
    return text;
  }
  std::string sent_and_acknowledged() {
    std::string text = sent();
    if (text != "nothing") acknowledge(last);
    return text;
  }
  /// Answers as a client that refuses routes with BAD in them, until there is nothing to answer. Returns the
  /// number of refusals.
  int answer_all() {
    int refusals = 0;
    for (int asked = 0; asked < 10'000 && sent() != "nothing"; ++asked) {
      std::string words;
      for (const auto& [name, resource] : last.resources) {
        const auto parts = split_routes(resource->bytes);
        for (const HostPart& host : parts ? parts->hosts : std::vector<HostPart>()) {
          for (const RoutePart& route : host.routes) {
            if (words.empty() && route.bytes.contains("(fairway"))
              words = "missing ): " + std::string(route.bytes);
            if (words.empty() && route.bytes.contains("BAD")) words = "bad " + std::string(route.bytes);
          }
        }
      }
      refusals += words.empty() ? 0 : 1;
      words.empty() ? acknowledge(last) : refuse(last, words);
    }
    return refusals;
  }
  std::size_t refused_parts(const std::string& name) const {
    return stream.acknowledgement(snapshot, {Type::route, name}).parts.size();
  }
  Acknowledgement::State state(Type type, const std::string& name) const {
    return stream.acknowledgement(snapshot, {type, name}).state;
  }

  /// Serves a cluster, its endpoints, a listener and its routes, all acknowledged.
  void serve_all() {
    put(Type::cluster, "c");
    put(Type::endpoints, "c");
    put(Type::listener, "l");
    put(Type::route, "l");
    ask(Type::cluster);
    ask(Type::listener);
    EXPECT_EQ(sent_and_acknowledged(), "Cluster c@1");
    ask(Type::endpoints, {"c"});
    EXPECT_EQ(sent_and_acknowledged(), "ClusterLoadAssignment c@1");
    EXPECT_EQ(sent_and_acknowledged(), "Listener l@1");
    ask(Type::route, {"l"});
    EXPECT_EQ(sent_and_acknowledged(), "RouteConfiguration l@1");
    EXPECT_EQ(sent(), "nothing");
  }

  Snapshot snapshot;
  DeltaStream stream;
  DeltaResponse last;
};

}  // namespace fairway::xds
