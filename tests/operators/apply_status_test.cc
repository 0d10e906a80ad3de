// SPDX-License-Identifier: Apache-2.0

// The recorded cases of how an update is told, with the program: releases with as many manifests as a case
// counts, held up where it says.
#include <chrono>
#include <cstdio>
#include <mutex>

#include "apiserver/fake_webhook.h"
#include "oci/signing.h"
#include "openshift/cluster_operator.h"
#include "operators/recorded_progress.h"
#include "operators/seeded.h"
#include "operators/updating_case.h"
#include "support/cases.h"

namespace fairway::operators::testing {
namespace {

using Kind = Obstacle::Kind;

std::filesystem::path cases_path() {
  return fairway::testing::shared_path("data/operator/apply-status/conditions-and-history.json");
}

/// Returns the deliberate differences: the reason, and by step the expectation that replaces the recorded one
/// (null: the recorded one).
json::Value differences() {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/operators/data/apply_status_differences.json");
  return json::parse(text.value()).value();
}

class RecordedProgress : public Updating {
 protected:
  void SetUp() override {
    Updating::SetUp();
    const auto configuration = json::parse(
        R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
        "metadata":{"name":"obstacles"},"webhooks":[{"name":"obstacles.example.com","clientConfig":{"url":"https://)" +
        webhook_.address() + R"(/","caBundle":")" + webhook_.ca_bundle() +
        R"rules("},"admissionReviewVersions":["v1"],"sideEffects":"None","rules":[{"operations":["*"],
        "apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}],"matchConditions":[
        {"name":"obstacles","expression":"request.name.startsWith('obstacle-')"}]}]})rules");
    ASSERT_TRUE(configuration) << configuration.error().message;
    const auto made =
        client_->create({"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"},
                        k8s::Dynamic(configuration->as_object()));
    ASSERT_TRUE(made) << made.error().message;
  }

  /// Judges a case: returns the differences at the first step that has any, or nothing.
  std::string judge(const json::Value& one, const ProgressPlan& plan, const json::Value& different) {
    begin_case(one, plan);
    const json::Array steps = items(one, "steps");
    std::string fault;
    for (std::size_t i = 0; i < steps.size() && fault.empty(); ++i) {
      reach(steps, i);
      const json::Value& other =
          i < items(different, "steps").size() ? items(different, "steps")[i] : null_value();
      const json::Value& recorded = other.is_object() ? other : items(one, "expected")[i];
      const Comparable comparable(steps[i], releases_);
      const json::Value expected = comparable.expected(recorded);
      json::Value written;
      const bool as_expected = eventually([&] {
        written = comparable.written(status());
        if (written == expected) return true;
        pass_time(steps[i]);
        return false;
      });
      if (!as_expected) {
        fault = "step " + std::to_string(i) + "\nexpected " + json::to_text(expected) + "\nwritten  " +
                json::to_text(written) + "\n" + log();
      }
    }
    end_case();
    return fault;
  }

 private:
  void begin_case(const json::Value& one, const ProgressPlan& plan) {
    plan_ = plan;
    data_ = (folder_ / ("data-" + text(one, "name"))).string();
    ahead_ = begun_ = 0;
    set_clock(0);
    releases_.registry().set_fault({});
    begin_releases(one);
    const json::Array steps = items(one, "steps");
    const std::string version = version_of(steps.front());
    json::Object spec_of_case = spec();
    if (!items(steps.front(), "validationErrors").empty())
      spec_of_case = invalid(items(steps.front(), "validationErrors").size());
    json::Value status_of_case;
    if (member(steps.front(), "reconciling") != true) {
      close_all(version);
      status_of_case =
          json::Object{{"availableUpdates", nullptr},
                       {"desired", json::Object{{"version", version}, {"image", releases_.image(version)}}},
                       {"observedGeneration", 1},
                       {"versionHash", "x"},
                       {"history", json::Array{json::Object{{"state", "Partial"},
                                                            {"startedTime", "2026-01-01T00:00:00Z"},
                                                            {"completionTime", nullptr},
                                                            {"version", version},
                                                            {"image", releases_.image(version)},
                                                            {"verified", false}}}}};
    } else {
      open_all(version);
    }
    write_cluster(spec_of_case, status_of_case);
    start_again();
  }

