// What a change of a route costs until its traffic is right, and whether its status waits for that.
//
//   bench_gateway changes CONTROLLER ENVOY ROUTES CHANGES
//   bench_gateway burst CONTROLLER ENVOY ROUTES CHANGES
//   bench_gateway cold CONTROLLER ENVOY ROUTES
//
// The controller and Envoy are processes, the API server is the embedded one of this process, which also is
// the backend and the client. One Gateway, and routes with a hostname each, which set a header of the answer
// to their version. `changes` patches one route after the other under requests on fresh connections, one
// every 2 ms; `burst` patches so many at once; `cold` makes all routes anew while the controller runs. Each
// prints one line of `name value` pairs; times are milliseconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "support/gateway_rig.h"

namespace {

using namespace fairway;
using namespace std::chrono_literals;
using testing::GatewayRig;

const k8s::GroupVersionResource routes{"gateway.networking.k8s.io", "v1", "httproutes"};
/// Between the beginnings of two requests.
constexpr auto pace = 2ms;
/// How long requests go on once a change has been seen in status and traffic.
constexpr auto aftermath = 20ms;
constexpr int writers = 4;

[[noreturn]] void give_up(const std::string& why, const GatewayRig& rig) {
  std::cerr << "error: " << why << "\n" << rig.log().substr(0, 4000) << "\n";
  std::exit(1);
}

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
SteadyTime now() {
  return Clock::system().steady();
}

double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

std::string name_of(int number) {
  return "route-" + std::to_string(number);
}
std::string host_of(int number) {
  return name_of(number) + ".example.com";
}

json::Object route_of(int number, int version) {
  json::Object header{{"name", "x-version"}, {"value", std::to_string(version)}};
  json::Object filter{{"type", "ResponseHeaderModifier"},
                      {"responseHeaderModifier", json::Object{{"set", json::Array{std::move(header)}}}}};
  json::Object rule{{"filters", json::Array{std::move(filter)}},
                    {"backendRefs", json::Array{json::Object{{"name", "cart"}, {"port", 80}}}}};
  return {{"apiVersion", "gateway.networking.k8s.io/v1"},
          {"kind", "HTTPRoute"},
          {"metadata", json::Object{{"name", name_of(number)}, {"namespace", "shop"}}},
          {"spec", json::Object{{"parentRefs", json::Array{json::Object{{"name", "web"}}}},
                                {"hostnames", json::Array{host_of(number)}},
                                {"rules", json::Array{std::move(rule)}}}}};
}

/// CPU time of a process until now.
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

/// "VmRSS" of a process, in MiB.
double memory(int pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = text ? text->find("VmRSS:") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtod(text->c_str() + at + 6, nullptr) / 1024;
}

/// Which generation the status of each route is of, and since when, by a watch.
class Statuses {
 public:
  explicit Statuses(kube::Client& client)
      : thread_([this, &client](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            [[maybe_unused]] const auto ended = client.watch(
                routes, "shop", {}, [this](const kube::WatchEvent& event) { return note(event.object); },
                {.stop = stop});
          }
        }) {}

  /// When the status was True for a generation; std::nullopt: it has not come.
  std::optional<SteadyTime> since(int route, std::int64_t generation) {
    const std::lock_guard lock(mutex_);
    const auto found = seen_.find(name_of(route));
    if (found == seen_.end() || found->second.generation < generation) return std::nullopt;
    return found->second.at;
  }
  /// When the last of so many routes got its first status; std::nullopt: it has not.
  std::optional<SteadyTime> since_all(std::size_t count) {
    const std::lock_guard lock(mutex_);
    if (seen_.size() < count) return std::nullopt;
    SteadyTime last{};
    for (const auto& [name, seen] : seen_) last = std::max(last, seen.at);
    return last;
  }

 private:
  struct Seen {
    std::int64_t generation = 0;
    SteadyTime at;
  };
  Result<void> note(const k8s::Dynamic& object) {
    const SteadyTime at = now();
    const auto parents = object.items("status.parents");
    if (parents.empty() ||
        testing::condition_of(parents.at(0), "Accepted", object.generation()) != "True Accepted")
      return {};
    const std::lock_guard lock(mutex_);
    Seen& seen = seen_[std::string(object.name())];
    if (seen.generation < object.generation()) seen = {object.generation(), at};
    return {};
  }

