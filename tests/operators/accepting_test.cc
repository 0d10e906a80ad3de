// SPDX-License-Identifier: Apache-2.0

// The recorded cases of accepting an update, with the program: releases from a registry of this process, and
// ClusterVersion as the case has it.
#include <set>

#include "operators/fake_releases.h"
#include "operators/operator_case.h"
#include "support/accepted_risks.h"
#include "support/case_count.h"
#include "support/cases.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::eventually;
using fairway::testing::FakeService;
using fairway::testing::field;

/// docs/compatibility.md says why.
const std::set<std::string> for_the_library_alone{
    // A release whose own version is none is refused before (VerifyPayloadVersion).
    "target-not-semver",
    // What runs has no version, so that it cannot be read: whether it has keys for releases is not known, and
    // an
    // update wants force.
    "current-not-semver",
    // The operator writes RetrievedUpdates before it begins an update.
    "not-in-graph-no-retrieved"};

std::filesystem::path cases_path() {
  return fairway::testing::shared_path("data/operator/preconditions/cases.json");
}

class Accepting : public OperatorCase {
 protected:
  /// Starts the operator with an update service that does not answer, so that ClusterVersion stays as the
  /// case has it.
  void start_operator(const json::Value& input) {
    std::vector<std::string> flags{"--upstream",
                                   silent_.url("/api/upgrades_info/graph"),
                                   "--prometheus",
                                   "http://127.0.0.1:1",
                                   "--data",
                                   (folder_ / "data").string(),
                                   "--registry-plain-http",
                                   "--allow-unsigned-releases"};
    if (field(input, "acceptRisksFeatureGate") == true)
      flags.emplace_back("--feature-gates=ClusterUpdateAcceptRisks=true");
    process_ = start(flags);
  }
  void stop_operator() {
    process_->end(SIGKILL);
    process_.reset();
  }

  /// Returns the case's ClusterVersion, with the image that the registry has of the target.
  json::Value cluster_of(const json::Value& input) {
    const std::string version = text(input, "targetVersion");
    json::Value cluster = field(input, "clusterVersion");
    if (version.empty()) return cluster;
    if (!releases_.images().contains(version))
      releases_.add(version, {{"0000_10_a_1.yaml", map_yaml("a", version)}});
    std::string whole = json::to_text(cluster);
    const json::Value& status = member(cluster, "status");
    const auto take = [&](const json::Value& release) {
      if (text(release, "version") == version)
        whole = replaced(whole, text(release, "image"), releases_.image(version));
    };
    for (const json::Value& release : items(status, "availableUpdates")) take(release);
    for (const json::Value& update : items(status, "conditionalUpdates")) take(member(update, "release"));
    for (const json::Value& entry : items(status, "history")) take(entry);
    cluster = json::parse(whole).value();
    json::Object wanted{{"version", version}, {"image", releases_.image(version)}};
    if (field(input, "force") == true) wanted["force"] = true;
    cluster.as_object()["spec"].as_object()["desiredUpdate"] = std::move(wanted);
    return cluster;
  }

  /// Gives ClusterVersion an image of the current release that can be pulled: then nothing is retried, and it
  /// is known to have no keys.
  void pull_what_runs(json::Value& cluster) {
    const json::Array history = items(member(cluster, "status"), "history");
    if (history.empty()) return;
    const std::string version = text(history.front(), "version"), image = text(history.front(), "image");
    if (!releases_.images().contains(version))
      releases_.add(version, {{"0000_10_a_1.yaml", map_yaml("a", version)}});
    cluster = json::parse(replaced(json::to_text(cluster), image, releases_.image(version))).value();
  }

  static json::Array items(const json::Value& value, std::string_view key) {
    const json::Value& list = member(value, key);
    return list.is_array() ? list.as_array() : json::Array();
  }
  json::Value accepted() const { return condition_of(status(), "ReleaseAccepted"); }
  std::string why() const { return json::to_text(status()) + "\n" + log(); }

  FakeReleases releases_;
  FakeService silent_{fairway::testing::never};
  std::unique_ptr<fairway::testing::Process> process_;
};

