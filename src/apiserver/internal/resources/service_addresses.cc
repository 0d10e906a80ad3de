// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/service_addresses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/resources/service_families.h"
#include "apiserver/internal/resources/stored_object.h"
#include "base/ipv4.h"
#include "base/quoted_text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view ips_path = "spec.clusterIPs", ip_path = "spec.clusterIP",
                           health_path = "spec.healthCheckNodePort";

/// The addresses and ports of one Service.
struct Possessions {
  std::vector<std::uint32_t> addresses;
  std::vector<int> ports;
};

std::vector<int> node_ports_of(const Dynamic& service) {
  std::vector<int> ports;
  for (const k8s::View& port : service.items("spec.ports")) {
    if (const auto number = port.integer("nodePort"); number > 0) ports.push_back(static_cast<int>(number));
  }
  return ports;
}

Possessions possessions_of(const Dynamic& service) {
  Possessions found{.addresses = {}, .ports = node_ports_of(service)};
  for (const std::string_view ip : service.texts(ips_path)) {
    if (const auto address = parse_ipv4(ip)) found.addresses.push_back(*address);
  }
  if (const auto port = service.integer(health_path); port > 0) found.ports.push_back(static_cast<int>(port));
  return found;
}

bool has(const std::vector<int>& ports, int port) {
  return std::ranges::find(ports, port) != ports.end();
}

/// Returns the first free number of [first, last], beginning at a random one; std::nullopt: there is none.
template <class Number, class Taken>
std::optional<Number> free_one(Number first, Number last, double random, const Taken& is_taken) {
  if (last < first) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(last - first) + 1;
  const auto begin = static_cast<std::uint64_t>(random * static_cast<double>(size));
  for (std::uint64_t i = 0; i < size; ++i) {
    const Number one = first + static_cast<Number>((begin + i) % size);
    if (!is_taken(one)) return one;
  }
  return std::nullopt;
}

}  // namespace

/// The completion of one Service, under the lock.
class ServiceAddresses::Assignment {
 public:
  Assignment(ServiceAddresses& owner, Dynamic& service, const Dynamic* old, const Random& random,
             bool dry_run)
      : owner_(owner), service_(service), old_(old), random_(random), dry_run_(dry_run) {}

  k8s::StatusResult<void> run() {
    if (old_ != nullptr) take_from_before();
    normalize_cluster_ips(service_, old_);
    if (auto done = set_families(service_, old_); !done) return done;
    if (auto read = read_taken(); !read) return read;
    if (auto done = assign_address(); !done) return done;
    if (auto done = assign_node_ports(); !done) return done;
    return assign_health_check_port();
  }

  Held hold() {
    Held held;
    if (dry_run_) return held;
    held.owner_ = &owner_;
    owner_.held_addresses_.insert(new_addresses_.begin(), new_addresses_.end());
    owner_.held_ports_.insert(new_ports_.begin(), new_ports_.end());
    held.addresses_ = std::move(new_addresses_);
    held.ports_ = std::move(new_ports_);
    return held;
  }

 private:
  /// Takes over values that the server had set and the client leaves out: patchAllocatedValues.
  void take_from_before() {
    if (needs_cluster_ip(*old_) && needs_cluster_ip(service_)) {
      for (const std::string_view path : {ip_path, ips_path}) {
        const json::Value* before = old_->find(path);
        const bool is_unset = service_.text(path).empty() && service_.texts(path).empty();
        if (is_unset && before != nullptr) service_.set(path, json::Value(*before));
      }
    }
    if (needs_node_port(*old_) && needs_node_port(service_)) {
      const std::vector<int> before = node_ports_of(*old_), now = node_ports_of(service_);
      std::map<std::string, int, std::less<>> by_name;
      for (const k8s::View& port : old_->items("spec.ports")) {
        by_name[std::string(port.text("name"))] = static_cast<int>(port.integer("nodePort"));
      }
      for (k8s::Editor& port : service_.edit_items("spec.ports")) {
        const auto found = by_name.find(port.text("name"));
        if (port.integer("nodePort") != 0 || found == by_name.end() || found->second == 0) continue;
        if (!has(before, found->second) || !has(now, found->second)) {
          port.set("nodePort", json::Value(found->second));
        }
      }
    }
    if (needs_health_check_port(*old_) && needs_health_check_port(service_) &&
        service_.integer(health_path) == 0 && old_->integer(health_path) != 0) {
      service_.set(health_path, json::Value(old_->integer(health_path)));
    }
  }

