// SPDX-License-Identifier: Apache-2.0

// The recorded cases of run levels, and of the pruning of the history, with the program.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "operators/recorded_progress.h"
#include "operators/updating_case.h"
#include "support/case_count.h"
#include "support/cases.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::field;
using fairway::testing::read_cases;

const k8s::GroupVersionResource jobs{"batch", "v1", "jobs"};
/// Number of history entries that are kept.
constexpr std::size_t history_limit = 100;

class RecordedOrder : public Updating {
 protected:
  void start_with(const json::Value& history, const std::string& running) {
    write_cluster(
        spec(),
        json::Object{{"availableUpdates", nullptr},
                     {"desired", json::Object{{"version", running}, {"image", releases_.image(running)}}},
                     {"observedGeneration", 1},
                     {"versionHash", "x"},
                     {"history", history}});
    start_operator({"--data", (folder_ / ("data-" + std::to_string(++started_))).string()});
  }
  static json::Object entry(bool completed, const std::string& version, const std::string& image) {
    return {{"state", completed ? "Completed" : "Partial"},
            {"startedTime", "2026-01-01T00:00:00Z"},
            {"completionTime", "2026-01-01T01:00:00Z"},
            {"version", version},
            {"image", image},
            {"verified", false}};
  }
  void stop_operator() {
    process_->end(SIGKILL);
    process_.reset();
  }

  /// Returns the object of a file: files that end in `_job.yaml` hold Jobs.
  static std::string yaml_of(const std::string& file, const std::string& name) {
    if (!file.ends_with("_job.yaml")) return map_yaml(name, "1");
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
           ", namespace: default}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: j, "
           "image: "
           "\"example.com/j:1\"}]}}}\n";
  }
  /// Returns the number of the last write of an object; 0: it does not exist.
  long write_of(const std::string& file, const std::string& name) const {
    const auto object = client_->get(kind_of(file), {"default", name});
    if (!object) return 0;
    return std::strtol(std::string(object->text("metadata.resourceVersion")).c_str(), nullptr, 10);
  }
  static const k8s::GroupVersionResource& kind_of(const std::string& file) {
    return file.ends_with("_job.yaml") ? jobs : config_maps;
  }
  void complete_job(const std::string& name) {
    const auto done = json::parse(
        R"({"status":{"succeeded":1,"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:01:00Z",)"
        R"("conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}]}})");
    const auto written =
        client_->patch(jobs, {"default", name}, kube::PatchType::merge, done.value(), "status");
    EXPECT_TRUE(written) << written.error().message;
  }

  int started_ = 0;
};

/// Returns for each file the files that are applied before it, from the nodes of a case, each with its files
/// in series.
std::map<std::string, std::set<std::string>> files_before(const json::Array& nodes) {
  std::vector<std::set<std::string>> done(nodes.size());  // by the end of a node
  std::map<std::string, std::set<std::string>> before;
  for (std::size_t round = 0; round < nodes.size(); ++round) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::set<std::string> earlier;
      for (const json::Value& from : items(nodes[i], "in"))
        earlier.merge(std::set(done.at(static_cast<std::size_t>(from.as_int64()))));
      for (const json::Value& task : items(nodes[i], "tasks")) {
        before[std::string(task.as_string())] = earlier;
        earlier.emplace(task.as_string());
      }
      done[i] = std::move(earlier);
    }
  }
  return before;
}

