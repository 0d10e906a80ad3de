// SPDX-License-Identifier: Apache-2.0

#include "kube/client/resource_mapper.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <future>

#include "kube/controller_kinds.h"
#include "kube/data.h"
#include "kube/fake_discovery.h"
#include "kube/memory_api.h"
#include "support/eventually.h"
#include "support/table.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using k8s::ApiResource;
using k8s::GroupKind;
using k8s::GroupVersionKind;
using k8s::Scope;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeDiscovery;
using testing::MemoryApi;

const ApiResource pods{{"", "v1", "Pod"}, "pods", Scope::namespaced};
const ApiResource deployments{{"apps", "v1", "Deployment"}, "deployments", Scope::namespaced};
const ApiResource widgets{{"widgets.example.com", "v1", "Widget"}, "widgets", Scope::namespaced};
const ApiResource node_metrics{{"metrics.k8s.io", "v1beta1", "NodeMetrics"}, "nodes", Scope::cluster};

ErrorCode code_of(const Result<ApiResource>& found) {
  return found ? ErrorCode::internal : found.error().code;
}
std::string text_of(const Result<ApiResource>& found) {
  if (!found) return std::string(to_string(found.error().code));
  return found->kind.version + "." + found->kind.group + " " + found->plural + " " + found->kind.kind + " " +
         (found->is_namespaced() ? "namespaced" : "cluster");
}

class ResourceMapperTest : public ::testing::Test {
 protected:
  ResourceMapperTest() {
    server_.respond([this](const http::Request& request) { return discovery_.answer(request); });
    discovery_.serve(pods, {"po"});
    discovery_.serve(deployments, {"deploy"});
  }

  /// Answers a path with a status.
  void refuse(const std::string& path, int status) {
    discovery_.set_fault(
        path, [status](const http::Request&) { return http::Response::text(status, "as the test has it"); });
  }
  /// Answers a path with a text.
  void send(const std::string& path, const std::string& text) {
    discovery_.set_fault(path, [text](const http::Request&) { return http::Response::json(200, text); });
  }
  /// Blocks the requests for a path until the returned promise is fulfilled.
  std::promise<void> hold(const std::string& path) {
    std::promise<void> released;
    discovery_.set_fault(path,
                         [until = std::shared_future<void>(released.get_future())](
                             const http::Request&) -> std::optional<http::Response> {
                           until.wait();
                           return std::nullopt;
                         });
    return released;
  }
  void pass() { clock_.advance(ResourceMapperOptions{}.refresh_every); }

  FakeDiscovery discovery_;
  MemoryApi server_;
  FakeClock clock_;
  std::shared_ptr<Client> client_ = server_.client(&clock_);
  ResourceMapper mapper_{client_};
};

TEST_F(ResourceMapperTest, FindsNamesAsKubectlTakesThem) {
  const auto serve = [&](const char* group, const char* version, const char* plural, const char* kind,
                         std::vector<std::string> short_names = {}, Scope scope = Scope::namespaced) {
    discovery_.serve({{group, version, kind}, plural, scope}, std::move(short_names));
  };
  serve("", "v1", "namespaces", "Namespace", {"ns"}, Scope::cluster);
  serve("", "v1", "events", "Event", {"ev"});
  serve("", "v1", "configmaps", "ConfigMap", {"cm"});
  serve("apps", "v1beta1", "deployments", "Deployment");
  serve("events.k8s.io", "v1", "events", "Event");
  serve("widgets.example.com", "v2", "widgets", "Widget", {"wd"});
  serve("widgets.example.com", "v1", "widgets", "Widget", {"wd"});
  serve("widgets.example.com", "v1", "gizmos", "Gizmo");
  serve("wardens.example.com", "v1", "wardens", "Warden", {"wd"});
  serve("cms.example.com", "v1", "cm", "CentiMeter", {}, Scope::cluster);
  serve("v1.tricky.example.com", "v1", "things", "Thing");
  serve("template.example.com", "v1", "templates", "Template");
  serve("metrics.k8s.io", "v1beta1", "nodes", "NodeMetrics", {}, Scope::cluster);
  serve("half.example.com", "v2", "halves", "Half");
  serve("half.example.com", "v1", "halves", "Half");
  discovery_.set_stale({"metrics.k8s.io", "v1beta1"}, true);
  discovery_.set_stale({"half.example.com", "v2"}, true);
  // A resource for requests only, whose objects are those of another one.
  k8s::Discovery with_requests = discovery_.discovery();
  for (k8s::DiscoveredGroup& group : with_requests.groups) {
    if (group.name != "template.example.com") continue;
    group.versions[0].resources.insert(group.versions[0].resources.begin(),
                                       {.name = "processedtemplates",
                                        .response_kind = {"template.example.com", "v1", "Template"},
                                        .singular = "processedtemplate",
                                        .verbs = {"create"}});
  }
  discovery_.set_discovery(with_requests);

  const auto rows = fairway::testing::read_table(testing::data_path("resource_names.tsv"));
  EXPECT_GT(rows.size(), 40);
  for (const auto& row : rows) {
    SCOPED_TRACE("line " + std::to_string(row.line) + ": '" + row.at(0) + "'");
    const auto found = mapper_.find_by_name(row.at(0));
    EXPECT_EQ(text_of(found), row.at(1)) << (found ? "" : found.error().message);
    const std::string message = found ? row.at(2) : found.error().message;
    EXPECT_NE(message.find(row.at(2)), std::string::npos) << message;
  }
  EXPECT_EQ(mapper_.find(GroupVersionKind{"template.example.com", "v1", "Template"})->plural, "templates");
  EXPECT_EQ(discovery_.asked("/apis"), 1) << "all within the time of one reading";
}

