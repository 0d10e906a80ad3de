// SPDX-License-Identifier: Apache-2.0

// Whatever a service, a release image or Prometheus says: the status that is written is one that the API
// server takes.
#include "operators/internal/censor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/cut_text.h"
#include "base/text.h"
#include "k8s/documents.h"
#include "operators/channel_list.h"
#include "operators/definitions.h"
#include "operators/update_lists.h"
#include "schema/list_types.h"
#include "schema/validator.h"

namespace fairway::operators {
namespace {

constexpr std::size_t mebi = 1 << 20;
/// Largest request that etcd accepts (--max-request-bytes).
constexpr std::size_t etcd_limit = 1'572'864;
const WallTime now = parse_time("2026-02-19T12:00:00Z").value();

std::string long_text(std::size_t bytes = 2 * mebi) {
  return std::string(bytes, 'x');
}

json::Object node(const std::string& version) {
  return json::Object{{"version", version},
                      {"payload", "registry.example.com/release:" + version},
                      {"metadata", json::Object{{"url", "https://example.com/" + version}}}};
}
template <class Value>
json::Object with(json::Object object, std::string_view key, const Value& value) {
  object[key] = value;
  return object;
}
json::Object with_metadata(json::Object one, std::string_view key, const std::string& value) {
  one["metadata"].as_object()[key] = value;
  return one;
}
json::Object risk(const std::string& name) {
  return json::Object{{"url", "https://example.com/risk"},
                      {"name", name},
                      {"message", "Something may happen."},
                      {"matchingRules", json::Array{json::Object{{"type", "Always"}}}}};
}
json::Object promql(const std::string& query) {
  return json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", query}}}};
}

/// An answer to a cluster that runs 4.6.23.
struct Answer {
  json::Array nodes{node("4.6.23")}, edges, conditional;

