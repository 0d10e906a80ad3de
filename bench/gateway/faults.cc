// SPDX-License-Identifier: Apache-2.0

#include "faults.h"

#include <algorithm>
#include <csignal>
#include <iomanip>
#include <memory>
#include <set>
#include <vector>

#include "base/text.h"
#include "changes.h"
#include "gateway/check.h"
#include "statuses.h"
#include "support/gateway_fault.h"
#include "support/taken_port.h"

namespace fairway::bench {

namespace {

constexpr int good_routes = 20;
/// Name of the fault that is also measured with the port of its second listener taken, which no object shows.
constexpr std::string_view has_second_port = "ports-ten-thousand-apart";

/// Returns the conditions that report more than success, each once: "PartiallyInvalid=True UnsupportedValue".
std::set<std::string> telling_conditions(const k8s::View& owner) {
  std::set<std::string> found;
  for (const k8s::Condition& one : owner.items<k8s::Condition>("conditions")) {
    if (one.status() == k8s::ConditionStatus::is_true && one.type() == one.reason()) continue;
    found.insert(testing::text_of(one));
  }
  return found;
}

/// Prints an object's status, one line for each part of it.
void show_conditions(const k8s::Dynamic& object) {
  const auto show = [&](const std::string& what, const k8s::View& owner) {
    const std::set<std::string> telling = telling_conditions(owner);
    std::cout << "  " << what << ": "
              << (telling.empty() ? "all True" : join({telling.begin(), telling.end()}, ", ")) << "\n";
  };
  const std::string name = std::string(object.kind()) + " " + std::string(object.name());
  const k8s::View status = object.at("status");
  if (!status.items("conditions").empty()) show(name, status);
  for (const k8s::View& one : status.items("listeners"))
    show(name + ", listener " + std::string(one.text("name")), one);
  for (const char* list : {"parents", "ancestors"}) {
    for (const k8s::View& one : status.items(list)) show(name, one);
  }
}

/// Measures one fault.
class FaultBeside {
 public:
  FaultBeside(const std::string& controller, const std::string& envoy, std::filesystem::path folder,
              std::string name, int changes, bool port_is_taken)
      : folder_(std::move(folder)), name_(std::move(name)), changes_(changes), cluster_(controller, envoy) {
    ports_ = {{"8080", std::to_string(cluster_.port)},
              {"8443", std::to_string(testing::free_loopback_port())},
              {"18080", std::to_string(port_is_taken ? taken_.port() : testing::free_loopback_port())},
              {"3001", std::to_string(cluster_.backend->port())},
              {"3002", std::to_string(cluster_.backend->port())}};
  }

  void measure() {
    cluster_.rig.apply(testing::with_ports(read_file((folder_ / "good.yaml").string()).value_or(""), ports_));
    cluster_.apply_routes(good_routes);
    Statuses statuses(cluster_.rig.client());
    cluster_.rig.start_controller();
    cluster_.wait_until("statuses", [&] {
      int there = 0;
      for (int route = 0; route < good_routes; ++route) there += statuses.since(route, 1).has_value();
      return there == good_routes;
    });
    wait_for_good();
    const testing::GatewayFault fault = testing::read_gateway_fault(folder_, name_, ports_);
    for (const gateway::SourceText& source : fault.sources) cluster_.rig.apply(source.text);
    change(statuses, "beside it");
    show(fault);

    SteadyTime began = now();
    cluster_.rig.kill_envoy();
    wait_for_good();
    change(statuses, "Envoy killed, all right after " + text(milliseconds(now() - began)) + " ms");
    began = now();
    cluster_.rig.end_controller(SIGKILL);
    cluster_.rig.start_controller();
    wait_for_good();
    change(statuses, "controller killed, all right after " + text(milliseconds(now() - began)) + " ms");
  }

  /// Returns the results of all changes.
  const Changes& all() const { return all_; }

