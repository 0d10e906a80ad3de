// SPDX-License-Identifier: Apache-2.0

// `fairway operator` taking updates: releases from a registry of this process, applied to an API server of
// it.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/server_case.h"
#include "operators/fake_releases.h"
#include "operators/operator_case.h"

namespace fairway::operators::testing {

using apiserver::testing::config_maps;
using apiserver::testing::deployments;
using fairway::testing::deployment;
using fairway::testing::eventually;

class Updating : public OperatorCase {
 protected:
  void add_release(const std::string& version, const Files& files) { releases_.add(version, files); }
  /// Offers each release as an update of each earlier one; 4.7.4 only if the risk R does not apply, which is
  /// so.
  void offer() {
    json::Array nodes, edges, conditional;
    int count = 0;
    for (const auto& [version, image] : releases_.images()) {
      nodes.push_back(json::Object{{"version", version}, {"payload", image}});
      for (int from = 0; from < count; ++from) {
        if (version != "4.7.4") edges.push_back(json::Array{from, count});
      }
      ++count;
    }
    if (releases_.images().contains("4.7.4")) {
      conditional.push_back(json::Object{
          {"edges", json::Array{json::Object{{"from", "4.6.23"}, {"to", "4.7.4"}}}},
          {"risks",
           json::Array{json::Object{{"url", "https://example.com/R"},
                                    {"name", "R"},
                                    {"message", "R message."},
                                    {"matchingRules", json::Array{json::Object{{"type", "Always"}}}}}}}});
    }
    stubs_.begin(json::Object{
        {"cincinnati",
         json::Object{
             {"body", json::Object{{"nodes", nodes}, {"edges", edges}, {"conditionalEdges", conditional}}}}},
        {"promql", json::Object()}});
  }
  void start_operator(const std::vector<std::string>& more = {}) { process_ = start(flags(more)); }
  std::vector<std::string> flags(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> flags{"--upstream",
                                   stubs_.upstream(),
                                   "--prometheus",
                                   stubs_.prometheus(),
                                   "--release",
                                   "4.6.23=" + releases_.image("4.6.23"),
                                   "--data",
                                   (folder_ / "data").string(),
                                   "--migration-settle",
                                   "0s",
                                   "--registry-plain-http"};
    if (unsigned_releases_) flags.emplace_back("--allow-unsigned-releases");
    // What a test gives itself replaces what is given to all.
    for (std::size_t i = 0; i < more.size(); ++i) {
      const auto known = std::ranges::find(flags, more[i]);
      if (known == flags.end() || i + 1 == more.size()) {
        flags.push_back(more[i]);
      } else {
        *std::next(known) = more[++i];
      }
    }
    return flags;
  }
  /// Begins with 4.6.23 and its updates.
  void begin(const std::vector<std::string>& more = {}) {
    offer();
    write_cluster(spec());
    start_operator(more);
    ASSERT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("True PayloadLoaded"); }))
        << why();
    ASSERT_TRUE(eventually([&] { return value("a") == "1"; })) << why();
    ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").starts_with("True"); })) << why();
  }

  static json::Object spec() {
    return json::Object{{"clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a"}, {"channel", "stable-4.7"}};
  }
  void ask_for(const json::Object& update) {
    json::Object whole = spec();
    whole["desiredUpdate"] = update;
    write_spec(whole);
  }
  /// Returns "True PayloadLoaded: message".
  std::string said(const std::string& type) const {
    const json::Value condition = condition_of(status(), type);
    if (!condition.is_object()) return "none";
    return text(condition, "status") + " " + text(condition, "reason") + ": " + text(condition, "message");
  }
  /// Returns "Completed 4.7.4, Partial 4.6.24", the newest first.
  std::string history() const {
    std::string all;
    const json::Value now = status();
    const json::Value& list = member(now, "history");
    if (!list.is_array()) return "";
    for (const json::Value& entry : list.as_array())
      all += (all.empty() ? "" : ", ") + text(entry, "state") + " " + text(entry, "version");
    return all;
  }
  json::Value newest() const { return member(status(), "history").as_array().at(0); }
  std::string value(const std::string& name) const {
    const auto object = client_->get(config_maps, {"default", name});
    return object ? std::string(object->text("data.a")) : "none";
  }
  void roll_out() {
    ASSERT_TRUE(client_->patch(
        deployments, {"default", "web"}, kube::PatchType::merge,
        json::parse(R"({"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,)"
                    R"("availableReplicas":1}})")
            .value(),
        "status"));
  }
  std::string why() const { return json::to_text(status()) + "\n" + log(); }

  /// True if signatures are not required, as the test is about something else.
  bool unsigned_releases_ = true;
  FakeReleases releases_;
  Stubs stubs_;
  std::unique_ptr<fairway::testing::Process> process_;
};

}  // namespace fairway::operators::testing