  std::mutex mutex_;
  std::map<std::string, Seen> seen_;
  std::jthread thread_;
};

struct Bench {
  Bench(const std::string& controller, const std::string& envoy) : rig(controller, envoy) {
    const std::string backend_port = std::to_string(backend->port());
    rig.apply_gateway(port);
    rig.apply(R"(
{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: 80}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-1, namespace: shop, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: )" +
              backend_port + R"(}]
endpoints: [{addresses: [127.0.0.1], conditions: {ready: true}}]
)");
  }

  void apply_routes(int count) {
    std::string text;
    for (int number = 0; number < count; ++number) text += json::to_text(route_of(number, 0)) + "\n---\n";
    rig.apply(text);
  }
  /// The version in the answer; -1: there is none.
  int version(int route) const {
    const auto answer = testing::ask(port, host_of(route));
    const std::size_t at = answer.head.find("x-version: ");
    if (answer.status != 200 || at == std::string::npos) return -1;
    return static_cast<int>(std::strtol(answer.head.c_str() + at + 11, nullptr, 10));
  }
  /// The generation that the change makes.
  std::int64_t change(int route, int to) const {
    const auto changed = rig.client().patch(
        routes, {"shop", name_of(route)}, kube::PatchType::merge,
        json::Object{{"spec", json::Object{{"rules", route_of(route, to).at("spec").at("rules")}}}});
    if (!changed) give_up(changed.error().message, rig);
    return changed->generation();
  }
  void wait_until(const std::string& what, const std::function<bool()>& holds) const {
    const SteadyTime end = now() + 300s;
    while (!holds()) {
      if (now() > end) give_up("it did not come in five minutes: " + what, rig);
      std::this_thread::sleep_for(2ms);
    }
  }

  const int port = testing::free_loopback_port();
  const std::unique_ptr<http::Server> backend = testing::named_backend("cart");
  GatewayRig rig;
};

int measure_changes(Bench& bench, int count, int changes) {
  bench.apply_routes(count);
  Statuses statuses(bench.rig.client());
  const SteadyTime started = now();
  bench.rig.start_controller();
  bench.wait_until("all statuses",
                   [&] { return statuses.since_all(static_cast<std::size_t>(count)).has_value(); });
  bench.wait_until("traffic", [&] { return bench.version(count - 1) == 0; });
  const double start = milliseconds(now() - started);
  const int controller = bench.rig.controller_pid(), envoy = bench.rig.envoy_pid();
  const double idle_memory = memory(controller);
  const double cpu_before = cpu_milliseconds(controller), envoy_before = cpu_milliseconds(envoy);

  struct Asked {
    SteadyTime began, ended;
    int version;
  };
  std::mutex mutex;
  std::vector<Asked> asked;
  std::atomic<int> target = 0;
  std::jthread prober([&](const std::stop_token& stop) {
    SteadyTime next = now();
    while (!stop.stop_requested()) {
      next = std::max(next + pace, now());
      std::this_thread::sleep_until(next);
      const int route = target;
      const SteadyTime began = now();
      const int version = bench.version(route);
      const std::lock_guard lock(mutex);
      if (route == target) asked.push_back({began, now(), version});
    }
  });
  std::vector<double> to_traffic, to_status;
  int too_early = 0, failed = 0;
  for (int number = 1; number <= changes; ++number) {
    const int route = (number * 7919) % count;
    {
      const std::lock_guard lock(mutex);
      target = route;
      asked.clear();
    }
    std::this_thread::sleep_for(aftermath);
    const SteadyTime changed = now();
    const std::int64_t generation = bench.change(route, number);
    std::optional<SteadyTime> in_traffic, in_status;
    bench.wait_until("change " + std::to_string(number), [&] {
      in_status = statuses.since(route, generation);
      const std::lock_guard lock(mutex);
      const auto found = std::ranges::find(asked, number, &Asked::version);
      if (found != asked.end()) in_traffic = found->ended;
      return in_status && in_traffic;
    });
    std::this_thread::sleep_for(aftermath);
    to_traffic.push_back(milliseconds(*in_traffic - changed));
    to_status.push_back(milliseconds(*in_status - changed));
    const std::lock_guard lock(mutex);
    too_early += std::ranges::any_of(
        asked, [&](const Asked& one) { return one.began > *in_status && one.version != number; });
    failed += static_cast<int>(std::ranges::count(asked, -1, &Asked::version));
  }
  const auto slowest = std::ranges::max_element(to_traffic);
  std::cout << "routes " << count << " changes " << changes << " slowest " << *slowest << " slowest_at "
            << slowest - to_traffic.begin() + 1 << " traffic_p50 " << percentile(to_traffic, 0.5)
            << " traffic_p99 " << percentile(to_traffic, 0.99) << " status_p50 " << percentile(to_status, 0.5)
            << " status_p99 " << percentile(to_status, 0.99) << " too_early " << too_early << " failed "
            << failed << " cpu " << (cpu_milliseconds(controller) - cpu_before) / changes << " envoy_cpu "
            << (cpu_milliseconds(envoy) - envoy_before) / changes << " start " << start << " rss_idle "
            << idle_memory << " rss " << memory(controller) << "\n";
  return 0;
}

