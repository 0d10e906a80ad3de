// SPDX-License-Identifier: Apache-2.0

// Updates whose operator is killed at a random moment, with another request in a third of them: each ends at
// what was asked for last, the history says what happened, and nothing is written twice or in a wrong order.
// FAIRWAY_ROUNDS is the number of updates (12), FAIRWAY_SEED chooses others.
#include <array>
#include <csignal>
#include <iostream>
#include <map>
#include <random>
#include <thread>

#include "operators/seen_objects.h"
#include "operators/updating_case.h"
#include "support/setting.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::setting;
using std::chrono::milliseconds;

/// Entries of the history that are compared, the newest: of a long one, some older ones go.
constexpr std::size_t compared = 5;

std::string version_of(int release) {
  return "4.6." + std::to_string(23 + release);
}

/// Request that a round makes besides that for its update, and when.
enum class Second { none, other_release, clear };
enum class When { before_kill, while_dead, after_start };

class KilledUpdates : public Updating {
 protected:
  using History = std::vector<std::string>;

  /// Adds the releases 0 to `count`: each has a map, a Deployment that is waited for, a map that is only
  /// created, one that the next release removes, and a last map.
  void add_releases(int count) {
    json::Array nodes, edges;
    for (int i = 0; i <= count; ++i) {
      const std::string version = version_of(i);
      Files files{
          {"0000_10_a.yaml", map_yaml("a", version)},
          {"0000_20_web.yaml", web_yaml(version)},
          {"0000_25_once.yaml", map_yaml("once", version, R"({release.openshift.io/create-only: "true"})")},
          {"0000_27_only.yaml", map_yaml("only-" + std::to_string(i), version)},
          {"0000_30_last.yaml", map_yaml("last", version)}};
      if (i > 0) {
        files.emplace_back("0000_28_gone.yaml", map_yaml("only-" + std::to_string(i - 1), version,
                                                         R"({release.openshift.io/delete: "true"})"));
      }
      add_release(version, files);
      nodes.push_back(json::Object{{"version", version}, {"payload", releases_.image(version)}});
      for (int from = std::max(0, i - 2); from < i; ++from) edges.push_back(json::Array{from, i});
    }
    stubs_.begin(
        json::Object{{"cincinnati", json::Object{{"body", json::Object{{"nodes", nodes}, {"edges", edges}}}}},
                     {"promql", json::Object()}});
  }
  static std::string web_yaml(const std::string& version) {
    return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n"
           "  selector: {matchLabels: {app: web}}\n  template:\n"
           "    metadata: {labels: {app: web}, annotations: {version: \"" +
           version +
           "\"}}\n"
           "    spec: {containers: [{name: web, image: \"example.com/web:1\"}]}\n";
  }