  /// Adds the releases of the case, each of which may be updated to each other one.
  void begin_releases(const json::Value& one) {
    std::map<std::string, Files> wanted{{"4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}}}};
    for (const auto& [version, stages] : plan_.stages) wanted[version] = files_of(version, stages);
    json::Object accepted;  // version to the text of its risk
    for (const json::Value& step : items(one, "steps")) {
      const json::Value& load = member(step, "payloadLoad");
      if (const std::string version = refused_version(step); !version.empty())
        wanted.try_emplace(version, Files{{"0000_10_a_1.yaml", map_yaml("a", version)}});
      if (const std::string risk = text(load, "acceptedRisks"); !risk.empty())
        accepted[version_of(step)] = risk;
    }
    for (const auto& [version, files] : wanted) add_release(version, files);
    json::Array nodes, edges, conditional;
    for (const auto& [version, files] : wanted)
      nodes.push_back(json::Object{{"version", version}, {"payload", releases_.image(version)}});
    for (std::size_t from = 0; from < nodes.size(); ++from) {
      for (std::size_t to = 0; to < nodes.size(); ++to) {
        if (from == to) continue;
        const std::string target = text(nodes[to], "version");
        const std::string risk = text(json::Value(accepted), target);
        if (risk.empty()) {
          edges.push_back(json::Array{static_cast<int>(from), static_cast<int>(to)});
        } else {
          conditional.push_back(conditional_edge(text(nodes[from], "version"), target, risk));
        }
      }
    }
    stubs_.begin(json::Object{
        {"cincinnati",
         json::Object{
             {"body", json::Object{{"nodes", nodes}, {"edges", edges}, {"conditionalEdges", conditional}}}}},
        {"promql", json::Object()}});
    for (const std::string& version : plan_.verified) sign(version);
  }
  static json::Value conditional_edge(const std::string& from, const std::string& to,
                                      const std::string& accepted) {
    const std::string end = "not recommended:\n\n";
    const auto at = accepted.find(end);
    return json::Object{
        {"edges", json::Array{json::Object{{"from", from}, {"to", to}}}},
        {"risks", json::Array{json::Object{
                      {"url", "https://example.com/A"},
                      {"name", "A"},
                      {"message", at == std::string::npos ? accepted : accepted.substr(at + end.size())},
                      {"matchingRules", json::Array{json::Object{{"type", "Always"}}}}}}}};
  }

  void start_again() {
    std::vector<std::string> more{"--data", data_};
    if (needs_signatures_) {
      for (const std::string& flag : {"--public-keys=" + (folder_ / "keys").string(),
                                      "--signature-store=file://" + (folder_ / "store").string()})
        more.push_back(flag);
    }
    start_operator(more);
  }
  void end_case() {
    process_->end(SIGKILL);
    process_.reset();
    for (const std::string& name : operators_) [[maybe_unused]]
      const auto removed = client_->remove(operator_kind(), {"", name});
    operators_.clear();
    for (const auto& [version, stages] : plan_.stages) {
      for (const Stage& stage : stages) {
        for (const Obstacle& one : stage.obstacles) {
          if (one.is_workload()) [[maybe_unused]]
            const auto removed = client_->remove(deployments, {"default", one.name});
        }
      }
    }
    needs_signatures_ = false;
    passing_since_.reset();
  }

  /// Brings the cluster to the state before a step.
  void reach(const json::Array& steps, std::size_t at) {
    const json::Value& step = steps[at];
    const std::string version = version_of(step);
    passing_since_ = std::chrono::steady_clock::now();
    passed_ = 0;
    if (at > 0) go_on(steps[at - 1], step, at);
    const json::Value& failure = member(step, "failure");
    if (text(failure, "reason") == "UpdatePayloadRetrievalFailed") take_release_away(version);
    if (member(step, "reconciling") == true && failure.is_object()) close_all(version);
    int longest = 0;
    const json::Object durations = object_of(step, "clusterOperatorUpdatingFor");
    for (const auto& duration : durations) {
      const auto time = parse_duration(std::string(duration.value().as_string())).value();
      longest =
          std::max(longest, static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(time).count()));
    }
    if (longest == 0) return;
    EXPECT_TRUE(eventually([&] { return said("Progressing").contains("waiting "); })) << why();
    // Beyond the limit, and not only at it.
    ahead_ = std::max(ahead_, begun_ + longest + 1);
    set_clock(ahead_);
  }
  static json::Object object_of(const json::Value& value, std::string_view key) {
    const json::Value& found = member(value, key);
    return found.is_object() ? found.as_object() : json::Object();
  }

  void go_on(const json::Value& before, const json::Value& step, std::size_t at) {
    const std::string version = version_of(step);
    if (version != version_of(before)) {
      begun_ = ahead_;
      close_all(version);
      const json::Value& load = member(step, "payloadLoad");
      if (text(load, "step") == "RetrievePayload" && member(load, "failed") != true)
        releases_.registry().set_fault(
            [](const http::Request& request) { return fairway::testing::never(request); });
      ask(version);
    } else if (const std::string refused = refused_version(step); !refused.empty()) {
      ask_for_refused(step, refused);
    }
    const std::size_t errors = items(step, "validationErrors").size();
    if (errors != 0) {
      EXPECT_TRUE(eventually([&] { return history().contains(version); })) << why();
      write_spec(invalid(errors));
    } else if (!items(before, "validationErrors").empty()) {
      write_spec(spec());
    }
    for (const Stage& stage : plan_.stages[version]) {
      if (stage.last_step < at && version == version_of(before)) open(stage, version);
    }
    if (member(step, "reconciling") == true && !member(step, "failure").is_object()) open_all(version);
  }
  void ask(const std::string& version) {
    EXPECT_TRUE(eventually([&] { return is_listed(version); })) << why();
    ask_for({{"version", version}, {"image", releases_.image(version)}});
  }
  bool is_listed(const std::string& version) const {
    const json::Value now = status();
    for (const json::Value& release : items(now, "availableUpdates"))
      if (text(release, "version") == version) return true;
    for (const json::Value& update : items(now, "conditionalUpdates"))
      if (text(member(update, "release"), "version") == version) return true;
    return false;
  }

  /// Returns the version of a release that is not accepted at a step, while another one runs; "": there is
  /// none.
  static std::string refused_version(const json::Value& step) {
    const json::Value& load = member(step, "payloadLoad");
    if (member(load, "failed") != true) return "";
    const std::string message = text(load, "message"), begin = "version=\"";
    const auto at = message.find(begin);
    if (at == std::string::npos) return "";
    const auto from = at + begin.size();
    return message.substr(from, message.find('"', from) - from);
  }
  void ask_for_refused(const json::Value& step, const std::string& version) {
    const json::Value& load = member(step, "payloadLoad");
    if (text(load, "step") == "PreconditionChecks") {
      report({.kind = Kind::updating, .name = "small"}, "4.6.23", "False");
      EXPECT_TRUE(eventually([&] { return said("Upgradeable") != "none"; })) << why();
    } else {
      releases_.registry().set_fault([](const http::Request&) { return http::Response::text(404, "gone"); });
    }
    ask(version);
  }

  /// Removes a release: nothing is known of it but its name.
  void take_release_away(const std::string& version) {
    EXPECT_TRUE(eventually([&] { return history().starts_with("Partial " + version); })) << why();
    process_->end(SIGKILL);
    std::filesystem::remove_all(data_);
    releases_.registry().set_fault([](const http::Request&) { return http::Response::text(404, "gone"); });
    start_again();
  }

  /// Returns a spec with this number of errors, at most three.
  static json::Object invalid(std::size_t errors) {
    json::Object wrong = spec();
    wrong["desiredUpdate"] = json::Object{{"version", "9.9.9"}};
    if (errors > 1) wrong["clusterID"] = "none";
    if (errors > 2) wrong["upstream"] = ":";
    return wrong;
  }

  void close_all(const std::string& version) {
    for (const Stage& stage : plan_.stages[version]) {
      for (const Obstacle& one : stage.obstacles) {
        if (one.is_asked_for()) {
          answer(one.map_name(), one.code);
        } else if (one.is_operator()) {
          report(one, "4.6.0");
        }
        if (one.kind == Kind::stuck_workload) stuck_.insert(one.name);
      }
    }
  }
  void open_all(const std::string& version) {
    for (const Stage& stage : plan_.stages[version]) open(stage, version);
  }
  void open(const Stage& stage, const std::string& version) {
    for (Obstacle one : stage.obstacles) {
      if (one.is_asked_for()) {
        answer(one.map_name(), 0);
      } else if (one.is_operator()) {
        one.kind = Kind::updating;
        report(one, version);
      } else if (one.is_workload()) {
        write_workload(one.name, true);
      }
    }
  }
  void answer(const std::string& name, int code) {
    const std::lock_guard lock(mutex_);
    codes_[name] = code;
  }

  static k8s::GroupVersionResource operator_kind() {
    return openshift::ClusterOperator::resource.group_version_resource();
  }
  void report(const Obstacle& one, const std::string& version, const std::string& upgradeable = "True") {
    operators_.insert(one.name);
    const auto condition = [](const char* type, const std::string& status) {
      return json::Object{{"type", type},
                          {"status", status},
                          {"reason", "AsTheCaseSays"},
                          {"message", "as the case says"},
                          {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
    };
    EXPECT_TRUE(eventually([&] {
      auto object = client_->get(operator_kind(), {"", one.name});
      if (!object) {
        auto made = k8s::make<openshift::ClusterOperator>(one.name);
        made.object("spec");
        object = client_->create(operator_kind(), made);
      }
      if (!object) return false;
      object->set("status.conditions",
                  json::Array{condition("Available", one.kind == Kind::unavailable ? "False" : "True"),
                              condition("Degraded", one.kind == Kind::degraded ? "True" : "False"),
                              condition("Upgradeable", upgradeable)});
      object->set("status.versions", json::Array{json::Object{{"name", "operator"}, {"version", version}}});
      return client_->replace(operator_kind(), *object, "status").has_value();
    }));
  }
  void write_workload(const std::string& name, bool is_ready) {
    const json::Object progressing{
        {"type", "Progressing"},
        {"status", is_ready ? "True" : "False"},
        {"reason", is_ready ? "NewReplicaSetAvailable" : "ProgressDeadlineExceeded"}};
    EXPECT_TRUE(eventually([&] {
      auto object = client_->get(deployments, {"default", name});
      if (!object) return false;
      object->set("status", json::Object{{"observedGeneration", object->generation()},
                                         {"conditions", json::Array{progressing}}});
      if (is_ready) {
        for (const char* count : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"})
          object->set(std::string("status.") + count, 1);
      }
      return client_->replace(deployments, *object, "status").has_value();
    }));
  }

  /// Lets time pass for failures that occur only after retries: two minutes a second, as long as everything
  /// else stays the same.
  void pass_time(const json::Value& step) {
    const json::Value& failure = member(step, "failure");
    const auto obstacles = obstacles_of(failure, member(step, "reconciling") == true);
    for (const std::string& name : std::exchange(stuck_, {})) write_workload(name, false);
    if (!failure.is_object() || !obstacles) return;
    const bool takes_time = std::ranges::any_of(*obstacles, &Obstacle::takes_time);
    const auto now = std::chrono::steady_clock::now();
    if (!takes_time || object_of(step, "clusterOperatorUpdatingFor").size() > 0 || passed_ >= 1'500 ||
        now - *passing_since_ < std::chrono::seconds(1))
      return;
    passing_since_ = now;
    passed_ += 120;
    ahead_ += 120;
    set_clock(ahead_);
  }

  void sign(const std::string& version) {
    needs_signatures_ = true;
    if (!gpg_) {
      gpg_ = std::make_unique<fairway::testing::Gpg>(folder_ / "gpg");
      ASSERT_TRUE(gpg_->make_key("release"));
      std::filesystem::create_directories(folder_ / "keys");
      ASSERT_TRUE(gpg_->export_key("release", folder_ / "keys" / "release"));
    }
    const std::string image = releases_.image(version), digest = image.substr(image.find("sha256:"));
    folder_.write("store/sha256=" + digest.substr(7) + "/signature-1",
                  gpg_->sign("release", fairway::testing::signature_content(digest, image)));
  }

  http::Response review(const http::Request& request) {
    const json::Value asked = json::parse(request.body).value();
    const json::Value& wanted = member(asked, "request");
    int code = 0;
    {
      const std::lock_guard lock(mutex_);
      const auto found = codes_.find(text(wanted, "name"));
      if (found != codes_.end()) code = found->second;
    }
    json::Object said{{"uid", text(wanted, "uid")}, {"allowed", code == 0}};
    if (code != 0) said["status"] = json::Object{{"code", code}, {"message", "as the case says"}};
    return http::Response::json(200, json::to_text(json::Object{{"apiVersion", "admission.k8s.io/v1"},
                                                                {"kind", "AdmissionReview"},
                                                                {"response", std::move(said)}}));
  }

  std::mutex mutex_;
  std::map<std::string, int> codes_;  ///< status codes by ConfigMap; 0: it is accepted
  apiserver::testing::FakeWebhook webhook_{[this](const http::Request& request) { return review(request); }};
  ProgressPlan plan_;
  std::string data_;
  /// Seconds by which the clock is ahead, by which it was ahead when the update began, and by which it was
  /// moved for this step.
  int ahead_ = 0, begun_ = 0, passed_ = 0;
  std::optional<std::chrono::steady_clock::time_point> passing_since_;
  std::set<std::string> operators_, stuck_;
  bool needs_signatures_ = false;
  std::unique_ptr<fairway::testing::Gpg> gpg_;
};

TEST_F(RecordedProgress, IsToldAlikeByTheProgram) {
  FAIRWAY_NEEDS_SHARED(cases_path());
  if (!fairway::testing::Gpg::installed()) GTEST_SKIP() << "gpg is not installed (Debian's package gnupg)";
  const json::Value different = differences();
  std::vector<std::string> impossible;
  std::size_t all = 0, passed = 0, seen = seed();
  for (const json::Value& one : fairway::testing::read_cases(cases_path().string())) {
    const std::string name = text(one, "name");
    const ProgressPlan plan = plan_of(one);
    if (!plan.impossible.empty()) {
      impossible.push_back(name);
      std::printf("%s is for the library alone: %s\n", name.c_str(), plan.impossible.c_str());
      continue;
    }
    if (seen++ % one_of_so_many() != 0) continue;
    ++all;
    const std::string fault = judge(one, plan, member(different, name));
    if (fault.empty()) {
      ++passed;
    } else {
      ADD_FAILURE() << name << ": " << fault;
    }
  }
  std::printf(
      "apply-status with the program: %zu of %zu passed (FAIRWAY_SEED=%zu, one of %zu); %zu are for the "
      "library alone\n",
      passed, all, seed(), one_of_so_many(), impossible.size());
  if (fairway::testing::is_default_shared()) {
    EXPECT_EQ(impossible.size(), 7U) << join(impossible, ", ");
  }
}

}  // namespace
}  // namespace fairway::operators::testing