TEST_F(ResourceMapperTest, FindsKindsInAVersionOrInThePreferredOne) {
  discovery_.serve({{"widgets.example.com", "v2", "Widget"}, "widgets", Scope::cluster});
  discovery_.serve(widgets);
  discovery_.serve({{"widgets.example.com", "v1", "Gizmo"}, "gizmos", Scope::namespaced});
  EXPECT_EQ(mapper_.find(pods.kind), pods);
  EXPECT_EQ(mapper_.find(widgets.kind), widgets);
  EXPECT_EQ(text_of(mapper_.find(GroupKind{"widgets.example.com", "Widget"})),
            "v2.widgets.example.com widgets Widget cluster");
  EXPECT_EQ(text_of(mapper_.find(GroupKind{"widgets.example.com", "Gizmo"})),
            "v1.widgets.example.com gizmos Gizmo namespaced");
  const auto newer = mapper_.find(GroupVersionKind{"widgets.example.com", "v2", "Gizmo"});
  ASSERT_EQ(code_of(newer), ErrorCode::not_found);
  EXPECT_EQ(newer.error().message,
            "the server does not serve widgets.example.com/v2, Kind=Gizmo; it has the kind in v1");
  EXPECT_EQ(code_of(mapper_.find(GroupVersionKind{"widgets.example.com", "v3", "Widget"})),
            ErrorCode::not_found);
  EXPECT_EQ(code_of(mapper_.find(GroupKind{"widgets.example.com", "widget"})), ErrorCode::not_found)
      << "kinds are exact";
  EXPECT_EQ(code_of(mapper_.find(GroupKind{"other.example.com", "Widget"})), ErrorCode::not_found);
}

TEST_F(ResourceMapperTest, ReadsEveryFormOfDiscovery) {
  discovery_.serve({{"widgets.example.com", "v2", "Widget"}, "widgets", Scope::cluster}, {"wd", "wid"});
  discovery_.serve(widgets);
  for (const auto form :
       {FakeDiscovery::Form::aggregated, FakeDiscovery::Form::aggregated_beta, FakeDiscovery::Form::plain}) {
    SCOPED_TRACE(static_cast<int>(form));
    discovery_.set_form(form);
    const auto served = discover(*client_);
    ASSERT_TRUE(served) << served.error().message;
    EXPECT_EQ(served->discovery, discovery_.discovery());
    EXPECT_TRUE(served->unavailable.empty());
  }
  EXPECT_EQ(discovery_.asked("/apis"), 3) << "nothing is asked twice";
  EXPECT_EQ(discovery_.asked("/apis/widgets.example.com/v2"), 1);
}

TEST_F(ResourceMapperTest, ReadsThePlainFormWhereTheAggregatedOneIsRefused) {
  for (const int status : {404, 406}) {
    SCOPED_TRACE(status);
    for (const char* path : {"/api", "/apis"}) {
      discovery_.set_fault(path, [status](const http::Request& request) -> std::optional<http::Response> {
        if (!FakeDiscovery::asks_for_aggregated(request)) return std::nullopt;
        return http::Response::text(status, "only one form here");
      });
    }
    const auto served = discover(*client_);
    ASSERT_TRUE(served) << served.error().message;
    EXPECT_EQ(served->discovery, discovery_.discovery());
  }
}

