// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/manager.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "http/client.h"
#include "k8s/lease.h"
#include "kube/controller_kinds.h"
#include "kube/memory_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::MemoryApi;
using testing::RunningManager;
using testing::Widget;
using testing::widget;

http::Reply get(const std::string& address, const std::string& path) {
  const auto client = http::Client::create({.system_cas = false, .proxy_environment = false}).value();
  http::Call call;
  call.url = http::Url::parse("http://" + address + path).value();
  call.limits.deadline = Clock::system().steady() + seconds(60);
  return client->send(call).value();
}

ManagerOptions with_lease(const std::string& identity) {
  ManagerOptions options;
  options.lease.namespace_name = "a";
  options.lease.name = "operator";
  options.lease.identity = identity;
  // Longer than any wait of a test: nothing here is about a lease that runs out.
  options.lease.duration = seconds(120);
  options.lease.renew_deadline = seconds(80);
  options.lease.retry_period = milliseconds(100);
  return options;
}

/// Adds a controller that counts its reconciles.
void count_reconciles(Manager& manager, std::atomic<int>& count) {
  manager.controller<Widget>("widgets").reconcile([&count](const Context&, const Widget&) -> Result<Requeue> {
    ++count;
    return done();
  });
}

TEST(Manager, SaysHowItIs) {
  std::atomic<bool> holds_lists_back = true, sick = false;
  MemoryApi server;
  server.intercept([&](const http::Request& request) {
    if (request.path.find("widgets") == std::string_view::npos) return 0;
    return holds_lists_back ? 503 : 0;
  });
  metrics::Registry registry;
  Manager manager(server.client(nullptr, &registry), {.status_listen = "127.0.0.1:0", .registry = &registry});
  std::atomic<int> reconciles = 0;
  count_reconciles(manager, reconciles);
  manager.add_live_check([&]() -> std::optional<std::string> {
    if (sick) return "the test says so";
    return std::nullopt;
  });
  RunningManager running(manager);
  ASSERT_TRUE(eventually([&] { return !manager.status_address().empty(); }));
  const std::string address = manager.status_address();
  const http::Reply waiting = get(address, "/readyz");
  EXPECT_EQ(waiting.status, 503);
  EXPECT_FALSE(manager.leads());
  EXPECT_EQ(get(address, "/livez").status, 200);
  ASSERT_TRUE(eventually([&] {
    return get(address, "/readyz").body.find("widgets.example.com/v1, Resource=widgets") != std::string::npos;
  }));
  holds_lists_back = false;
  ASSERT_TRUE(eventually([&] { return get(address, "/readyz").status == 200; }));
  EXPECT_TRUE(manager.leads()) << "there is no lease";
  sick = true;
  EXPECT_EQ(get(address, "/livez").body, "not alive: the test says so\n");
  EXPECT_EQ(get(address, "/healthz").status, 503);
  ASSERT_TRUE(Api<Widget>(server.client(), "a").create(widget("w")));
  ASSERT_TRUE(eventually([&] { return reconciles == 1; }));
  const std::string metrics = get(address, "/metrics").body;
  for (const char* const name :
       {"workqueue_depth{", "workqueue_adds_total{", "workqueue_queue_duration_seconds_bucket{",
        "workqueue_work_duration_seconds_bucket{", "workqueue_retries_total{",
        "workqueue_unfinished_work_seconds{", "workqueue_longest_running_processor_seconds{",
        "controller_runtime_reconcile_total{", "controller_runtime_reconcile_errors_total{",
        "controller_runtime_reconcile_time_seconds_bucket{", "controller_runtime_active_workers{",
        "controller_runtime_max_concurrent_reconciles{", "rest_client_requests_total{",
        "fairway_informer_lists_total{"}) {
    EXPECT_NE(metrics.find("\n" + std::string(name)), std::string::npos) << name;
  }
  for (const char* const line : {"fairway_informers{", "fairway_informers_synced{",
                                 "fairway_informer_objects{", "fairway_informer_events_total{"}) {
    const std::string of_widgets = R"(group="widgets.example.com",resource="widgets",version="v1"} 1)";
    EXPECT_NE(metrics.find(line + of_widgets), std::string::npos) << line;
  }
  EXPECT_TRUE(running.stop());
  EXPECT_EQ(get(address, "/readyz").body, "not ready: stopping\n");
}