  void ask_for_release(int release) {
    ask_for({{"version", version_of(release)}, {"image", releases_.image(version_of(release))}});
  }
  /// Returns "Completed 4.6.24" and so on, the newest first.
  History entries() const {
    const std::string all = history();
    History result;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find(", ", at), all.size());
      result.push_back(all.substr(at, end - at));
      at = end + 2;
    }
    return result;
  }
  /// Returns the version of which the operator says that the cluster has it, once it has seen the spec; else
  /// "".
  std::string settled() const {
    const auto cluster = client_->get(kind_, key_);
    if (!cluster) return "";
    const json::Value* observed = cluster->find("status.observedGeneration");
    if (observed == nullptr || *observed != cluster->generation()) return "";
    const json::Value* status = cluster->find("status");
    const json::Value progressing = condition_of(*status, "Progressing");
    const json::Value& history = member(*status, "history");
    if (!history.is_array() || history.as_array().empty()) return "";
    const json::Value& newest = history.as_array().front();
    const std::string version = text(newest, "version");
    const bool is_done = text(newest, "state") == "Completed" && progressing.is_object() &&
                         text(progressing, "status") == "False" &&
                         text(progressing, "message") == "Cluster version is " + version;
    return is_done ? version : "";
  }
  /// Waits until all that was written was also seen.
  void see_all(const SeenObjects& seen) const {
    for (const char* name : {"a", "last", "once"}) {
      const auto object = client_->get(config_maps, {"default", name});
      ASSERT_TRUE(object) << name;
      ASSERT_TRUE(eventually([&] {
        return seen.newest(name) >= std::stoll(std::string(object->resource_version()));
      })) << name;
    }
    const auto web = client_->get(deployments, {"default", "web"});
    ASSERT_TRUE(web);
    ASSERT_TRUE(
        eventually([&] { return seen.newest("web") >= std::stoll(std::string(web->resource_version())); }));
  }
  /// Checks the times of the history: the one that runs has no end, each began when the one before it ended
  /// or later, and none ends before it begins.
  void expect_times() const {
    const json::Value now = status();
    std::string later;
    for (const json::Value& entry : member(now, "history").as_array()) {
      const std::string begun = text(entry, "startedTime"), ended = text(entry, "completionTime");
      EXPECT_FALSE(ended.empty()) << json::to_text(entry);
      EXPECT_LE(begun, ended) << json::to_text(entry);
      EXPECT_TRUE(later.empty() || ended <= later) << json::to_text(entry) << ", and the next at " << later;
      later = begun;
    }
  }
  /// Sleeps for a random part of `longest`: the moment is what the test tries, and it waits for nothing.
  void pass_time(milliseconds longest) {
    std::this_thread::sleep_for(milliseconds(random_() % static_cast<unsigned>(longest.count() + 1)));
  }

  std::mt19937 random_{static_cast<unsigned>(setting("FAIRWAY_SEED", 1))};
};

/// Returns the values of the object in their order.
std::vector<std::string> values_of(const std::vector<SeenValue>& seen, const std::string& name) {
  std::vector<std::string> values;
  for (const SeenValue& one : seen) {
    if (one.name == name) values.push_back(one.value);
  }
  return values;
}

/// Returns whether `values` are all of `allowed`, in its order, each at most once.
bool is_part_of(const std::vector<std::string>& values, const std::vector<std::string>& allowed) {
  auto next = allowed.begin();
  for (const std::string& value : values) {
    next = std::find(next, allowed.end(), value);
    if (next == allowed.end()) return false;
    ++next;
  }
  return true;
}

/// Returns a release's name for what was written of it before an object of an earlier step had it.
std::string written_too_early(const std::vector<SeenValue>& seen, std::map<std::string, std::string> state) {
  for (const SeenValue& one : seen) {
    state[one.name] = one.value;
    if (one.name == "web" && state["a"] != one.value) return "web of " + one.value;
    if (one.name == "last" && (state["a"] != one.value || state["web"] != one.value))
      return "last of " + one.value;
  }
  return "";
}

