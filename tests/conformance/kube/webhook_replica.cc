// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/webhook_replica.h"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>

#include "conformance/kube/webhook_host.h"
#include "kube/client/kubeconfig.h"

namespace fairway::conformance {

namespace {

using namespace std::chrono_literals;

int failed(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  return 1;
}

}  // namespace

int run_webhook_replica(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3) return failed("a replica takes three arguments");
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  auto config = kube::load_client_config({.file = arguments[0], .context = {}});
  if (!config) return failed(config.error().message);
  auto client = kube::Client::create(*std::move(config));
  if (!client) return failed(client.error().message);
  try {
    WebhookHost host(*std::move(client), {.namespace_name = arguments[1], .service = arguments[2]});
    std::printf("serves %d\n", host.port());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&signals, &signal);
    host.drain(10s, 2s);
    std::printf("drained %llu\n", static_cast<unsigned long long>(host.requests()));
    std::fflush(stdout);
  } catch (const std::exception& problem) {
    return failed(problem.what());
  }
  return 0;
}

}  // namespace fairway::conformance