/// Returns the `acceptedRisks` that a case expects, with the sentence of the enhancement in place of the
/// recorded older one.
std::string accepted_text(const json::Value& one, const json::Value& cluster) {
  std::string said = text(field(one, "expected"), "historyAcceptedRisks");
  const json::Value& status = member(cluster, "status");
  const std::string from = text(member(status, "desired"), "version"),
                    to = text(field(one, "input"), "targetVersion");
  const json::Value& updates = member(status, "conditionalUpdates");
  if (!updates.is_array()) return said;
  for (const json::Value& update : updates.as_array()) {
    const json::Value recommended = condition_of(update, "Recommended");
    if (text(member(update, "release"), "version") != to || !recommended.is_object()) continue;
    const std::string reason = text(recommended, "reason");
    said = fairway::testing::accepted_in_words_of_enhancement(std::move(said), from, to, reason);
  }
  return said;
}

TEST_F(Accepting, IsAsInTheRecordedCases) {
  FAIRWAY_NEEDS_SHARED(cases_path());
  fairway::testing::CaseCount cases("preconditions with the program", 16);
  for (const json::Value& one : fairway::testing::read_cases(cases_path().string())) {
    const json::Value& input = field(one, "input");
    const json::Value& expected = field(one, "expected");
    if (json::find(expected, "blocked") == nullptr || for_the_library_alone.contains(text(one, "name")))
      continue;
    SCOPED_TRACE(text(one, "name"));
    cases.begin();
    json::Value cluster = cluster_of(input);
    pull_what_runs(cluster);
    write_cluster(member(cluster, "spec"), member(cluster, "status"));
    const std::string version = text(input, "targetVersion"), image = releases_.image(version);
    const auto begun = [&] {
      const json::Array history = items(status(), "history");
      return !history.empty() && text(history.front(), "image") == image;
    };
    start_operator(input);
    if (field(expected, "blocked") == true) {
      EXPECT_TRUE(eventually([&] { return text(accepted(), "reason") == "PreconditionChecks"; })) << why();
      EXPECT_EQ(text(accepted(), "status"), "False");
      EXPECT_EQ(text(accepted(), "message"), "Preconditions failed for payload loaded version=\"" + version +
                                                 "\" image=\"" + image +
                                                 "\": " + text(expected, "summaryMessage"));
      EXPECT_FALSE(begun()) << why();
    } else {
      EXPECT_TRUE(eventually(begun)) << why();
      const json::Array history = items(status(), "history");
      if (!history.empty()) {
        EXPECT_EQ(fairway::testing::without_unsigned(text(history.front(), "acceptedRisks")),
                  accepted_text(one, cluster));
      }
    }
    stop_operator();
  }
}

TEST_F(Accepting, SaysWhatIsNotValidAsInTheRecordedCases) {
  FAIRWAY_NEEDS_SHARED(cases_path());
  std::size_t by_schema = 0;
  fairway::testing::CaseCount cases("validation with the program", 11);
  for (const json::Value& one : fairway::testing::read_cases(cases_path().string())) {
    const json::Value* errors = json::find(field(one, "expected"), "validationErrors");
    if (errors == nullptr) continue;
    SCOPED_TRACE(text(one, "name"));
    cases.begin();
    const json::Value& input = field(one, "input");
    json::Value cluster = cluster_of(input);
    pull_what_runs(cluster);
    [[maybe_unused]] const auto removed = client_->remove(kind_, key_);  // of the case before
    auto object = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
    object.set("spec", member(cluster, "spec"));
    const auto created = client_->create(kind_, object);
    if (!created) {
      // The definition refuses it: no operator has to.
      EXPECT_FALSE(errors->as_array().empty()) << created.error().message;
      ++by_schema;
    } else {
      k8s::Dynamic with_status = *created;
      with_status.set("status", member(cluster, "status"));
      const auto written = client_->replace(kind_, with_status, "status");
      ASSERT_TRUE(written) << written.error().message;
      start_operator(input);
      EXPECT_TRUE(eventually([&] { return accepted().is_object(); })) << why();
      const json::Value invalid = condition_of(status(), "Invalid");
      EXPECT_EQ(invalid.is_object(), !errors->as_array().empty()) << why();
      for (const json::Value& error : errors->as_array())
        EXPECT_TRUE(text(invalid, "message").contains(error.as_string())) << why();
      stop_operator();
    }
  }
  cases.record(std::to_string(by_schema) + " are refused by the definition");
}

}  // namespace
}  // namespace fairway::operators::testing