TEST(Manager, BeginsNothingBeforeItMay) {
  MemoryApi server;
  ASSERT_TRUE(Api<Widget>(server.client(), "a").create(widget("w")));
  ManagerOptions options = with_lease("one");
  options.status_listen = "127.0.0.1:0";
  Manager manager(server.client(), options);
  std::atomic<int> reconciles = 0, asked = 0;
  std::atomic<bool> may = false;
  count_reconciles(manager, reconciles);
  manager.add_start_check([&]() -> std::optional<std::string> {
    ++asked;
    if (may) return std::nullopt;
    return "v2 is not known here";
  });
  RunningManager running(manager);
  ASSERT_TRUE(eventually([&] { return asked >= 2 && !manager.status_address().empty(); }));
  EXPECT_EQ(get(manager.status_address(), "/readyz").body, "not ready: v2 is not known here\n");
  EXPECT_FALSE(Api<k8s::Lease>(server.client(), "a").get("operator")) << "it does not even ask to lead";
  may = true;
  ASSERT_TRUE(eventually([&] { return reconciles == 1; }));
  EXPECT_TRUE(manager.leads());
  EXPECT_EQ(get(manager.status_address(), "/readyz").status, 200);
}

TEST(Manager, GivesUpWhereTheFirstListsDoNotCome) {
  MemoryApi server;
  server.intercept([](const http::Request&) { return 403; });
  Manager manager(server.client(), {.sync_timeout = milliseconds(300)});
  std::atomic<int> reconciles = 0;
  count_reconciles(manager, reconciles);
  const auto result = manager.run({});
  ASSERT_FALSE(result);
  EXPECT_NE(
      result.error().message.find("did not come within 300ms: widgets.example.com/v1, Resource=widgets"),
      std::string::npos)
      << result.error().message;
}

TEST(Manager, LetsReconcilesFinishWhenItStops) {
  MemoryApi server;
  ASSERT_TRUE(Api<Widget>(server.client(), "a").create(widget("w")));
  Manager manager(server.client());
  std::promise<void> begun;
  std::atomic<bool> finished = false;
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Widget&) -> Result<Requeue> {
        begun.set_value();
        context.clock().wait_until(SteadyTime::max(), context.stop());
        std::this_thread::sleep_for(milliseconds(50));
        finished = true;
        return fail(ErrorCode::cancelled, "stopped");
      });
  RunningManager running(manager);
  begun.get_future().wait();
  EXPECT_TRUE(running.stop());
  EXPECT_TRUE(finished);
  EXPECT_NE(
      manager.metrics_text().find(R"(controller_runtime_reconcile_errors_total{controller="widgets"} 0)"),
      std::string::npos)
      << "what a stop ends is no failure";
}

TEST(Manager, RunsControllersOnlyWhileItLeads) {
  MemoryApi server;
  ASSERT_TRUE(Api<Widget>(server.client(), "a").create(widget("w")));
  Manager first(server.client(), with_lease("first")), second(server.client(), with_lease("second"));
  std::atomic<int> of_first = 0, of_second = 0, servers = 0;
  count_reconciles(first, of_first);
  count_reconciles(second, of_second);
  const auto serve = [&](const std::stop_token& stop) -> Result<void> {
    ++servers;
    Clock::system().wait_until(SteadyTime::max(), stop);
    return {};
  };
  second.add("server", serve, Manager::Runs::always);
  RunningManager running_first(first);
  ASSERT_TRUE(eventually([&] { return of_first == 1; }));
  RunningManager running_second(second);
  ASSERT_TRUE(eventually([&] { return servers == 1; })) << "what always runs does so without the lease";
  ASSERT_TRUE(eventually([&] { return second.informers().get<Widget>().size() == 1; })) << "and informers";
  EXPECT_TRUE(first.leads());
  EXPECT_FALSE(second.leads());
  EXPECT_EQ(of_second, 0);
  EXPECT_TRUE(running_first.stop());
  ASSERT_TRUE(eventually([&] { return of_second == 1; })) << "the lease was not given back";
  EXPECT_TRUE(second.leads());
  EXPECT_NE(second.metrics_text().find("leader_election_master_status{name=\"operator\"} 1\n"),
            std::string::npos);
}

TEST(Manager, RunsSomeControllersInEveryReplicaAndWritesOnlyAsTheLeader) {
  MemoryApi server;
  Api<Widget> widgets(server.client(), "a");
  ASSERT_TRUE(widgets.create(widget("w")));
  Manager first(server.client(), with_lease("first")), second(server.client(), with_lease("second"));
  std::atomic<int> of_first = 0, of_second = 0;
  const auto add = [](Manager& manager, const char* name, std::atomic<int>& count) {
    manager.controller<Widget>("widgets")
        .when(generation_changed)
        .runs(Runs::always)
        .reconcile([name, &count](const Context& context, const Widget& w) -> Result<Requeue> {
          ++count;
          return context.update_status<Widget>(w, [&](Widget& now) { now.set("status.by", name); });
        });
  };
  add(first, "first", of_first);
  add(second, "second", of_second);
  RunningManager running_first(first);
  ASSERT_TRUE(eventually([&] { return widgets.get("w").value().text("status.by") == "first"; }));
  RunningManager running_second(second);
  ASSERT_TRUE(eventually([&] { return of_second == 1; })) << "it does not lead, and looks";
  EXPECT_FALSE(second.leads());
  EXPECT_EQ(widgets.get("w").value().text("status.by"), "first");
  EXPECT_TRUE(running_first.stop());
  EXPECT_TRUE(eventually([&] { return widgets.get("w").value().text("status.by") == "second"; }))
      << "a new leader looks at everything once more";
}