 private:
  static std::string text(double value) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(1) << value;
    return out.str();
  }
  /// Waits until each good route answers with its last version.
  void wait_for_good() const {
    for (std::size_t route = 0; route < versions_.size(); ++route) {
      const int number = static_cast<int>(route);
      cluster_.wait_until("traffic of " + name_of(number),
                          [&] { return cluster_.version(number) == versions_[route]; });
    }
  }
  void change(Statuses& statuses, const std::string& when) {
    const Changes seen = change_in_turn(cluster_, statuses, good_routes, changes_, next_version_);
    for (int number = 1; number <= changes_; ++number)
      versions_[static_cast<std::size_t>(changed_route(number, good_routes))] = next_version_++;
    std::cout << "  " << when << ": change to traffic p50 " << text(percentile(seen.to_traffic, 0.5))
              << " ms, p99 " << text(percentile(seen.to_traffic, 0.99)) << " ms; to status p50 "
              << text(percentile(seen.to_status, 0.5)) << " ms; True before traffic " << seen.too_early
              << ", failed " << seen.failed << "\n";
    all_.to_traffic.insert(all_.to_traffic.end(), seen.to_traffic.begin(), seen.to_traffic.end());
    all_.too_early += seen.too_early;
    all_.failed += seen.failed;
  }
  /// Prints the state of the fault. It has settled by then: the good routes beside it have been changed
  /// before.
  void show(const testing::GatewayFault& fault) const {
    const auto checked = gateway::check(fault.sources, Clock::system().now(),
                                        {.addresses = "127.0.0.1", .endpoint_cidrs = "127.0.0.1"});
    if (!checked) give_up(checked.error().message, cluster_.rig);
    for (const k8s::View& item : k8s::View(checked->list.get_object()).items("items")) {
      const std::string kind(item.text("kind")), name(item.text("metadata.name"));
      if (kind == "GatewayClass" || name == "good") continue;
      cluster_.rig.wait_until_current(kind, name);
      if (const auto object = cluster_.rig.get(kind, name)) show_conditions(*object);
    }
    for (const std::string& line : fault.answers) {
      const auto words = split(line, ' ');
      if (words.size() < 3) give_up("an answer without port, host and path: " + line, cluster_.rig);
      const auto answer = testing::ask(std::stoi(ports_.at(std::string(words[0]))), words[1], words[2]);
      std::cout << "  " << words[1] << words[2] << ": "
                << (answer.status == 0 ? "no answer" : std::to_string(answer.status)) << "\n";
    }
  }

  const std::filesystem::path folder_;
  const std::string name_;
  const int changes_;
  const testing::TakenPort taken_;
  Cluster cluster_;
  testing::PortsOfFiles ports_;
  std::vector<int> versions_ = std::vector<int>(good_routes, 0);
  int next_version_ = 1;
  Changes all_;
};

/// Returns the title in the file's first line.
std::string title_of(const std::filesystem::path& file) {
  const std::string text = read_file(file.string()).value_or("");
  return text.starts_with("# ") ? text.substr(2, text.find('\n') - 2) : "";
}

}  // namespace

int measure_faults(const std::string& controller, const std::string& envoy,
                   const std::filesystem::path& folder, int changes) {
  const std::vector<std::string> names = testing::gateway_fault_names(folder);
  double p50 = 0, p99 = 0;
  int too_early = 0, failed = 0;
  const auto measure = [&](const std::string& name, bool port_is_taken) {
    std::cout << name << (port_is_taken ? ", where the second port is taken" : "") << " ("
              << title_of(folder / (name + ".txt")) << ")\n";
    FaultBeside fault(controller, envoy, folder, name, changes, port_is_taken);
    fault.measure();
    p50 = std::max(p50, percentile(fault.all().to_traffic, 0.5));
    p99 = std::max(p99, percentile(fault.all().to_traffic, 0.99));
    too_early += fault.all().too_early;
    failed += fault.all().failed;
  };
  for (const std::string& name : names) measure(name, false);
  measure(std::string(has_second_port), true);
  std::cout << "faults " << names.size() + 1 << " changes "
            << changes * 3 * (static_cast<int>(names.size()) + 1) << " worst_p50 " << p50 << " worst_p99 "
            << p99 << " too_early " << too_early << " failed " << failed << "\n";
  return 0;
}

}  // namespace fairway::bench
