// SPDX-License-Identifier: Apache-2.0

// examples/widgets as its user runs it: the program by its flags, under a service account with the rights of
// its rbac.yaml and no others, on a real API server.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/base64.h"
#include "base/file.h"
#include "conformance/kube/balancer.h"
#include "conformance/kube/on_cluster.h"
#include "http/client.h"
#include "k8s/condition.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/lease.h"
#include "kube/client/watch.h"
#include "support/eventually.h"
#include "support/process.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

const k8s::GroupVersionResource crds = k8s::CustomResourceDefinition::resource.group_version_resource();
const k8s::GroupVersionResource leases = k8s::Lease::resource.group_version_resource();
const k8s::GroupVersionResource secrets{"", "v1", "secrets"}, events{"", "v1", "events"};
const k8s::GroupVersionResource mutating_configurations{"admissionregistration.k8s.io", "v1",
                                                        "mutatingwebhookconfigurations"};
const k8s::GroupVersionResource validating_configurations{"admissionregistration.k8s.io", "v1",
                                                          "validatingwebhookconfigurations"};
const k8s::GroupVersionResource widgets{"widgets.example.com", "v1", "widgets"};
const std::string home = "widgets-system", crd_name = "widgets.widgets.example.com";

std::string example(const std::string& file) {
  return read_file(std::string(FAIRWAY_SOURCE_DIR "/examples/widgets/") + file).value();
}

/// One process of the program, with ports of its own. Its output, and the refusals of the API server, are in
/// its log.
class Replica {
 public:
  Replica(const std::filesystem::path& kubeconfig, const std::string& url, std::filesystem::path log)
      : webhooks(static_cast<std::uint16_t>(testing::free_loopback_port())),
        status(testing::free_loopback_port()),
        log_(std::move(log)),
        process_({(std::filesystem::path(FAIRWAY_BINARY).parent_path() / "widgets").string(), "--kubeconfig",
                  kubeconfig.string(), "--namespace", home, "--listen",
                  "127.0.0.1:" + std::to_string(webhooks), "--webhook-url", url, "--ca-overlap", "2s",
                  "--status-listen", "127.0.0.1:" + std::to_string(status)},
                 log_.string()) {}

  /// Returns its answer on its status port; status 0 if there is none.
  http::Reply answer(const std::string& path) const {
    const auto client = http::Client::create({.system_cas = false, .proxy_environment = false}).value();
    http::Call call;
    call.url = http::Url::parse("http://127.0.0.1:" + std::to_string(status) + path).value();
    call.limits.deadline = Clock::system().steady() + 60s;
    auto reply = client->send(call);
    return reply ? *std::move(reply) : http::Reply{};
  }
  /// Returns the body of its answer on its status port; "" if the status is not 200.
  std::string get(const std::string& path) const {
    const http::Reply reply = answer(path);
    return reply.status == 200 ? reply.body : "";
  }
  /// Returns whether its webhooks report that they are ready, to a client that trusts these CAs.
  bool serves(const std::string& ca) const {
    const auto trusting = http::Client::create(
        {.system_cas = false, .ca_texts = {{ca, "caBundle"}}, .proxy_environment = false});
    if (!trusting) return false;
    http::Call call;
    call.url = http::Url::parse("https://127.0.0.1:" + std::to_string(webhooks) + "/readyz").value();
    call.limits.deadline = Clock::system().steady() + 60s;
    const auto reply = (*trusting)->send(call);
    return reply && reply->status == 200;
  }
  bool leads() const {
    return get("/metrics").contains("leader_election_master_status{name=\"widgets\"} 1\n");
  }
  std::string log() const { return read_file(log_).value_or(""); }
  bool running() { return process_.running(); }
  int end(int signal) { return process_.end(signal); }

  const std::uint16_t webhooks;
  const int status;

 private:
  const std::filesystem::path log_;
  testing::Process process_;
};