TEST_F(KilledUpdates, EndAtWhatWasAskedForLast) {
  const int rounds = setting("FAIRWAY_ROUNDS", 12);
  add_releases(2 * rounds + 1);
  SeenObjects seen(client_);
  write_cluster(spec());
  start_operator();
  // What runs already is looked after in no order.
  ASSERT_TRUE(eventually([&] {
    return settled() == version_of(0) &&
           std::ranges::all_of(std::array{"a", "once", "only-0", "last"},
                               [&](const char* name) { return value(name) == version_of(0); });
  })) << why();
  // An admin changes what is only created.
  ASSERT_TRUE(client_->patch(config_maps, {"default", "once"}, kube::PatchType::merge,
                             json::parse(R"({"data":{"a":"mine"}})").value()));

  // How long an update takes here that nobody disturbs.
  const auto begun = std::chrono::steady_clock::now();
  int current = 1;
  ask_for_release(current);
  ASSERT_TRUE(eventually([&] { return settled() == version_of(1); })) << why();
  const auto usual =
      std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun) + milliseconds(20);
  ASSERT_NO_FATAL_FAILURE(see_all(seen));
  seen.take();

  std::map<std::string, int> outcomes;
  for (int round = 0; round < rounds; ++round) {
    const History before = entries();
    const std::string running = version_of(current), first = version_of(current + 1);
    const auto second = static_cast<Second>(random_() % 9 < 6 ? 0 : 1 + random_() % 2);
    const auto when = static_cast<When>(random_() % 3);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + running + " to " + first + ", second request " +
                 std::to_string(static_cast<int>(second)) + " at " + std::to_string(static_cast<int>(when)));
    const auto ask_again = [&] {
      if (second == Second::other_release) ask_for_release(current + 2);
      if (second == Second::clear) write_spec(spec());
    };
    ask_for_release(current + 1);
    pass_time(usual);
    if (when == When::before_kill) {
      ask_again();
      pass_time(usual);
    }
    process_->end(SIGKILL);
    if (when == When::while_dead) ask_again();
    start_operator();
    if (when == When::after_start) {
      pass_time(usual);
      ask_again();
    }
    const std::string last = version_of(current + (second == Second::other_release ? 2 : 1));
    ASSERT_TRUE(eventually([&] {
      const std::string version = settled();
      return second == Second::clear ? !version.empty() : version == last;
    })) << why();

    // What can have happened, by the history.
    History after = entries();
    after.resize(std::min(after.size(), compared));
    const auto with = [&](History newer) {
      newer.insert(newer.end(), before.begin(), before.end());
      newer.resize(std::min(newer.size(), compared));
      return newer;
    };
    std::vector<std::pair<int, History>> possible;
    if (second == Second::none) possible.push_back({1, with({"Completed " + first})});
    if (second == Second::other_release) {
      for (const History& newer :
           {History{"Completed " + last}, History{"Completed " + last, "Partial " + first},
            History{"Completed " + last, "Completed " + first}})
        possible.push_back({2, with(newer)});
    }
    if (second == Second::clear) {
      possible = {{0, with({})},
                  {0, with({"Completed " + running, "Partial " + first})},
                  {1, with({"Completed " + first})}};
    }
    const auto happened = std::ranges::find(possible, after, &std::pair<int, History>::second);
    ASSERT_TRUE(happened != possible.end()) << why();
    ++outcomes[std::to_string(static_cast<int>(second)) + "." + std::to_string(happened - possible.begin())];
    expect_times();

    // What was written.
    const std::string now = version_of(current + happened->first);
    ASSERT_NO_FATAL_FAILURE(see_all(seen));
    const std::vector<SeenValue> written = seen.take();
    std::vector<std::string> allowed;
    // Where the history says that nothing was begun, nothing was written.
    if (second != Second::clear || happened != possible.begin()) allowed = {first};
    if (!allowed.empty() && now != first) allowed.push_back(now);
    for (const char* name : {"a", "web", "last"}) {
      EXPECT_TRUE(is_part_of(values_of(written, name), allowed))
          << name << ": " << ::testing::PrintToString(values_of(written, name)) << " of "
          << ::testing::PrintToString(allowed);
    }
    EXPECT_EQ(written_too_early(written, {{"a", running}, {"web", running}, {"last", running}}), "");
    EXPECT_EQ(values_of(written, "once"), std::vector<std::string>());
    EXPECT_EQ(value("a"), now);
    EXPECT_EQ(value("last"), now);
    EXPECT_EQ(value("once"), "mine");
    EXPECT_EQ(value("only-" + std::to_string(current + happened->first)), now);
    EXPECT_EQ(value("only-" + std::to_string(current + happened->first - 1)), "none");
    current += happened->first;
    if (HasFailure()) {
      ADD_FAILURE() << why();
      return;
    }
  }
  std::string told;
  for (const auto& [outcome, count] : outcomes) told += " " + outcome + ": " + std::to_string(count);
  std::cout << rounds << " updates, an undisturbed one takes " << usual.count()
            << " ms; second request and outcome:" << told << "\n";
}

}  // namespace
}  // namespace fairway::operators::testing