  void recommend(json::Object target) {
    edges.push_back(json::Array{0, static_cast<std::int64_t>(nodes.size())});
    nodes.push_back(std::move(target));
  }
  void warn(json::Object target, json::Array risks) {
    conditional.push_back(
        json::Object{{"edges", json::Array{json::Object{{"from", "4.6.23"}, {"to", target["version"]}}}},
                     {"risks", std::move(risks)}});
    nodes.push_back(std::move(target));
  }
  std::string text() const {
    return json::to_text(json::Object{{"nodes", nodes}, {"edges", edges}, {"conditionalEdges", conditional}});
  }
};

ListedRelease running() {
  ListedRelease release;
  release.version = "4.6.23";
  release.image = "registry.example.com/release:4.6.23";
  return release;
}

struct Case {
  const char* name;
  std::function<void(Answer&)> say;
  /// Text of IncompleteUpdates; empty: nothing is left out.
  const char* left_out = "";
  /// Reason why risks could not be evaluated; empty: each matches.
  std::string error = {};
  Finding retrieved = fairway::operators::retrieved();
  ListedRelease current = running();
  /// A version that is among the conditional updates; empty: not looked for.
  const char* listed = "";
};

/// Returns the size of a JSON text as Go writes it.
std::size_t bytes_of_go(const std::string& text) {
  return text.size() + 5 * static_cast<std::size_t>(std::ranges::count_if(
                               text, [](char c) { return c == '<' || c == '>' || c == '&'; }));
}

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

/// Returns the schema of ClusterVersion.
const json::Object& schema_of_cluster_version() {
  static const json::Object schema = [] {
    const auto documents = k8s::read_documents(definitions()).value();
    for (const k8s::Document& document : documents) {
      if (json::find_string(document.value.as_object().at("metadata"), "name") ==
          "clusterversions.config.openshift.io") {
        return document.value.as_object()
            .at("spec")
            .as_object()
            .at("versions")
            .as_array()
            .at(0)
            .as_object()
            .at("schema")
            .as_object()
            .at("openAPIV3Schema")
            .as_object();
      }
    }
    throw std::runtime_error("there is no definition of ClusterVersion");
  }();
  return schema;
}

class CensorTest : public ::testing::TestWithParam<Case> {
 protected:
  /// Returns a status written from the case.
  openshift::ClusterVersion written(bool accept_risks) const {
    Answer answer;
    GetParam().say(answer);
    Query query;
    query.channel = "stable-4.6";
    query.version = "4.6.23";
    const auto available = read_available_updates(answer.text(), query, "https://example.com");
    if (!available) throw std::runtime_error(available.error().message);
    std::vector<risk::UpdateVerdict> verdicts;
    for (const risk::ConditionalUpdate& update : available->updates) {
      risk::RiskVerdict one;
      one.outcome = GetParam().error.empty() ? risk::Outcome::matches : risk::Outcome::failed;
      one.error = GetParam().error;
      risk::UpdateVerdict verdict;
      verdict.risks.assign(update.risks.size(), one);
      verdict.recommended = risk::recommended(update.risks, verdict.risks);
      verdict.evaluating = {risk::Status::is_true, "PeriodicallyEvaluating", "As it should be."};
      verdicts.push_back(std::move(verdict));
    }
    const risk::Registry registry = risk::standard_registry();
    auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
    cluster.set("spec.clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a");
    const UpdateInputs inputs{.current = GetParam().current,
                              .retrieved = GetParam().retrieved,
                              .available = &*available,
                              .elsewhere = {},
                              .stale_since = {},
                              .verdicts = verdicts,
                              .registry = &registry,
                              .accept_risks = accept_risks,
                              .now = now};
    const payload::UnlistedUpdates unlisted = write_updates(cluster, inputs);
    EXPECT_EQ(cluster.conditional_updates().size() + unlisted.conditional.size(), available->updates.size())
        << "an update is lost";
    std::set<std::string> versions;
    for (const ListedRelease& release : available->unconditional) versions.insert(release.version);
    EXPECT_EQ(cluster.available_updates().size() + unlisted.available.size(), versions.size());
    const std::string once = json::to_text(json::Value(cluster.json()));
    write_updates(cluster, inputs);
    EXPECT_EQ(json::to_text(json::Value(cluster.json())).size(), once.size())
        << "the same writes another status";
    return cluster;
  }
};

TEST_P(CensorTest, WritesAStatusThatTheApiServerTakes) {
  static const schema::Validator validator(schema_of_cluster_version());
  for (const bool accept_risks : {false, true}) {
    SCOPED_TRACE(accept_risks ? "with acceptRisks" : "without acceptRisks");
    const openshift::ClusterVersion cluster = written(accept_risks);
    const json::Value object(cluster.json());
    for (const auto& problem : validator.validate(object))
      ADD_FAILURE() << problem.to_string().substr(0, 500);
    for (const auto& problem : schema::check_list_types(cluster.json(), schema_of_cluster_version()))
      ADD_FAILURE() << problem.to_string().substr(0, 500);
    const std::string text = json::to_text(object);
    EXPECT_LT(bytes_of_go(text), etcd_limit);
    EXPECT_TRUE(is_utf8(text));
    for (const k8s::Condition& condition : cluster.items<k8s::Condition>("status.conditions"))
      EXPECT_LE(condition.message().size(), 32'768U) << condition.type();
    // No update with risks that match is recommended, listed or not.
    for (const openshift::ReleaseView& release : cluster.available_updates())
      EXPECT_TRUE(release.version().starts_with("4.6.")) << release.version();
    if (const std::string_view listed = GetParam().listed; !listed.empty()) {
      EXPECT_TRUE(std::ranges::any_of(cluster.conditional_updates(), [&](const auto& update) {
        return update.release().version() == listed;
      }));
    }
    const auto incomplete = cluster.condition(incomplete_updates);
    const std::string said = incomplete ? std::string(incomplete->message()) : "";
    if (std::string_view(GetParam().left_out).empty()) {
      EXPECT_EQ(said, "");
    } else {
      EXPECT_TRUE(said.contains(GetParam().left_out)) << said;
    }
  }
}

/// Returns a change of the answer: 4.7.4 gets these risks.
std::function<void(Answer&)> warn_of(std::function<json::Array()> risks) {
  return [risks = std::move(risks)](Answer& answer) { answer.warn(node("4.7.4"), risks()); };
}

const Case cases[] = {
    {"nothing odd",
     [](Answer& answer) {
       answer.recommend(node("4.6.24"));
       answer.warn(node("4.7.4"), {risk("A"), risk("B")});
     }},
    {"a message of megabytes", warn_of([] { return json::Array{with(risk("A"), "message", long_text())}; })},
    {"a message of characters of several bytes", warn_of([] {
       std::string text = "x";
       for (int i = 0; i < 40'000; ++i) text += "é";
       return json::Array{with(risk("A"), "message", text)};
     })},
    {"control characters", warn_of([] {
       json::Array risks;
       for (int i = 0; i < 50; ++i)
         risks.push_back(with(risk("A" + std::to_string(i)), "message", std::string(30'000, '\x01')));
       return risks;
     }),
     "there is more about it than can be listed"},
    // Each of them six bytes where the API server of Go stores it.
    {"what means something in HTML",
     [](Answer& answer) {
       for (int i = 0; i < 40; ++i) {
         answer.warn(node("4.7." + std::to_string(i)),
                     {with(risk("A" + std::to_string(i)), "message", std::string(20'000, '<'))});
       }
     },
     "there is more about it than can be listed"},
    {"an update that is too large above another",
     [](Answer& answer) {
       answer.warn(node("4.7.5"),
                   {with(risk("A"), "matchingRules", json::Array{promql(long_text())}), risk("B")});
       answer.warn(node("4.7.4"), {risk("C")});
     },
     "the update to 4.7.5: there is more about it than can be listed", "", fairway::operators::retrieved(),
     running(), "4.7.4"},
    {"a name of megabytes", warn_of([] { return json::Array{risk(long_text())}; }), "its name is too long"},
    {"a name that is no reason", warn_of([] { return json::Array{risk("Füße – and more!")}; })},
    {"a name longer than a reason", warn_of([] { return json::Array{risk(long_text(2'000))}; })},
    {"a query of megabytes",
     warn_of([] { return json::Array{with(risk("A"), "matchingRules", json::Array{promql(long_text())})}; }),
     "there is more about it than can be listed"},
    {"rules of unknown types", warn_of([] {
       return json::Array{with(risk("A"), "matchingRules", json::Array{json::Object{{"type", "Moon"}}}),
                          risk("B")};
     }),
     "risk A of the update to 4.7.4: it has no rule that can be listed, so that the update is not listed"},
    {"only rules of unknown types", warn_of([] {
       return json::Array{with(risk("A"), "matchingRules", json::Array{json::Object{{"type", "Moon"}}})};
     }),
     "risk A of the update to 4.7.4: it has no rule that can be listed"},
    {"URLs that are none", warn_of([] {
       return json::Array{with(risk("A"), "url", "not a URL"), with(risk("B"), "url", "https://a#b.example"),
                          with(risk("C"), "url", "https://example.com/" + long_text())};
     }),
     "risk A of the update to 4.7.4: its URL is none that can be listed, so that the update is not listed"},
    {"more risks than can be listed", warn_of([] {
       json::Array risks;
       for (int i = 0; i < 300; ++i) risks.push_back(risk("A" + std::to_string(i)));
       return risks;
     }),
     "the update to 4.7.4: it cannot be listed: risks: Too many"},
    {"risks of one name", warn_of([] {
       return json::Array{risk("A"), with(risk("A"), "message", "Something else may happen.")};
     })},
    // All of them are in the list of risks, too, and together larger than an object may be.
    {"risks that are large together", warn_of([] {
       json::Array risks;
       for (int i = 0; i < 200; ++i)
         risks.push_back(with(risk("A" + std::to_string(i)), "message", long_text(20'000)));
       return risks;
     }),
     "there is more about it than can be listed"},
    {"updates whose risks are large together",
     [](Answer& answer) {
       for (int i = 0; i < 100; ++i) {
         answer.warn(node("4.7." + std::to_string(i)),
                     {with(risk("A" + std::to_string(i)), "message", long_text(20'000))});
       }
     },
     "can be listed"},
    {"more conditional updates than can be listed",
     [](Answer& answer) {
       for (int i = 0; i < 600; ++i) answer.warn(node("4.7." + std::to_string(i)), {risk("A")});
     },
     "there are more than can be listed"},
    {"more recommended updates than can be listed",
     [](Answer& answer) {
       for (int i = 0; i < 20'000; ++i) answer.recommend(node("4.6." + std::to_string(100 + i)));
     },
     "more updates are recommended than can be listed"},
    {"a release with a URL of megabytes",
     [](Answer& answer) { answer.recommend(with_metadata(node("4.6.24"), "url", long_text())); },
     "release 4.6.24: its URL is too long"},
    {"a release in a hundred thousand channels",
     [](Answer& answer) {
       std::string channels = "a";
       for (int i = 0; i < 100'000; ++i) channels += ",channel-" + std::to_string(i);
       answer.recommend(
           with_metadata(node("4.6.24"), "io.openshift.upgrades.graph.release.channels", channels));
     },
     "release 4.6.24: "},
    {"a release in one channel twice",
     [](Answer& answer) {
       answer.recommend(with_metadata(node("4.6.24"), "io.openshift.upgrades.graph.release.channels",
                                      "b,a,b,a," + long_text()));
     },
     "1 of its channels have names that are too long"},
    {"a version of megabytes", [](Answer& answer) { answer.recommend(node("4.6.24-" + long_text())); },
     "it is longer than 256 characters"},
    {"an image of megabytes",
     [](Answer& answer) {
       answer.recommend(with(node("4.6.24"), "payload", long_text()));
       answer.warn(with(node("4.7.4"), "payload", "a" + long_text()), {risk("A")});
     },
     "its image is too long"},
    {"errors of Prometheus of megabytes",
     warn_of([] { return json::Array{with(risk("A"), "matchingRules", json::Array{promql("q")})}; }), "",
     long_text() + "\xFF\xC3"},
    {"an error of the service that is no UTF-8", [](Answer&) {}, "", "",
     Finding{.reason = "RemoteFailed", .message = "\xFF" + long_text()}},
    {"a release image that says too much", [](Answer&) {}, "", "", retrieved(),
     [] {
       ListedRelease release = running();
       release.url = "https://example.com/" + long_text();
       release.channels = {"a", "b", long_text()};
       return release;
     }()},
};

INSTANTIATE_TEST_SUITE_P(All, CensorTest, ::testing::ValuesIn(cases), [](const auto& info) {
  std::string name;
  for (const char c : std::string_view(info.param.name)) name += std::isalnum(c) != 0 ? c : '_';
  return name;
});

TEST(Censor, KeepsDescriptionsOfChannelsWithinWhatIsStored) {
  const json::Object channels{{"stable-4.6", json::Object{{"description", long_text()}}},
                              {"Not A Name", json::Object()},
                              {long_text(300), json::Object()}};
  upstream::ServiceReply answer;
  answer.status = 200;
  answer.body.text = json::to_text(json::Object{{"channels", channels}});
  const ChannelList list = read_channel_list(answer);
  ASSERT_TRUE(list.channels);
  ASSERT_EQ(list.channels->size(), 1U);
  EXPECT_EQ(list.channels->begin()->first, "stable-4.6");
  EXPECT_EQ(list.channels->begin()->second, cut_text(long_text(), 32'768));
  EXPECT_EQ(list.finding.reason, "NamesRefused");
}

}  // namespace
}  // namespace fairway::operators
