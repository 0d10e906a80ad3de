// SPDX-License-Identifier: Apache-2.0

// Every sequence of three requests, at every state of an update: what the cluster goes to. The table was made
// from the rules of docs/operator.md, and not by this program.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/semver.h"
#include "base/text.h"
#include "operators/desired_update.h"
#include "payload/preconditions.h"
#include "payload/update_status.h"
#include "support/cases.h"
#include "support/table.h"

namespace fairway::operators {
namespace {

std::string image_of(std::string_view version) {
  return "registry.example.com/release@sha256:" + std::string(version);
}

/// Versions that are asked for, and the updates of the two channels.
struct World {
  std::string version, image;
  std::map<std::string, std::vector<std::string>> channels;
};

const World& world(const std::string& name) {
  static const World patch{"4.6.25", "4.6.26", {{"a", {"4.6.24", "4.6.25"}}, {"b", {"4.6.24"}}}};
  static const World minor{"4.7.1", "4.7.2", {{"a", {"4.6.24", "4.7.1"}}, {"b", {"4.6.24"}}}};
  return name == "patch" ? patch : minor;
}

/// Entries of the history, the newest first: "4.6.24", and "4.6.23+" for one that was completed.
std::string history_of(const std::string& state) {
  if (state == "resting") return "4.6.23+ 4.6.22+";
  if (state == "updating") return "4.6.24 4.6.23+ 4.6.22+";
  if (state == "updating-again") return "4.6.24 4.6.23 4.6.22+";
  return "4.6.23";
}

/// A cluster without a program: each request is decided, checked and recorded as the program does it.
class Cluster {
 public:
  Cluster(const World& world, const std::string& state, bool completes)
      : world_(world), completes_(completes) {
    cluster_.set("spec.clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a");
    cluster_.set("spec.channel", "a");
    const std::string entries = history_of(state);
    for (const std::string_view word : split(entries, ' ')) {
      const bool completed = word.ends_with('+');
      const std::string version(word.substr(0, word.size() - (completed ? 1 : 0)));
      cluster_.array("status.history")
          .push_back(json::Object{{"state", completed ? "Completed" : "Partial"},
                                  {"version", version},
                                  {"image", image_of(version)}});
    }
    if (state.starts_with("updating")) ask_for_image("4.6.24");
    list();
  }

  void request(std::string_view what) {
    const std::string current(cluster_.history().front().version());
    if (what == "version") {
      cluster_.set("spec.desiredUpdate", json::Object{{"version", world_.version}});
    } else if (what == "image") {
      ask_for_image(world_.image);
    } else if (what == "clear") {
      cluster_.object("spec").erase("desiredUpdate");
    } else if (what == "channel") {
      cluster_.set("spec.channel", cluster_.channel() == "a" ? "b" : "a");
      list();
    } else {
      for (const auto& entry : cluster_.history()) {
        if (entry.version() == current) continue;
        ask_for_image(std::string(entry.version()));
        break;
      }
    }
  }

  /// Returns the version that the cluster goes to, with "?" for an invalid spec and "!" for a refusal.
  std::string settle() {
    const WantedRelease wanted = wanted_release(cluster_, false);
    const std::string running(cluster_.history().front().image());
    std::string flag = wanted.invalid.empty() ? "" : "?";
    if (wanted.image != running) {
      const std::string version = wanted.image.substr(wanted.image.find("sha256:") + 7);
      if (payload::check_preconditions(cluster_, {version, wanted.image}, wanted.force).blocked) {
        flag = "!";
      } else {
        record(version, false);
        list();
      }
    }
    const std::string now(cluster_.history().front().version());
    if (completes_) record(now, true);
    return now + flag;
  }

 private:
  void ask_for_image(const std::string& version) {
    cluster_.set("spec.desiredUpdate", json::Object{{"version", version}, {"image", image_of(version)}});
  }

  void record(const std::string& version, bool completed) {
    payload::write_update_status(
        cluster_, {.version = version, .image = image_of(version), .completed = completed}, {});
  }

  /// Lists the updates of the channel from the release that runs.
  void list() {
    const std::string current(cluster_.history().front().version());
    cluster_.set("status.desired", json::Object{{"version", current}, {"image", image_of(current)}});
    json::Array available;
    for (const std::string& version : world_.channels.at(std::string(cluster_.channel()))) {
      if (compare_precedence(Version::parse(version).value(), Version::parse(current).value()) > 0)
        available.push_back(json::Object{{"version", version}, {"image", image_of(version)}});
    }
    cluster_.set("status.availableUpdates", available);
  }

  const World& world_;
  const bool completes_;
  openshift::ClusterVersion cluster_ =
      k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
};

TEST(RequestsTest, GoWhereTheTableSays) {
  std::size_t walked = 0;
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/operators/data/requests.tsv")) {
    ASSERT_EQ(row.columns.size(), 5U);
    for (const bool completes : {false, true}) {
      SCOPED_TRACE(row.columns[0] + ", " + row.columns[1] + ": " + row.columns[2] +
                   (completes ? ", each ends" : ", none ends"));
      Cluster cluster(world(row.columns[0]), row.columns[1], completes);
      std::string went;
      for (const std::string_view request : split(row.columns[2], ' ')) {
        cluster.request(request);
        went += (went.empty() ? "" : " ") + cluster.settle();
      }
      EXPECT_EQ(went, row.columns[completes ? 4 : 3]);
      ++walked;
    }
  }
  EXPECT_EQ(walked, 2U * 2 * 4 * 5 * 5 * 5);
}

}  // namespace
}  // namespace fairway::operators