TEST_F(ResourceMapperTest, ReadsThePlainFormWhereTheAggregatedOneCannotBeRead) {
  discovery_.serve(node_metrics);
  discovery_.set_fault("/apis", [](const http::Request& request) -> std::optional<http::Response> {
    if (!FakeDiscovery::asks_for_aggregated(request)) return std::nullopt;
    return http::Response::text(200, R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps")",
                                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  });
  refuse("/apis/metrics.k8s.io/v1beta1", 503);
  EXPECT_EQ(mapper_.find(deployments.kind), deployments);
  EXPECT_EQ(mapper_.find(pods.kind), pods);
  EXPECT_EQ(code_of(mapper_.find(node_metrics.kind)), ErrorCode::unavailable);
}

TEST_F(ResourceMapperTest, FindsNoCoreGroupWhereThereIsNone) {
  refuse("/api", 404);
  EXPECT_EQ(mapper_.find(deployments.kind), deployments);
  EXPECT_EQ(code_of(mapper_.find(pods.kind)), ErrorCode::not_found);
}

TEST_F(ResourceMapperTest, AsksAgainAfterAMissButNotMoreOftenThanItMay) {
  EXPECT_EQ(mapper_.find(pods.kind), pods);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(code_of(mapper_.find(widgets.kind)), ErrorCode::not_found);
  EXPECT_EQ(discovery_.asked("/apis"), 1);
  discovery_.serve(widgets);
  clock_.advance(seconds(4));
  EXPECT_EQ(code_of(mapper_.find(widgets.kind)), ErrorCode::not_found);
  EXPECT_EQ(discovery_.asked("/apis"), 1);
  clock_.advance(seconds(1));
  EXPECT_EQ(mapper_.find(widgets.kind), widgets);
  EXPECT_EQ(discovery_.asked("/apis"), 2);
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(mapper_.find(pods.kind), pods);
  EXPECT_EQ(mapper_.find_by_name("widgets"), widgets);
  EXPECT_EQ(discovery_.asked("/apis"), 2) << "what is known is not asked for";
  EXPECT_EQ(code_of(mapper_.find_by_name("po.po.po")), ErrorCode::not_found);
  EXPECT_EQ(discovery_.asked("/apis"), 3);
}

TEST_F(ResourceMapperTest, LetsConcurrentMissesShareOneReading) {
  ASSERT_TRUE(mapper_.find(pods.kind));
  pass();
  discovery_.serve(widgets);
  auto held = hold("/apis");
  std::vector<std::future<Result<ApiResource>>> lookups;
  for (int i = 0; i < 8; ++i)
    lookups.push_back(std::async(std::launch::async, [&] { return mapper_.find(widgets.kind); }));
  ASSERT_TRUE(eventually([&] { return discovery_.asked("/apis") == 2; }));
  EXPECT_EQ(mapper_.find(pods.kind), pods) << "what is known does not wait";
  held.set_value();
  for (auto& lookup : lookups) EXPECT_EQ(lookup.get(), widgets);
  EXPECT_EQ(discovery_.asked("/apis"), 2);
}

TEST_F(ResourceMapperTest, TellsAStaleGroupFromAKindThatIsNotServed) {
  discovery_.serve(node_metrics);
  discovery_.set_stale({"metrics.k8s.io", "v1beta1"}, true);
  for (const auto& found :
       {mapper_.find(node_metrics.kind), mapper_.find(GroupKind{"metrics.k8s.io", "PodMetrics"})}) {
    ASSERT_EQ(code_of(found), ErrorCode::unavailable);
    EXPECT_NE(found.error().message.find("metrics.k8s.io/v1beta1"), std::string::npos)
        << found.error().message;
    EXPECT_NE(found.error().message.find("APIService"), std::string::npos) << found.error().message;
  }
  EXPECT_EQ(mapper_.find(pods.kind), pods);
  EXPECT_EQ(code_of(mapper_.find(widgets.kind)), ErrorCode::not_found);
  discovery_.set_stale({"metrics.k8s.io", "v1beta1"}, false);
  pass();
  EXPECT_EQ(mapper_.find(node_metrics.kind), node_metrics);
}

TEST_F(ResourceMapperTest, GoesOnWithoutAVersionWhosePlainDocumentIsAnError) {
  discovery_.set_form(FakeDiscovery::Form::plain);
  discovery_.serve(node_metrics);
  discovery_.serve(widgets);
  refuse("/apis/metrics.k8s.io/v1beta1", 503);
  send("/apis/widgets.example.com/v1", R"({"kind":"APIResourceList","groupVersion":"widgets.exa)");
  EXPECT_EQ(mapper_.find(deployments.kind), deployments);
  for (const ApiResource& kind : {node_metrics, widgets}) {
    const auto found = mapper_.find(kind.kind);
    ASSERT_EQ(code_of(found), ErrorCode::unavailable);
    EXPECT_NE(found.error().message.find("/apis/" + kind.kind.group), std::string::npos)
        << found.error().message;
  }
  // Whether the version is gone or cannot be asked, a 404 does not say.
  refuse("/apis/metrics.k8s.io/v1beta1", 404);
  send("/apis/widgets.example.com/v1",
       R"({"kind":"APIResourceList","groupVersion":"apps/v1","resources":[]})");
  pass();
  EXPECT_EQ(code_of(mapper_.find(node_metrics.kind)), ErrorCode::unavailable);
  EXPECT_EQ(code_of(mapper_.find(widgets.kind)), ErrorCode::unavailable);
  EXPECT_EQ(mapper_.find_by_name("deploy"), deployments);
}

TEST_F(ResourceMapperTest, SaysThatItCouldNotAsk) {
  const std::string whole = k8s::write_aggregated(discovery_.discovery());
  const auto fault = [](const http::Response& response) {
    return [response](const http::Request&) { return std::optional(response); };
  };
  const std::vector<std::pair<std::string, FakeDiscovery::Fault>> faults = {
      {"no discovery", fault(http::Response::text(404, "404 page not found"))},
      {"an error", fault(http::Response::text(500, "etcd is down"))},
      {"forbidden", fault(http::Response::text(403, "not you"))},
      {"a page", fault(http::Response::text(200, "<html>Welcome</html>", "text/html"))},
      {"another document", fault(http::Response::json(200, R"({"kind":"PodList","apiVersion":"v1"})"))},
      {"no aggregated document, in its type",
       fault(http::Response::text(200,
                                  R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v9"})",
                                  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"))},
      {"half a document", fault(http::Response::json(200, whole.substr(0, whole.size() / 2)))},
      {"cut",
       [&whole](const http::Request&) { return std::optional(FakeDiscovery::cut(whole.substr(0, 50))); }},
  };
  // Nothing is known yet.
  for (const auto& [name, make] : faults) {
    SCOPED_TRACE(name);
    discovery_.set_fault("/apis", make);
    pass();
    for (const auto& found : {mapper_.find(deployments.kind), mapper_.find_by_name("widgets")}) {
      ASSERT_FALSE(found);
      EXPECT_NE(found.error().code, ErrorCode::not_found) << found.error().message;
      EXPECT_NE(found.error().message.find("asking the server which resources it serves"), std::string::npos)
          << found.error().message;
    }
    EXPECT_EQ(mapper_.known(), nullptr);
  }
  EXPECT_EQ(discovery_.asked("/apis"), static_cast<int>(faults.size() + 2))
      << "once each, and for the plain form where there is none or the other cannot be read";
  discovery_.set_fault("/apis", nullptr);
  pass();
  EXPECT_EQ(mapper_.find(deployments.kind), deployments);
  // What is known stays, and the rest is not said not to be there.
  discovery_.serve(widgets);
  for (const auto& [name, make] : faults) {
    SCOPED_TRACE(name);
    discovery_.set_fault("/apis", make);
    pass();
    const auto found = mapper_.find(widgets.kind);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().code, ErrorCode::not_found) << found.error().message;
    EXPECT_EQ(mapper_.find(deployments.kind), deployments);
  }
  discovery_.set_fault("/apis", nullptr);
  pass();
  EXPECT_EQ(mapper_.find(widgets.kind), widgets);
}

TEST_F(ResourceMapperTest, DoesNotWaitLongerForASlowServerThanItsCallerWants) {
  auto held = hold("/apis");
  const auto late = mapper_.find(deployments.kind, Limits::within(clock_, seconds(0)));
  EXPECT_EQ(code_of(late), ErrorCode::deadline_exceeded);
  std::stop_source stop;
  auto waiting = std::async(std::launch::async,
                            [&] { return mapper_.find(deployments.kind, {.stop = stop.get_token()}); });
  ASSERT_TRUE(eventually([&] { return discovery_.asked("/apis") == 1; }));
  stop.request_stop();
  EXPECT_EQ(code_of(waiting.get()), ErrorCode::cancelled);
  held.set_value();
  EXPECT_EQ(mapper_.find(deployments.kind), deployments);
  EXPECT_EQ(discovery_.asked("/apis"), 1) << "who gave up has not ended what others share";
}

TEST_F(ResourceMapperTest, GoesOnWithoutAVersionThatDoesNotAnswer) {
  discovery_.set_form(FakeDiscovery::Form::plain);
  discovery_.serve(node_metrics);
  auto held = hold("/apis/metrics.k8s.io/v1beta1");
  const auto machine = server_.client();
  ResourceMapper mapper(machine, {.discovery = {.version_timeout = milliseconds(300)}});
  EXPECT_EQ(mapper.find(deployments.kind), deployments);
  EXPECT_EQ(code_of(mapper.find(node_metrics.kind)), ErrorCode::unavailable);
  held.set_value();
}

TEST_F(ResourceMapperTest, TakesNoVersionForUnavailableThatTheRateLimitWouldDelay) {
  discovery_.set_form(FakeDiscovery::Form::plain);
  discovery_.serve(node_metrics);
  discovery_.serve(widgets);
  ClientConfig config;
  config.server = "http://" + server_.address();
  const auto limited =
      Client::create(config, {.rate_limit = RateLimit{.qps = 0.1, .burst = 3}, .clock = &clock_}).value();
  ResourceMapper mapper(limited);
  for (const ApiResource& kind : {pods, deployments, node_metrics, widgets}) {
    EXPECT_EQ(mapper.find(kind.kind), kind);
  }
}

TEST_F(ResourceMapperTest, EndsAReadingWithItself) {
  auto held = hold("/apis");
  {
    ResourceMapper mapper(client_);
    EXPECT_FALSE(mapper.find(pods.kind, Limits::within(clock_, seconds(0))));
    ASSERT_TRUE(eventually([&] { return discovery_.asked("/apis") == 1; }));
  }
  held.set_value();
}

TEST_F(ResourceMapperTest, WaitsForAKind) {
  ASSERT_TRUE(mapper_.find(pods.kind));
  auto waiting = std::async(std::launch::async, [&] { return mapper_.wait_for(widgets.kind, {}); });
  // Another reading, which finds nothing, and one that does.
  const auto pass_and_read = [&] {
    const auto before = mapper_.known();
    clock_.wait_for_waiters(1);
    pass();
    return eventually([&] { return mapper_.known() != before; });
  };
  ASSERT_TRUE(pass_and_read());
  discovery_.serve(widgets);
  ASSERT_TRUE(pass_and_read());
  EXPECT_EQ(waiting.get(), widgets);
  EXPECT_EQ(discovery_.asked("/apis"), 3);

  const GroupVersionKind never{"never.example.com", "v1", "Never"};
  auto late = std::async(std::launch::async,
                         [&] { return mapper_.wait_for(never, Limits::within(clock_, seconds(7))); });
  ASSERT_TRUE(pass_and_read());
  pass();
  const auto found = late.get();
  EXPECT_EQ(code_of(found), ErrorCode::deadline_exceeded);
  EXPECT_NE(found.error().message.find("it does not have the group never.example.com"), std::string::npos)
      << found.error().message;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(code_of(mapper_.wait_for(never, {.stop = stop.get_token()})), ErrorCode::cancelled);
}

TEST_F(ResourceMapperTest, ReadsAnewWhenToldTo) {
  ASSERT_TRUE(mapper_.refresh());
  discovery_.serve(widgets);
  ASSERT_TRUE(mapper_.refresh());
  EXPECT_EQ(mapper_.find(widgets.kind), widgets);
  EXPECT_EQ(discovery_.asked("/apis"), 2);
  refuse("/apis", 500);
  const auto failed = mapper_.refresh();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::unavailable);
  EXPECT_EQ(mapper_.find(widgets.kind), widgets);
  // A reading that runs may have begun before what the caller means.
  auto held = hold("/apis");
  auto first = std::async(std::launch::async, [&] { return mapper_.refresh(); });
  ASSERT_TRUE(eventually([&] { return discovery_.asked("/apis") == 4; }));
  auto second = std::async(std::launch::async, [&] { return mapper_.refresh(); });
  EXPECT_EQ(second.wait_for(milliseconds(20)), std::future_status::timeout);
  held.set_value();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_EQ(discovery_.asked("/apis"), 5);
}

TEST_F(ResourceMapperTest, TakesNoErrorReplyForALookupsAnswer) {
  ASSERT_TRUE(mapper_.refresh());
  for (const int status : {404, 409, 400}) {
    SCOPED_TRACE(status);
    refuse("/apis", status);
    const auto served = discover(*client_);
    ASSERT_FALSE(served);
    EXPECT_EQ(served.error().code, ErrorCode::unavailable) << served.error().message;
    const auto refreshed = mapper_.refresh();
    ASSERT_FALSE(refreshed);
    EXPECT_EQ(refreshed.error().code, ErrorCode::unavailable) << refreshed.error().message;
    pass();
    EXPECT_EQ(code_of(mapper_.find(widgets.kind)), ErrorCode::unavailable);
  }
  refuse("/apis", 403);
  EXPECT_EQ(mapper_.refresh().error().code, ErrorCode::forbidden) << "other codes stay";
}

TEST_F(ResourceMapperTest, ReadsAgainWhetherANameIsStillAmbiguous) {
  const ApiResource others{{"other.example.com", "v1", "Widget"}, "widgets", Scope::namespaced};
  discovery_.serve(widgets);
  discovery_.serve(others);
  EXPECT_EQ(code_of(mapper_.find_by_name("widgets")), ErrorCode::conflict);
  discovery_.serve_no_longer(others);
  EXPECT_EQ(code_of(mapper_.find_by_name("widgets")), ErrorCode::conflict) << "within the same reading";
  refuse("/apis", 500);
  pass();
  EXPECT_EQ(code_of(mapper_.find_by_name("widgets")), ErrorCode::conflict) << "it was known before";
  discovery_.set_fault("/apis", nullptr);
  pass();
  EXPECT_EQ(mapper_.find_by_name("widgets"), widgets);
}

TEST_F(ResourceMapperTest, KeepsAMarkThatIsSetWhileItReads) {
  discovery_.serve(widgets);
  ASSERT_EQ(mapper_.find(widgets.kind), widgets);
  auto held = hold("/apis");
  auto reading = std::async(std::launch::async, [&] { return mapper_.refresh(); });
  ASSERT_TRUE(eventually([&] { return discovery_.asked("/apis") == 2; }));
  mapper_.mark_outdated();
  held.set_value();
  ASSERT_TRUE(reading.get());
  // What the mark was set for: that reading came too early to see it.
  discovery_.serve_no_longer(widgets);
  EXPECT_EQ(mapper_.find(widgets.kind), widgets);
  EXPECT_EQ(discovery_.asked("/apis"), 2) << "not more often than it may";
  pass();
  EXPECT_EQ(code_of(mapper_.find(widgets.kind)), ErrorCode::not_found);
  EXPECT_EQ(discovery_.asked("/apis"), 3);
}

TEST_F(ResourceMapperTest, TakesNoReadingForAnAnswerThatIsOlderThanAMark) {
  discovery_.serve(widgets);
  ASSERT_EQ(mapper_.find(widgets.kind), widgets);
  auto held = hold("/apis");
  auto reading = std::async(std::launch::async, [&] { return mapper_.refresh(); });
  ASSERT_TRUE(eventually([&] { return discovery_.asked("/apis") == 2; }));
  mapper_.mark_outdated();
  pass();
  auto lookup = std::async(std::launch::async, [&] { return mapper_.find(widgets.kind); });
  EXPECT_EQ(lookup.wait_for(milliseconds(20)), std::future_status::timeout);
  held.set_value();
  EXPECT_TRUE(reading.get());
  EXPECT_EQ(lookup.get(), widgets);
  EXPECT_EQ(discovery_.asked("/apis"), 3);
}

TEST_F(ResourceMapperTest, FindsWhatItKnewOfAGroupThatIsUnavailableNow) {
  const ApiResource pod_metrics{{"metrics.k8s.io", "v1beta1", "PodMetrics"}, "podmetrics", Scope::namespaced};
  for (const auto form : {FakeDiscovery::Form::aggregated, FakeDiscovery::Form::plain}) {
    SCOPED_TRACE(static_cast<int>(form));
    discovery_.set_form(form);
    discovery_.set_discovery({});
    discovery_.serve(pods);
    discovery_.serve(node_metrics, {"nm"});
    discovery_.set_fault("/apis/metrics.k8s.io/v1beta1", nullptr);
    ResourceMapper mapper(client_);
    ASSERT_EQ(mapper.find(node_metrics.kind), node_metrics);
    // Its server fails: nothing of it is listed, or it does not answer.
    if (form == FakeDiscovery::Form::aggregated) {
      discovery_.serve_no_longer(node_metrics);
      discovery_.set_stale(node_metrics.kind.group_version(), true);
    } else {
      refuse("/apis/metrics.k8s.io/v1beta1", 503);
    }
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(mapper.refresh());
      EXPECT_EQ(mapper.find(node_metrics.kind), node_metrics);
      EXPECT_EQ(mapper.find(node_metrics.kind.group_kind()), node_metrics);
      for (const char* name : {"nodes", "nm", "nodes.metrics.k8s.io", "nodes.v1beta1.metrics.k8s.io"}) {
        EXPECT_EQ(mapper.find_by_name(name), node_metrics) << name;
      }
      EXPECT_EQ(mapper.known()->unavailable.size(), 1U);
    }
    // The rest of the group is not said not to be there.
    EXPECT_EQ(code_of(mapper.find(pod_metrics.kind)), ErrorCode::unavailable);
    EXPECT_EQ(code_of(mapper.find_by_name("podmetrics.metrics.k8s.io")), ErrorCode::unavailable);
    // It comes back without that kind.
    discovery_.serve_no_longer(node_metrics);
    discovery_.set_stale(node_metrics.kind.group_version(), false);
    discovery_.set_fault("/apis/metrics.k8s.io/v1beta1", nullptr);
    ASSERT_TRUE(mapper.refresh());
    EXPECT_EQ(code_of(mapper.find(node_metrics.kind)), ErrorCode::not_found);
  }
}

TEST_F(ResourceMapperTest, PrefersAVersionThatIsAvailableToOneItKnew) {
  const ApiResource newer{{"widgets.example.com", "v2", "Widget"}, "widgets", Scope::namespaced};
  discovery_.serve(newer);
  discovery_.serve(widgets);
  ASSERT_EQ(mapper_.find(GroupKind{"widgets.example.com", "Widget"}), newer);
  discovery_.set_stale(newer.kind.group_version(), true);
  ASSERT_TRUE(mapper_.refresh());
  EXPECT_EQ(mapper_.find(GroupKind{"widgets.example.com", "Widget"}), widgets);
  EXPECT_EQ(mapper_.find_by_name("widgets"), widgets);
  EXPECT_EQ(mapper_.find(newer.kind), newer);
}

/// Prevents new threads from starting: there is no room for a stack of their default size.
class NoThreads {
 public:
  NoThreads() {
    pthread_attr_t attributes;
    EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
    EXPECT_EQ(pthread_attr_init(&attributes), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{1} << 52), 0);
    EXPECT_EQ(pthread_setattr_default_np(&attributes), 0);
    pthread_attr_destroy(&attributes);
  }
  ~NoThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST_F(ResourceMapperTest, SaysThatItHasNoThreadToReadOn) {
  {
    const NoThreads none;
    const auto found = mapper_.find(pods.kind);
    ASSERT_EQ(code_of(found), ErrorCode::unavailable);
    EXPECT_NE(found.error().message.find("asking the server which resources it serves: starting a thread"),
              std::string::npos)
        << found.error().message;
    EXPECT_EQ(code_of(mapper_.find(pods.kind)), ErrorCode::unavailable) << "not tried again yet";
    const auto refreshed = mapper_.refresh();
    ASSERT_FALSE(refreshed);
    EXPECT_EQ(refreshed.error().code, ErrorCode::unavailable);
  }
  EXPECT_EQ(discovery_.asked("/apis"), 0);
  pass();
  EXPECT_EQ(mapper_.find(pods.kind), pods);
  {
    const NoThreads none;
    pass();
    EXPECT_EQ(mapper_.find(pods.kind), pods) << "what is known is found";
    EXPECT_EQ(code_of(mapper_.find(widgets.kind)), ErrorCode::unavailable);
  }
}

}  // namespace
}  // namespace fairway::kube