  /// Reads the addresses and ports of the stored Services and of those that are being written.
  k8s::StatusResult<void> read_taken() {
    const auto all = owner_.storage_.list({.resource = "services"});
    if (!all) return std::unexpected(status_of(all.error()));
    static const std::uint64_t tag = std::hash<std::string_view>{}("addresses of a Service");
    for (const storage::RecordPtr& record : all->records) {
      const auto& found =
          record->derived().get<Possessions>(tag, [&] { return possessions_of(parse(*record)); });
      taken_addresses_.insert(found.addresses.begin(), found.addresses.end());
      taken_ports_.insert(found.ports.begin(), found.ports.end());
    }
    taken_addresses_.insert(owner_.held_addresses_.begin(), owner_.held_addresses_.end());
    taken_ports_.insert(owner_.held_ports_.begin(), owner_.held_ports_.end());
    return {};
  }

  k8s::StatusResult<void> assign_address() {
    if (!needs_cluster_ip(service_) || keeps_dual_stack(service_, old_)) return {};
    if (service_.text(ip_path) == "None") return {};
    // An address stays, until the Service has another type.
    if (old_ != nullptr && needs_cluster_ip(*old_) && !old_->text(ip_path).empty()) return {};
    const json::Value asked =
        service_.find(ips_path) != nullptr ? *service_.find(ips_path) : json::Value(json::Array{""});
    if (const std::string ip(service_.text(ip_path)); !ip.empty()) {
      const std::string fault = take(ip);
      if (fault.empty()) return {};
      return std::unexpected(invalid_service(
          service_, {FieldError::invalid(ips_path, asked, "failed to allocate IP " + ip + ": " + fault)}));
    }
    const auto address = next_address();
    if (!address) {
      return std::unexpected(k8s::answer::internal_error("failed to allocate a serviceIP for Service " +
                                                         quote(service_.name()) + ": range is full"));
    }
    const std::string text = ipv4_text(*address);
    service_.set(ip_path, text);
    service_.set(ips_path, json::Value(json::Array{json::Value(text)}));
    return {};
  }

  /// Allocates an address that is asked for. Returns the fault if that is not possible; empty: it is
  /// allocated.
  std::string take(const std::string& ip) {
    const auto address = parse_ipv4(ip);
    const ServiceNetwork& network = owner_.network_;
    const bool is_usable = address && network.is_usable(*address);
    if (!is_usable && !dry_run_) return "the provided network does not match the current range";
    if (!is_usable) {
      return "the provided IP (" + ip + ") is not in the valid range. The range of valid IPs is " +
             network.to_string();
    }
    if (dry_run_) return {};
    if (taken_addresses_.contains(*address)) return "provided IP is already allocated";
    new_addresses_.insert(*address);
    return {};
  }

  std::optional<std::uint32_t> next_address() {
    const ServiceNetwork& network = owner_.network_;
    if (dry_run_) return network.base();
    const auto is_taken = [&](std::uint32_t one) { return taken_addresses_.contains(one); };
    const std::uint32_t upper = network.first() + network.reserved();
    auto found = free_one(upper, network.last(), random_(), is_taken);
    if (!found) found = free_one(network.first(), upper - 1, random_(), is_taken);
    if (found) new_addresses_.insert(*found);
    return found;
  }

