// SPDX-License-Identifier: Apache-2.0

// What a change of a route costs until its traffic is right, and whether its status waits for that.
//
//   bench_gateway changes CONTROLLER ENVOY ROUTES CHANGES
//   bench_gateway burst CONTROLLER ENVOY ROUTES CHANGES
//   bench_gateway cold CONTROLLER ENVOY ROUTES
//   bench_gateway faults CONTROLLER ENVOY FOLDER CHANGES
//
// The controller and Envoy are processes, the API server is the embedded one of this process, which also is
// the backend and the client. One Gateway, and routes with a hostname each, which set a header of the answer
// to their version. `changes` patches one route after the other under requests on fresh connections, one
// every 2 ms; `burst` patches so many at once; `cold` makes all routes anew while the controller runs;
// `faults` changes 20 routes beside each fault of a folder. Each prints one line of `name value` pairs; times
// are milliseconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "changes.h"
#include "cluster.h"
#include "faults.h"
#include "statuses.h"

namespace {

using namespace fairway;
using namespace fairway::bench;

constexpr int writers = 4;

/// Returns the CPU time of a process so far, in milliseconds.
double cpu_milliseconds(int pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return 0;
  std::istringstream fields(text->substr(text->rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Returns the "VmRSS" of a process, in MiB.
double memory(int pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = text ? text->find("VmRSS:") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtod(text->c_str() + at + 6, nullptr) / 1024;
}

int measure_changes(Cluster& cluster, int count, int changes) {
  cluster.apply_routes(count);
  Statuses statuses(cluster.rig.client());
  const SteadyTime started = now();
  cluster.rig.start_controller();
  cluster.wait_until("all statuses",
                     [&] { return statuses.since_all(static_cast<std::size_t>(count)).has_value(); });
  cluster.wait_until("traffic", [&] { return cluster.version(count - 1) == 0; });
  const double start = milliseconds(now() - started);
  const int controller = cluster.rig.controller_pid(), envoy = cluster.rig.envoy_pid();
  const double idle_memory = memory(controller);
  const double cpu_before = cpu_milliseconds(controller), envoy_before = cpu_milliseconds(envoy);
  const Changes seen = change_in_turn(cluster, statuses, count, changes);
  const auto slowest = std::ranges::max_element(seen.to_traffic);
  std::cout << "routes " << count << " changes " << changes << " slowest " << *slowest << " slowest_at "
            << slowest - seen.to_traffic.begin() + 1 << " traffic_p50 " << percentile(seen.to_traffic, 0.5)
            << " traffic_p99 " << percentile(seen.to_traffic, 0.99) << " status_p50 "
            << percentile(seen.to_status, 0.5) << " status_p99 " << percentile(seen.to_status, 0.99)
            << " too_early " << seen.too_early << " failed " << seen.failed << " cpu "
            << (cpu_milliseconds(controller) - cpu_before) / changes << " envoy_cpu "
            << (cpu_milliseconds(envoy) - envoy_before) / changes << " start " << start << " rss_idle "
            << idle_memory << " rss " << memory(controller) << "\n";
  return 0;
}

/// Calls `one` with each number below `count`, several in parallel.
void in_parallel(int count, const std::function<void(int)>& one) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([&] {
      for (int number = next++; number < count; number = next++) one(number);
    });
  }
}

int measure_burst(Cluster& cluster, int count, int changes) {
  cluster.apply_routes(count);
  Statuses statuses(cluster.rig.client());
  cluster.rig.start_controller();
  cluster.wait_until("all statuses",
                     [&] { return statuses.since_all(static_cast<std::size_t>(count)).has_value(); });
  cluster.wait_until("traffic", [&] { return cluster.version(count - 1) == 0; });
  std::vector<double> traffic, written;
  for (int round = 1; round <= 5; ++round) {
    const SteadyTime began = now();
    double last_write = 0;
    std::jthread writer([&] {
      in_parallel(changes, [&](int number) { cluster.change(number, round); });
      last_write = milliseconds(now() - began);
    });
    // Those that are right stay right.
    for (int number = 0; number < changes; ++number)
      cluster.wait_until("a burst", [&] { return cluster.version(number) == round; });
    traffic.push_back(milliseconds(now() - began));
    writer.join();
    written.push_back(last_write);
    std::this_thread::sleep_for(2s);
  }
  std::cout << "routes " << count << " changes " << changes << " traffic " << percentile(traffic, 0.5)
            << " worst " << percentile(traffic, 1) << " writing " << percentile(written, 0.5) << "\n";
  return 0;
}

int measure_cold(Cluster& cluster, int count) {
  Statuses statuses(cluster.rig.client());
  cluster.rig.start_controller();
  cluster.wait_until("the Gateway", [&] { return cluster.rig.programmed("web") == "True Programmed"; });
  const SteadyTime began = now();
  double written = 0;
  std::jthread writer([&] {
    in_parallel(count, [&](int number) {
      const auto made = cluster.rig.client().create(routes, *k8s::Dynamic::from(route_of(number, 0)));
      if (!made) give_up(made.error().message, cluster.rig);
    });
    written = milliseconds(now() - began);
  });
  std::optional<SteadyTime> accepted;
  double traffic = 0;
  // A sample, for the clock; all of them afterwards, for the truth.
  constexpr int sample = 50;
  for (int i = 1; i <= sample; ++i) {
    const int number = count * i / sample - 1;
    cluster.wait_until("traffic", [&] { return cluster.version(number) == 0; });
  }
  traffic = milliseconds(now() - began);
  cluster.wait_until("all statuses", [&] {
    accepted = statuses.since_all(static_cast<std::size_t>(count));
    return accepted.has_value();
  });
  writer.join();
  int wrong = 0;
  for (int number = 0; number < count; ++number) wrong += cluster.version(number) != 0;
  std::cout << "routes " << count << " accepted " << milliseconds(*accepted - began) << " traffic " << traffic
            << " writing " << written << " wrong " << wrong << " rss " << memory(cluster.rig.controller_pid())
            << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t at) {
    return at < words.size() ? static_cast<int>(std::strtol(words[at].c_str(), nullptr, 10)) : 0;
  };
  const bool is_cold = !words.empty() && words[0] == "cold";
  const bool is_faults = !words.empty() && words[0] == "faults";
  if (words.size() != (is_cold ? 4U : 5U) || (!is_faults && number(3) < 1) || (!is_cold && number(4) < 1)) {
    std::cerr << "usage: bench_gateway changes|burst CONTROLLER ENVOY ROUTES CHANGES, cold CONTROLLER ENVOY "
                 "ROUTES, or faults CONTROLLER ENVOY FOLDER CHANGES\n";
    return 2;
  }
  if (is_faults) return measure_faults(words[1], words[2], words[3], number(4));
  Cluster cluster(words[1], words[2]);
  if (words[0] == "changes") return measure_changes(cluster, number(3), number(4));
  if (words[0] == "burst") return measure_burst(cluster, number(3), number(4));
  return measure_cold(cluster, number(3));
}
