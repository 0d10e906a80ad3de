// SPDX-License-Identifier: Apache-2.0

#include "envtest/kube_apiserver.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "apiserver/server.h"
#include "base/log.h"
#include "cli/envtest/commands.h"
#include "cli/low_memory.h"
#include "command_line/stop_signals.h"
#include "envtest/stand_in_etcd.h"

namespace fairway::cli {
namespace {

/// Time that the etcd may take to listen: it may have been started at the same time.
constexpr std::chrono::seconds etcd_limit{20};
/// Time that requests have to end once a signal has come. envtest waits for 20 s.
constexpr std::chrono::seconds drain_limit{5};

int serve(envtest::KubeApiserverPlan plan) {
  const StopSignals signals;
  for (const std::string& warning : plan.warnings) log::warning(warning);
  const auto store =
      envtest::store_of(plan.etcd, Limits::within(Clock::system(), etcd_limit, signals.token()));
  if (!store) return signals.token().stop_requested() ? exit_ok : report(store.error());
  keep_memory_low();
  plan.options.data = store->folder;
  plan.options.durable = store->durable;
  const auto server = apiserver::EmbeddedServer::start(std::move(plan.options));
  if (!server) return report(server.error());
  log::info("the API server is ready", {{"server", (*server)->url()}, {"store", store->folder.string()}});
  Clock::system().wait_until(SteadyTime::max(), signals.token());
  // As kube-apiserver does: a client whose last request is cut off, or refused, asks again for seconds.
  (*server)->drain(drain_limit);
  return exit_ok;
}

}  // namespace

int run_kube_apiserver(std::span<const std::string> words) {
  const envtest::GivenFlags given = envtest::read_kube_apiserver_flags(words);
  if (given.is_set("help") || given.is_set("h")) {
    std::fputs(envtest::kube_apiserver_help().c_str(), stdout);
    return exit_ok;
  }
  if (given.values.contains("version") && given.is_set("version", true)) {
    std::fputs(envtest::kube_apiserver_version().c_str(), stdout);
    return exit_ok;
  }
  auto plan = envtest::plan_kube_apiserver(given);
  return plan ? serve(*std::move(plan)) : report(plan.error());
}

}  // namespace fairway::cli