/// Calls `one` with each number below `count`, some at once.
void in_parallel(int count, const std::function<void(int)>& one) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([&] {
      for (int number = next++; number < count; number = next++) one(number);
    });
  }
}

int measure_burst(Bench& bench, int count, int changes) {
  bench.apply_routes(count);
  Statuses statuses(bench.rig.client());
  bench.rig.start_controller();
  bench.wait_until("all statuses",
                   [&] { return statuses.since_all(static_cast<std::size_t>(count)).has_value(); });
  bench.wait_until("traffic", [&] { return bench.version(count - 1) == 0; });
  std::vector<double> traffic, written;
  for (int round = 1; round <= 5; ++round) {
    const SteadyTime began = now();
    double last_write = 0;
    std::jthread writer([&] {
      in_parallel(changes, [&](int number) { bench.change(number, round); });
      last_write = milliseconds(now() - began);
    });
    // Those that are right stay right.
    for (int number = 0; number < changes; ++number)
      bench.wait_until("a burst", [&] { return bench.version(number) == round; });
    traffic.push_back(milliseconds(now() - began));
    writer.join();
    written.push_back(last_write);
    std::this_thread::sleep_for(2s);
  }
  std::cout << "routes " << count << " changes " << changes << " traffic " << percentile(traffic, 0.5)
            << " worst " << percentile(traffic, 1) << " writing " << percentile(written, 0.5) << "\n";
  return 0;
}

int measure_cold(Bench& bench, int count) {
  Statuses statuses(bench.rig.client());
  bench.rig.start_controller();
  bench.wait_until("the Gateway", [&] { return bench.rig.programmed("web") == "True Programmed"; });
  const SteadyTime began = now();
  double written = 0;
  std::jthread writer([&] {
    in_parallel(count, [&](int number) {
      const auto made = bench.rig.client().create(routes, *k8s::Dynamic::from(route_of(number, 0)));
      if (!made) give_up(made.error().message, bench.rig);
    });
    written = milliseconds(now() - began);
  });
  std::optional<SteadyTime> accepted;
  double traffic = 0;
  // A sample, for the clock; all of them afterwards, for the truth.
  constexpr int sample = 50;
  for (int i = 1; i <= sample; ++i) {
    const int number = count * i / sample - 1;
    bench.wait_until("traffic", [&] { return bench.version(number) == 0; });
  }
  traffic = milliseconds(now() - began);
  bench.wait_until("all statuses", [&] {
    accepted = statuses.since_all(static_cast<std::size_t>(count));
    return accepted.has_value();
  });
  writer.join();
  int wrong = 0;
  for (int number = 0; number < count; ++number) wrong += bench.version(number) != 0;
  std::cout << "routes " << count << " accepted " << milliseconds(*accepted - began) << " traffic " << traffic
            << " writing " << written << " wrong " << wrong << " rss " << memory(bench.rig.controller_pid())
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
  if (words.size() != (is_cold ? 4U : 5U) || number(3) < 1 || (!is_cold && number(4) < 1)) {
    std::cerr
        << "usage: bench_gateway changes|burst CONTROLLER ENVOY ROUTES CHANGES, or cold CONTROLLER ENVOY "
           "ROUTES\n";
    return 2;
  }
  Bench bench(words[1], words[2]);
  if (words[0] == "changes") return measure_changes(bench, number(3), number(4));
  if (words[0] == "burst") return measure_burst(bench, number(3), number(4));
  return measure_cold(bench, number(3));
}