TEST(Manager, EndsWithAnErrorWhenItDoesNotLeadAnyMore) {
  MemoryApi server;
  Manager manager(server.client(), with_lease("one"));
  std::atomic<int> reconciles = 0;
  count_reconciles(manager, reconciles);
  RunningManager running(manager);
  ASSERT_TRUE(eventually([&] { return manager.leads(); }));
  json::Object taken{{"spec", {{"holderIdentity", "an admin"}}}};
  ASSERT_TRUE(Api<k8s::Lease>(server.client(), "a").merge_patch("operator", taken));
  const auto result = running.wait();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::conflict);
  EXPECT_FALSE(manager.leads());
}

TEST(Manager, WritesNothingMoreWhenItDoesNotLeadAnyMore) {
  MemoryApi server;
  ASSERT_TRUE(Api<Widget>(server.client(), "a").create(widget("w")));
  Manager manager(server.client(), with_lease("one"));
  std::promise<void> begun;
  std::optional<Error> of_create, of_apply;
  bool reads = false, wrote_as_leader = false;
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Widget&) -> Result<Requeue> {
        wrote_as_leader = context.api<Widget>().create(widget("early")).has_value();
        begun.set_value();
        // One that takes no notice of its token.
        context.clock().wait_until(SteadyTime::max(), context.stop());
        if (const auto made = context.api<Widget>().create(widget("late")); !made) of_create = made.error();
        const auto resource = Widget::resource.group_version_resource();
        const auto applied = context.client().apply(resource, widget("late"), {.field_manager = "test"});
        if (!applied) of_apply = applied.error();
        reads = context.api<Widget>().get("w").has_value();
        return give_up({ErrorCode::cancelled, "that is all"});
      });
  RunningManager running(manager);
  begun.get_future().wait();
  json::Object taken{{"spec", {{"holderIdentity", "another"}}}};
  ASSERT_TRUE(Api<k8s::Lease>(server.client(), "a").merge_patch("operator", taken));
  EXPECT_FALSE(running.wait());
  EXPECT_TRUE(wrote_as_leader);
  EXPECT_TRUE(reads);
  for (const auto& error : {of_create, of_apply}) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::cancelled);
    EXPECT_TRUE(error->message.contains("this process does not lead (lease a/operator)")) << error->message;
  }
  EXPECT_FALSE(Api<Widget>(server.client(), "a").get("late"));
}

TEST(Manager, EndsWithTheErrorOfItsWork) {
  MemoryApi server;
  for (const bool throws : {false, true}) {
    Manager manager(server.client());
    manager.add("the clock", [&](const std::stop_token&) -> Result<void> {
      if (throws) throw std::runtime_error("a bug");
      return fail(ErrorCode::unavailable, "it stands still");
    });
    const auto result = manager.run({});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, throws ? "the clock threw: a bug" : "the clock: it stands still");
  }
}

TEST(Manager, TakesNothingMoreOnceItRuns) {
  MemoryApi server;
  Manager manager(server.client());
  std::stop_source stop;
  std::atomic<int> reconciles = 0;
  manager.add("late", [&](const std::stop_token&) -> Result<void> {
    EXPECT_THROW(count_reconciles(manager, reconciles), std::logic_error);
    EXPECT_THROW(manager.add("more", [](const std::stop_token&) -> Result<void> { return {}; }),
                 std::logic_error);
    EXPECT_THROW(manager.add_ready_check([] { return std::nullopt; }), std::logic_error);
    stop.request_stop();
    return {};
  });
  EXPECT_TRUE(manager.run(stop.get_token()));
}

TEST(Manager, RefusesWhatCannotBe) {
  MemoryApi server;
  ManagerOptions options = with_lease("one");
  options.lease.renew_deadline = seconds(130);
  const auto bad_lease = Manager(server.client(), options).run({});
  ASSERT_FALSE(bad_lease);
  EXPECT_NE(bad_lease.error().message.find("must be shorter than the lease"), std::string::npos);
  const auto bad_port = Manager(server.client(), {.status_listen = "nowhere"}).run({});
  ASSERT_FALSE(bad_port);
  EXPECT_TRUE(bad_port.error().message.starts_with("opening the status port")) << bad_port.error().message;
  Manager manager(server.client());
  std::atomic<int> reconciles = 0;
  count_reconciles(manager, reconciles);
  EXPECT_THROW(count_reconciles(manager, reconciles), std::logic_error);
}

}  // namespace
}  // namespace fairway::kube