class Widgets : public OnCluster {
 protected:
  Widgets() {
    cluster.apply(example("rbac.yaml"));
    // The token of a service account, as a pod has it.
    const auto token = cluster.kubectl({"create", "token", "widgets", "-n", home, "--duration=1h"});
    if (token.exit_code != 0) throw std::runtime_error(token.errors);
    kubeconfig_ = cluster.folder().write(
        "widgets-kubeconfig",
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: c\n  cluster: {server: '" +
            cluster.server() + "', certificate-authority: ca.crt}\nusers:\n- name: c\n  user: {token: '" +
            token.output.substr(0, token.output.find('\n')) +
            "'}\ncontexts:\n- name: c\n  context: {cluster: c, user: c}\n");
  }
  ~Widgets() override {
    // An API server that cannot reach a webhook would say so in every later test. The programs end first:
    // they register what is removed.
    for (const auto& replica : replicas_) replica->end(SIGTERM);
    const auto remove = [&](const k8s::GroupVersionResource& resource, const k8s::Key& which) {
      const auto removed = client->remove(resource, which);
      EXPECT_TRUE(removed || removed.error().is_not_found()) << removed.error().message;
    };
    for (const auto& kind : {mutating_configurations, validating_configurations})
      remove(kind, {"", crd_name});
    remove(secrets, {home, "widgets-certificates"});
    remove(leases, {home, "widgets"});
    const auto gone = cluster.kubectl({"delete", "crd", crd_name, "--ignore-not-found", "--timeout=60s"});
    EXPECT_EQ(gone.exit_code, 0) << gone.errors;
  }

  Replica& start() {
    replicas_.push_back(std::make_unique<Replica>(
        kubeconfig_, "https://" + balancer_.address(),
        cluster.folder() / ("widgets-" + std::to_string(replicas_.size()) + ".log")));
    return *replicas_.back();
  }
  /// Waits until the readiness probe of deployment.yaml succeeds; the replica gets connections from then on.
  void wait_until_serves(Replica& replica) {
    ASSERT_TRUE(eventually([&] {
      const auto known = client->get(crds, {"", crd_name});
      if (!known) return !replica.running();
      const auto trusted = base64_decode(known->text("spec.conversion.webhook.clientConfig.caBundle"));
      return !replica.running() || (trusted && replica.serves(*trusted));
    })) << replica.log();
    balancer_.set({replica.webhooks});
  }
  void wait_until_ready(Replica& replica) {
    ASSERT_TRUE(eventually([&] { return !replica.running() || !replica.get("/readyz").empty(); }));
    ASSERT_TRUE(replica.running()) << replica.log();
  }
  void wait_until_leads(Replica& replica) {
    ASSERT_TRUE(eventually([&] { return replica.leads(); })) << replica.log();
  }
  k8s::Dynamic get(const k8s::GroupVersionResource& resource, const k8s::Key& which) const {
    auto object = client->get(resource, which);
    EXPECT_OK(object);
    return object ? *object : k8s::Dynamic();
  }
  /// Waits, by a watch, until an object is as wanted, and returns it.
  k8s::Dynamic wait_for(const k8s::GroupVersionResource& resource, const std::string& name_space,
                        const std::function<bool(const k8s::Dynamic&)>& wanted) const {
    k8s::Dynamic found;
    const auto ended = client->watch(
        resource, name_space, {.resource_version = "0", .bookmarks = false, .timeout = 60s},
        [&](const kube::WatchEvent& event) -> Result<void> {
          if (event.type == kube::WatchEvent::Type::bookmark ||
              event.type == kube::WatchEvent::Type::deleted || !wanted(event.object))
            return {};
          found = event.object;
          return fail(ErrorCode::cancelled, "seen");
        },
        Limits::within(Clock::system(), 70s));
    EXPECT_TRUE(!ended && ended.error().code == ErrorCode::cancelled)
        << resource.to_string() << (ended ? "" : ended.error().message) << logs();
    return found;
  }
  k8s::Dynamic wait_for_ready_widget(const std::string& name, std::int64_t generation = 1) const {
    return wait_for(widgets, namespace_name, [&](const k8s::Dynamic& widget) {
      const auto ready = k8s::find_condition(widget, "Ready");
      return widget.name() == name && ready && ready->is_true() && ready->observed_generation() == generation;
    });
  }
  /// Applies a Widget with kubectl, as a user does; returns kubectl's error if that fails.
  std::string apply(const std::string& yaml) const {
    const auto file = cluster.folder().write("widget.yaml", yaml);
    const auto result = cluster.kubectl({"apply", "-n", namespace_name, "-f", file.string()});
    return result.exit_code == 0 ? "" : result.errors;
  }
  std::string printed(const std::string& version, const std::string& name, const std::string& path) const {
    const auto result = cluster.kubectl({"get", "widgets." + version + ".widgets.example.com", name, "-n",
                                         namespace_name, "-o", "jsonpath={" + path + "}"});
    EXPECT_EQ(result.exit_code, 0) << result.errors << logs();
    return result.output;
  }
  std::string bundle() const {
    return std::string(get(crds, {"", crd_name}).text("spec.conversion.webhook.clientConfig.caBundle"));
  }
  std::string logs() const {
    std::string all;
    for (const auto& replica : replicas_) all += "\n--- a replica's log\n" + replica->log();
    return all;
  }
  void expect_no_right_was_missing() const { EXPECT_FALSE(logs().contains("forbidden")) << logs(); }

  /// The balancer in place of the Service.
  Balancer balancer_;
  std::filesystem::path kubeconfig_;
  std::vector<std::unique_ptr<Replica>> replicas_;
};

std::string widget_yaml(const std::string& version, const std::string& name, const std::string& spec) {
  return "apiVersion: widgets.example.com/" + version + "\nkind: Widget\nmetadata: {name: " + name +
         "}\nspec: " + spec + "\n";
}

TEST_F(Widgets, DoWhatTheirDocumentationSays) {
  Replica& one = start();
  wait_until_serves(one);
  wait_until_ready(one);
  wait_until_leads(one);
  // The manifests beside it are taken by the server too, and mean there what was just done: a replica gets
  // connections once its webhooks say so, and keeps them for a while when it ends.
  cluster.apply(example("deployment.yaml"));
  EXPECT_FALSE(get({"", "v1", "services"}, {home, "widgets"}).flag("spec.publishNotReadyAddresses"));
  const k8s::Dynamic deployment = get(deployments, {home, "widgets"});
  const auto containers = deployment.items("spec.template.spec.containers");
  ASSERT_EQ(containers.size(), 1U);
  EXPECT_EQ(json::to_text(containers.front().at("readinessProbe.httpGet").json()),
            R"({"path":"/readyz","port":"webhooks","scheme":"HTTPS"})");
  EXPECT_EQ(containers.front().integer("lifecycle.preStop.sleep.seconds"), 5);

  // Written in the newest version, read in all, changed in the oldest: what that cannot hold comes back.
  std::string shop = example("widget.yaml");
  shop.erase(shop.find(", namespace: default"), std::string(", namespace: default").size());
  ASSERT_EQ(apply(shop), "") << logs();
  EXPECT_EQ(printed("v1", "shop", ".spec"), R"({"capacity":{"replicas":3,"size":"XL"},"mode":"turbo"})");
  EXPECT_EQ(printed("v1beta1", "shop", ".spec"), R"({"replicas":3,"size":"L"})");
  EXPECT_EQ(printed("v1alpha1", "shop", ".spec"), R"({"size":"L"})");
  const auto labelled = cluster.kubectl(
      {"label", "widgets.v1alpha1.widgets.example.com", "shop", "-n", namespace_name, "team=a"});
  EXPECT_EQ(labelled.exit_code, 0) << labelled.errors;
  EXPECT_EQ(printed("v1", "shop", ".spec"), R"({"capacity":{"replicas":3,"size":"XL"},"mode":"turbo"})");
  EXPECT_EQ(printed("v1", "shop", ".metadata.labels.team"), "a");

  // Its controller: the ConfigMap it owns, the condition, the event.
  const k8s::Dynamic ready = wait_for_ready_widget("shop");
  const auto condition = k8s::find_condition(ready, "Ready");
  ASSERT_TRUE(condition) << logs();
  EXPECT_EQ(condition->reason(), "SettingsApplied");
  const k8s::ConfigMap settings(get(config_maps, key("shop-settings")).json());
  EXPECT_EQ(json::to_text(settings.json().at("data")), R"({"mode":"turbo","replicas":"3","size":"XL"})");
  ASSERT_TRUE(settings.controller());
  EXPECT_EQ(settings.controller()->uid(), ready.uid());
  EXPECT_EQ(printed("v1alpha1", "shop", R"(.status.conditions[?(@.type=="Ready")].status)"), "True");
  wait_for(events, namespace_name, [](const k8s::Dynamic& event) {
    return event.text("reason") == "SettingsApplied" && event.text("involvedObject.name") == "shop";
  });
  // Somebody removes what it owns: it is made again.
  ASSERT_OK(client->remove(config_maps, key("shop-settings")));
  wait_for(config_maps, namespace_name, [&](const k8s::Dynamic& map) {
    return map.name() == "shop-settings" && map.uid() != settings.uid();
  });
  // Another owns a field: the status says so until it is fixed.
  ASSERT_OK(client->patch(config_maps, key("shop-settings"), kube::PatchType::merge,
                          parsed(R"({"data":{"mode":"mine"}})"), {}, {.field_manager = "somebody"}));
  wait_for(widgets, namespace_name, [](const k8s::Dynamic& widget) {
    const auto condition = k8s::find_condition(widget, "Ready");
    return condition && condition->is_false() && condition->reason() == "SettingsRefused" &&
           condition->message().contains("somebody");
  });
  ASSERT_OK(client->remove(config_maps, key("shop-settings")));
  wait_for_ready_widget("shop");

  // Defaults and validation, whichever version an object is written in.
  ASSERT_EQ(apply(widget_yaml("v1alpha1", "old", "{size: S}")), "") << logs();
  EXPECT_EQ(printed("v1", "old", ".spec"), R"({"capacity":{"size":"S"},"mode":"steady"})");
  const std::string refused = apply(widget_yaml("v1", "lonely", "{capacity: {replicas: 1}, mode: turbo}"));
  EXPECT_TRUE(refused.contains("turbo needs at least 2 replicas")) << refused;

  const std::string metrics = one.get("/metrics");
  for (const char* const series :
       {"fairway_conversion_objects_total{", "controller_runtime_reconcile_total{controller=\"widgets\"",
        "fairway_admission_reviews_total{", "rest_client_requests_total{", "workqueue_depth{"}) {
    EXPECT_TRUE(metrics.contains(series)) << series;
  }
  EXPECT_FALSE(one.get("/livez").empty());
  EXPECT_EQ(one.end(SIGTERM), 0) << one.log();
  EXPECT_EQ(get(leases, {home, "widgets"}).text("spec.holderIdentity"), "") << "the Lease was given back";

  // The same Secret, so the same CA, which API servers trust already.
  const std::string authority = bundle();
  Replica& again = start();
  balancer_.set({again.webhooks});
  wait_until_ready(again);
  EXPECT_EQ(bundle(), authority);
  EXPECT_EQ(printed("v1beta1", "shop", ".spec"), R"({"replicas":3,"size":"L"})");
  wait_until_leads(again);
  expect_no_right_was_missing();
}

TEST_F(Widgets, LeadOneAtATimeAndServeAll) {
  Replica& one = start();
  balancer_.set({one.webhooks});
  wait_until_ready(one);
  wait_until_leads(one);
  Replica& two = start();
  wait_until_ready(two);
  EXPECT_FALSE(two.leads());
  ASSERT_EQ(apply(widget_yaml("v1", "shop", "{capacity: {size: XL, replicas: 3}}")), "") << logs();
  wait_for_ready_widget("shop");
  // Both serve by the one Secret's certificates: the API server is sent to the other, and trusts it.
  balancer_.set({two.webhooks});
  balancer_.cut();
  EXPECT_EQ(printed("v1alpha1", "shop", ".spec"), R"({"size":"L"})");
  EXPECT_TRUE(two.get("/metrics").contains("fairway_conversion_reviews_total{result=\"success\"}"));
  EXPECT_FALSE(two.leads());
  // The leader is asked to go: the other takes over at once.
  const auto holder = [&] { return std::string(get(leases, {home, "widgets"}).text("spec.holderIdentity")); };
  const std::string led = holder();
  EXPECT_EQ(one.end(SIGTERM), 0) << one.log();
  EXPECT_NE(holder(), led) << "the Lease was not given back";
  wait_until_leads(two);
  ASSERT_OK(client->patch(widgets, key("shop"), kube::PatchType::merge,
                          parsed(R"({"spec":{"capacity":{"replicas":5}}})")));
  wait_for_ready_widget("shop", 2);
  EXPECT_EQ(k8s::ConfigMap(get(config_maps, key("shop-settings")).json()).data().find("replicas"), "5");
  expect_no_right_was_missing();
}

// A newer release has registered one more version. Who runs goes on; who starts neither serves nor leads.
TEST_F(Widgets, WaitWhereTheyCannotConvertEveryVersionOfANewerRelease) {
  Replica& one = start();
  balancer_.set({one.webhooks});
  wait_until_ready(one);
  wait_until_leads(one);
  const json::Value own = get(crds, {"", crd_name}).json().at("spec").at("versions");
  json::Value with_v2 = own;
  with_v2.as_array().push_back(own.at(0));
  with_v2.as_array().back().as_object()["name"] = "v2";
  with_v2.as_array().back().as_object()["storage"] = false;
  const auto register_as = [&](const char* release, const json::Value& versions) {
    json::Object change{{"metadata", {{"annotations", {{"conversion.fairway.dev/release", release}}}}},
                        {"spec", {{"versions", versions}}}};
    ASSERT_OK(client->patch(crds, {"", crd_name}, kube::PatchType::merge, change));
  };
  register_as("2.0.0", with_v2);
  // Somebody has meddled with what is asked of whom; that release has not come so far yet. Once that is
  // fixed, the definition was looked at, too.
  const auto webhook_of = [&](const k8s::GroupVersionResource& resource) {
    const k8s::Dynamic configuration = get(resource, {"", crd_name});
    return json::to_text(configuration.json().at("webhooks"));
  };
  const auto patch_webhook = [&](const k8s::GroupVersionResource& resource, const std::string& patch) {
    ASSERT_OK(client->patch(resource, {"", crd_name}, kube::PatchType::json, parsed(patch)));
  };
  const std::string validating = webhook_of(validating_configurations);
  patch_webhook(validating_configurations,
                R"([{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"},)"
                R"({"op":"replace","path":"/webhooks/0/rules/0/operations","value":["DELETE"]}])");
  ASSERT_TRUE(eventually([&] { return webhook_of(validating_configurations) == validating; }))
      << webhook_of(validating_configurations);
  // It comes so far.
  patch_webhook(
      mutating_configurations,
      R"([{"op":"add","path":"/metadata/annotations/conversion.fairway.dev~1release","value":"2.0.0"},)"
      R"({"op":"replace","path":"/webhooks/0/rules/0/apiVersions","value":["v1","v2"]},)"
      R"({"op":"replace","path":"/webhooks/0/clientConfig/caBundle","value":""}])");
  const std::string unchanged(get(validating_configurations, {"", crd_name}).resource_version());
  // The bundle is what this one looks after all the same.
  const auto trusts_one = [&] {
    return webhook_of(mutating_configurations).contains("\"caBundle\":\"" + bundle());
  };
  ASSERT_TRUE(eventually(trusts_one)) << webhook_of(mutating_configurations);
  EXPECT_FALSE(one.get("/readyz").empty());
  EXPECT_TRUE(one.leads());
  ASSERT_EQ(apply(widget_yaml("v1", "shop", "{capacity: {size: XL, replicas: 3}}")), "") << logs();
  EXPECT_EQ(printed("v1alpha1", "shop", ".spec"), R"({"size":"L"})");
  EXPECT_EQ(one.end(SIGTERM), 0) << one.log();

  Replica& two = start();
  balancer_.set({two.webhooks});
  std::string why;
  ASSERT_TRUE(eventually([&] { return (why = two.answer("/readyz").body).contains("no path from"); })) << why;
  EXPECT_EQ(two.answer("/readyz").status, 503);
  EXPECT_TRUE(why.contains("v2 to v1alpha1")) << why;
  EXPECT_FALSE(two.get("/livez").empty());
  EXPECT_FALSE(two.leads());
  EXPECT_EQ(get(leases, {home, "widgets"}).text("spec.holderIdentity"), "");
  // It has looked at the configurations by now, takes nothing back, and writes nothing that is there.
  const std::string mutating = webhook_of(mutating_configurations);
  EXPECT_TRUE(mutating.contains(R"("apiVersions":["v1","v2"])")) << mutating;
  EXPECT_EQ(get(validating_configurations, {"", crd_name}).resource_version(), unchanged);
  // That release is taken back.
  register_as("1.0.0", own);
  wait_until_ready(two);
  wait_until_leads(two);
  EXPECT_EQ(printed("v1alpha1", "shop", ".spec"), R"({"size":"L"})");
  expect_no_right_was_missing();
}