  k8s::StatusResult<void> assign_node_ports() {
    const std::string type(service_.text("spec.type"));
    if (type != "NodePort" && type != "LoadBalancer") return {};
    const std::vector<int> before = old_ != nullptr ? node_ports_of(*old_) : std::vector<int>{};
    // Ports of the same number (for TCP and UDP) have the same of the nodes, in a Service that is created.
    std::map<std::int64_t, int> asked, given;
    for (const k8s::View& port : service_.items("spec.ports")) {
      const int number = static_cast<int>(port.integer("nodePort"));
      if (old_ == nullptr && number != 0) asked.try_emplace(port.integer("port"), number);
    }
    std::size_t index = 0;
    for (k8s::Editor& port : service_.edit_items("spec.ports")) {
      const std::string path = "spec.ports[" + std::to_string(index++) + "].nodePort";
      const std::int64_t own = port.integer("port");
      int number = static_cast<int>(port.integer("nodePort"));
      if (number == 0 && !needs_node_port(service_)) continue;
      if (number == 0 && asked.contains(own)) number = asked.at(own);
      if (number == 0 && given.contains(own)) number = given.at(own);
      if (number == 0) {
        const auto free = next_port();
        if (!free) {
          return std::unexpected(k8s::answer::internal_error("failed to allocate a nodePort: range is full"));
        }
        number = *free;
      } else if (old_ == nullptr ? !given.contains(own) || given.at(own) != number
                                 : !has(before, number) && !new_ports_.contains(number)) {
        if (const std::string fault = take_port(number); !fault.empty()) {
          return std::unexpected(
              invalid_service(service_, {FieldError::invalid(path, json::Value(number), fault)}));
        }
      }
      port.set("nodePort", json::Value(number));
      if (old_ == nullptr) given.try_emplace(own, number);
    }
    return {};
  }

  k8s::StatusResult<void> assign_health_check_port() {
    if (!needs_health_check_port(service_)) return {};
    if (old_ != nullptr && needs_health_check_port(*old_)) return {};
    const int wanted = static_cast<int>(service_.integer(health_path));
    if (wanted == 0) {
      const auto number = next_port();
      if (!number) {
        return std::unexpected(
            k8s::answer::internal_error("failed to allocate a HealthCheck NodePort 0: range is full"));
      }
      service_.set(health_path, json::Value(*number));
      return {};
    }
    const std::string fault = take_port(wanted);
    if (fault.empty()) return {};
    return std::unexpected(k8s::answer::internal_error("failed to allocate requested HealthCheck NodePort " +
                                                       std::to_string(wanted) + ": " + fault));
  }

  std::string take_port(int port) {
    constexpr int first = ServiceNetwork::first_port, last = ServiceNetwork::last_port;
    if (!dry_run_ && (port < first || port > last)) {
      return "provided port is not in the valid range. The range of valid ports is " + std::to_string(first) +
             "-" + std::to_string(last);
    }
    if (taken_ports_.contains(port) || !new_ports_.insert(port).second) {
      return "provided port is already allocated";
    }
    return {};
  }

  std::optional<int> next_port() {
    const auto is_taken = [&](int one) { return taken_ports_.contains(one) || new_ports_.contains(one); };
    constexpr int first = ServiceNetwork::first_port, upper = first + ServiceNetwork::reserved_ports;
    auto found = free_one(upper, ServiceNetwork::last_port, random_(), is_taken);
    if (!found) found = free_one(first, upper - 1, random_(), is_taken);
    if (found) new_ports_.insert(*found);
    return found;
  }

  ServiceAddresses& owner_;
  Dynamic& service_;
  const Dynamic* old_;
  const Random& random_;
  bool dry_run_;
  std::set<std::uint32_t> taken_addresses_, new_addresses_;
  std::set<int> taken_ports_, new_ports_;
};

ServiceAddresses::Held::~Held() {
  if (owner_ == nullptr) return;
  const std::scoped_lock lock(owner_->mutex_);
  for (const std::uint32_t address : addresses_) owner_->held_addresses_.erase(address);
  for (const int port : ports_) owner_->held_ports_.erase(port);
}

k8s::StatusResult<ServiceAddresses::Held> ServiceAddresses::assign(Dynamic& service, const Dynamic* old,
                                                                   const Random& random, bool dry_run) {
  const std::scoped_lock lock(mutex_);
  Assignment assignment(*this, service, old, random, dry_run);
  if (auto done = assignment.run(); !done) return std::unexpected(done.error());
  return assignment.hold();
}

}  // namespace fairway::apiserver::resources