TEST_F(RecordedOrder, IsThatOfTheRunLevels) {
  const auto path = fairway::testing::shared_path("data/operator/apply-status/task-graph.json");
  FAIRWAY_NEEDS_SHARED(path);
  fairway::testing::CaseCount cases("run levels with the program", 4);
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  for (const json::Value& one : read_cases(path.string())) {
    SCOPED_TRACE(fairway::testing::text(one, "name"));
    cases.begin();
    std::map<std::string, std::string> names;  // of files
    Files files;
    for (const json::Value& file : field(one, "files").as_array()) {
      const std::string name = "ordered-" + std::to_string(names.size());
      names[std::string(file.as_string())] = name;
      files.emplace_back(file.as_string(), yaml_of(std::string(file.as_string()), name));
    }
    add_release("4.6.24", files);
    offer();
    if (fairway::testing::text(one, "mode") == "updating") {
      start_with(json::Array{entry(true, "4.6.23", releases_.image("4.6.23"))}, "4.6.23");
      ask_for({{"version", "4.6.24"}, {"image", releases_.image("4.6.24")}});
    } else {
      json::Object begun = entry(false, "4.6.24", releases_.image("4.6.24"));
      begun["completionTime"] = nullptr;
      start_with(json::Array{std::move(begun)}, "4.6.24");
    }
    const auto before = files_before(field(one, "expectedNodes").as_array());
    std::map<std::string, long> writes;
    EXPECT_TRUE(eventually([&] {
      for (const auto& [file, name] : names) {
        if (!file.ends_with("_job.yaml") || writes.contains(file) || write_of(file, name) == 0) continue;
        // What comes after a Job waits until it is done.
        for (const auto& [later, earlier] : before) {
          if (earlier.contains(file)) {
            EXPECT_EQ(write_of(later, names[later]), 0) << later << " before " << file;
          }
        }
        writes[file] = write_of(file, name);
        complete_job(name);
      }
      return history().starts_with("Completed 4.6.24");
    })) << why();
    for (const auto& [file, name] : names) {
      if (!writes.contains(file)) writes[file] = write_of(file, name);
    }
    for (const auto& [file, earlier] : before) {
      for (const std::string& other : earlier)
        EXPECT_LT(writes[other], writes[file]) << other << ", " << file;
    }
    EXPECT_EQ(before.size(), names.size());
    stop_operator();
    for (const auto& [file, name] : names)
      EXPECT_TRUE(
          client_->remove(kind_of(file), {"default", name}, {.propagation = kube::Propagation::background}));
  }
}

TEST_F(RecordedOrder, OfAHistoryIsPruned) {
  const auto path = fairway::testing::shared_path("data/operator/apply-status/history-prune.json");
  FAIRWAY_NEEDS_SHARED(path);
  std::size_t all = 0, others = 0;
  for (const json::Value& one : read_cases(path.string())) {
    const json::Array& recorded = field(one, "history").as_array();
    // The program keeps a hundred entries, and no other number.
    if (number(one, "maxSize") != history_limit || recorded.size() != history_limit + 1) {
      ++others;
      continue;
    }
    ++all;
    SCOPED_TRACE(fairway::testing::text(one, "name"));
    json::Array history;
    std::string newest, running;
    for (const json::Value& said : recorded) {
      const std::string letters(said.as_string());
      const bool completed = letters.starts_with("C:");
      const std::string version = letters.substr(2);
      if (newest.empty()) {
        newest = version;
        add_release(version, {{"0000_10_a_1.yaml", map_yaml("a", version)}});
        continue;
      }
      if (running.empty()) {
        running = version;
        add_release(version, {{"0000_10_a_1.yaml", map_yaml("a", version)}});
      }
      history.push_back(entry(completed, version,
                              version == running ? releases_.image(version) : "quay.io/r@sha256:" + version));
    }
    add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
    offer();
    start_with(history, running);
    ask_for({{"version", newest}, {"image", releases_.image(newest)}, {"force", true}});
    EXPECT_TRUE(eventually([&] { return this->history().starts_with("Completed " + newest); })) << why();
    json::Array left;
    const json::Value now = status();
    for (const json::Value& said : items(now, "history"))
      left.emplace_back((text(said, "state") == "Completed" ? "C:" : "P:") + text(said, "version"));
    EXPECT_EQ(json::to_text(left), json::to_text(field(one, "expected")));
    stop_operator();
  }
  std::printf(
      "pruning of the history with the program: %zu tried, %zu of other lengths are for the library\n", all,
      others);
}

}  // namespace
}  // namespace fairway::operators::testing