// What takes half a year by itself: the CA is made to look old, and both replicas go through the steps of its
// rotation with the overlap of their flag. Conversions go on all the while.
TEST_F(Widgets, RotateTheirAuthorityWithoutAFailure) {
  Replica& one = start();
  balancer_.set({one.webhooks});
  wait_until_ready(one);
  Replica& two = start();
  wait_until_ready(two);
  balancer_.set({one.webhooks, two.webhooks});
  ASSERT_EQ(apply(widget_yaml("v1", "shop", "{capacity: {size: XL, replicas: 3}}")), "") << logs();
  const std::string before = bundle();
  std::atomic<int> done = 0;
  std::mutex mutex;
  std::set<std::string> failures;
  std::jthread caller([&](const std::stop_token& stop) {
    const auto reader = cluster.client("admin", {.max_retries = 0});
    while (!stop.stop_requested()) {
      const auto got = reader->get({"widgets.example.com", "v1alpha1", "widgets"}, key("shop"));
      ++done;
      // The API server rebuilds what it knows of a CRD that changes, and says 429 meanwhile.
      if (got || got.error().is(k8s::reason::too_many_requests)) continue;
      const std::lock_guard lock(mutex);
      failures.insert(got.error().message);
    }
  });
  k8s::Secret secret(get(secrets, {home, "widgets-certificates"}).json());
  json::Value times = parsed(*secret.data("rotation.json"));
  times.as_object()["currentSince"] = "2020-01-01T00:00:00.000000Z";
  secret.set_data("rotation.json", json::to_text(times));
  ASSERT_OK(client->replace(secrets, secret));
  const std::string first_ca = *secret.data("current-ca-cert.pem");
  const auto bundle_of = [](const k8s::Dynamic& crd) {
    return base64_decode(crd.text("spec.conversion.webhook.clientConfig.caBundle")).value_or("");
  };
  // Both are trusted, then only the new one is.
  const k8s::Dynamic both = wait_for(crds, "", [&](const k8s::Dynamic& crd) {
    return crd.name() == crd_name && bundle_of(crd).contains(first_ca) && bundle_of(crd) != first_ca;
  });
  const k8s::Dynamic after = wait_for(crds, "", [&](const k8s::Dynamic& crd) {
    return crd.name() == crd_name && !bundle_of(crd).contains(first_ca);
  });
  EXPECT_TRUE(bundle_of(both).contains(bundle_of(after)));
  EXPECT_EQ(bundle_of(after),
            *k8s::Secret(get(secrets, {home, "widgets-certificates"}).json()).data("current-ca-cert.pem"));
  const int so_far = done;
  ASSERT_TRUE(eventually([&] { return done > so_far + 20; }));
  caller.request_stop();
  caller.join();
  EXPECT_EQ(failures, std::set<std::string>{}) << done;
  EXPECT_NE(bundle(), before);
  expect_no_right_was_missing();
}

}  // namespace
}  // namespace fairway::conformance
