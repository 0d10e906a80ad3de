// SPDX-License-Identifier: Apache-2.0

// Services and what leads to them.
#include <algorithm>
#include <set>

#include "apiserver/internal/table/cells.h"
#include "base/text.h"

namespace fairway::apiserver::table {
namespace {

using k8s::View;

constexpr std::size_t most_shown = 3;

/// Returns the addresses or names of a load balancer, sorted.
std::vector<std::string> ingress_of(const View& object) {
  std::set<std::string> found;
  for (const View& one : object.items("status.loadBalancer.ingress")) {
    const std::string name = text_or(one, "ip", one.text("hostname"));
    if (!name.empty()) found.insert(name);
  }
  return {found.begin(), found.end()};
}

std::string external_address(const View& service) {
  const std::string_view type = service.text("spec.type");
  std::vector<std::string> addresses;
  if (type == "ExternalName") return std::string(service.text("spec.externalName"));
  if (type == "LoadBalancer") {
    addresses = ingress_of(service);
  } else if (type != "ClusterIP" && type != "NodePort") {
    return "<unknown>";
  }
  for (const std::string_view address : service.texts("spec.externalIPs")) addresses.emplace_back(address);
  if (!addresses.empty()) return join(addresses, ",");
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

std::string ports_of(const View& service) {
  std::vector<std::string> ports;
  for (const View& port : service.items("spec.ports")) {
    std::string text = std::to_string(port.integer("port"));
    if (port.integer("nodePort") > 0) text += ":" + std::to_string(port.integer("nodePort"));
    ports.push_back(text + "/" + std::string(port.text("protocol")));
  }
  return ports.empty() ? "<none>" : join(ports, ",");
}

Row service(const View& object, WallTime now) {
  const std::vector<std::string_view> addresses = object.texts("spec.clusterIPs");
  return {{name_of(object), object.text("spec.type"),
           addresses.empty() ? text_or(object, "spec.clusterIP", "<none>") : std::string(addresses.front()),
           external_address(object), ports_of(object), age(object, now),
           labels_text(object.map("spec.selector"))},
          {}};
}

std::string host_and_port(std::string_view address, std::int64_t port) {
  const bool is_ipv6 = address.find(':') != std::string_view::npos;
  return (is_ipv6 ? "[" + std::string(address) + "]" : std::string(address)) + ":" + std::to_string(port);
}

Row endpoints(const View& object, WallTime now) {
  std::vector<std::string> all;
  for (const View& subset : object.items("subsets")) {
    const std::vector<View> ports = subset.items("ports"), addresses = subset.items("addresses");
    if (ports.empty()) {
      for (const View& address : addresses) all.emplace_back(address.text("ip"));
    }
    for (const View& port : ports) {
      for (const View& address : addresses) {
        all.push_back(host_and_port(address.text("ip"), port.integer("port")));
      }
    }
  }
  const std::size_t left_out = all.size() > most_shown ? all.size() - most_shown : 0;
  all.resize(all.size() - left_out);
  const bool is_empty = object.items("subsets").empty();
  return {{name_of(object), is_empty ? std::string("<none>") : with_more(all, left_out), age(object, now)},
          {}};
}

std::string few_of(std::vector<std::string> all) {
  if (all.empty()) return "<unset>";
  const std::size_t left_out = all.size() > most_shown ? all.size() - most_shown : 0;
  all.resize(all.size() - left_out);
  std::string text = with_more(all, left_out);
  return text.empty() ? "<unset>" : text;
}

Row endpoint_slice(const View& object, WallTime now) {
  std::vector<std::string> ports, addresses;
  for (const View& port : object.items("ports")) {
    const auto number = port.find_integer("port");
    ports.push_back(number ? std::to_string(*number) : std::string(port.text("name", "*")));
  }
  for (const View& endpoint : object.items("endpoints")) {
    for (const std::string_view address : endpoint.texts("addresses")) addresses.emplace_back(address);
  }
  return {{name_of(object), object.text("addressType"), few_of(std::move(ports)),
           few_of(std::move(addresses)), age(object, now)},
          {}};
}

std::string hosts_of(const View& ingress) {
  const std::vector<View> rules = ingress.items("spec.rules");
  std::vector<std::string> hosts;
  // Rules without a host do not count as shown: what is left out are all rules but three.
  bool more = false;
  for (const View& rule : rules) {
    more = more || hosts.size() == most_shown;
    if (!more && !rule.text("host").empty()) hosts.emplace_back(rule.text("host"));
  }
  if (hosts.empty()) return "*";
  return with_more(hosts, more ? rules.size() - most_shown : 0);
}

Row ingress(const View& object, WallTime now) {
  return {{name_of(object), object.text("spec.ingressClassName", "<none>"), hosts_of(object),
           join(ingress_of(object), ","), count(object, "spec.tls") > 0 ? "80, 443" : "80", age(object, now)},
          {}};
}

Row ingress_class(const View& object, WallTime now) {
  const k8s::StringMap annotations = object.map("metadata.annotations");
  std::string name(name_of(object));
  if (annotations.find("ingressclass.kubernetes.io/is-default-class") == "true") name += " (default)";
  std::string parameters = "<none>";
  if (object.has("spec.parameters")) {
    const View target = object.at("spec.parameters");
    parameters = target.text("kind");
    if (const auto group = target.find_text("apiGroup")) parameters.append(".").append(*group);
    parameters.append("/").append(target.text("name"));
  }
  return {{name, object.text("spec.controller"), parameters, age(object, now)}, {}};
}

Row network_policy(const View& object, WallTime now) {
  return {{name_of(object), selector_text(object, "spec.podSelector"), age(object, now)}, {}};
}

Row service_cidr(const View& object, WallTime now) {
  std::vector<std::string> ranges;
  for (const std::string_view range : object.texts("spec.cidrs")) ranges.emplace_back(range);
  return {{name_of(object), join(ranges, ","), age(object, now)}, {}};
}

/// Returns the row of an IPAddress. It has one cell more than columns, as in the real server.
Row ip_address(const View& object, WallTime now) {
  std::string parent = "<none>";
  if (object.has("spec.parentRef")) {
    const View target = object.at("spec.parentRef");
    parent = target.text("resource");
    if (!target.text("group").empty()) parent.append(".").append(target.text("group"));
    parent = to_lower(parent);
    if (!target.text("namespace").empty()) parent.append("/").append(target.text("namespace"));
    parent.append("/").append(target.text("name"));
  }
  return {{name_of(object), parent, age(object, now)}, {}};
}

}  // namespace

std::vector<Printer> network_printers() {
  return {
      {{"", "Service"},
       {name_header, {"Type"}, {"Cluster-IP"}, {"External-IP"}, {"Port(s)"}, age_header, wide("Selector")},
       &service},
      {{"", "Endpoints"}, {name_header, {"Endpoints"}, age_header}, &endpoints},
      {{"discovery.k8s.io", "EndpointSlice"},
       {name_header, {"AddressType"}, {"Ports"}, {"Endpoints"}, age_header},
       &endpoint_slice},
      {{"networking.k8s.io", "Ingress"},
       {name_header, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, age_header},
       &ingress},
      {{"networking.k8s.io", "IngressClass"},
       {name_header, {"Controller"}, {"Parameters"}, age_header},
       &ingress_class},
      {{"networking.k8s.io", "NetworkPolicy"}, {name_header, {"Pod-Selector"}, age_header}, &network_policy},
      {{"networking.k8s.io", "ServiceCIDR"}, {name_header, {"CIDRs"}, age_header}, &service_cidr},
      {{"networking.k8s.io", "IPAddress"}, {name_header, {"ParentRef"}}, &ip_address},
  };
}

}  // namespace fairway::apiserver::table
