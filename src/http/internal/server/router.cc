// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/router.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::http {

RouteTable::Entry& Router::Implementation::entry(std::string path) {
  if (!path.ends_with('/')) return exact[std::move(path)];
  const auto known =
      std::ranges::find_if(prefixes, [&path](const auto& prefix) { return prefix.first == path; });
  if (known != prefixes.end()) return known->second;
  const auto shorter = std::ranges::find_if(
      prefixes, [&path](const auto& prefix) { return prefix.first.size() < path.size(); });
  return prefixes.emplace(shorter, std::move(path), Entry{})->second;
}

void Router::Implementation::add(std::string path, std::string_view methods, Handler handler, bool blocking) {
  Entry& target = entry(std::move(path));
  Route route{{}, std::move(handler), blocking};
  for (const std::string_view method : split(methods, ' ')) {
    if (!method.empty()) route.methods.emplace_back(method);
  }
  target.routes.push_back(std::move(route));
  std::vector<std::string> allowed;
  for (const Route& each : target.routes) {
    for (const std::string& method : each.methods) {
      if (std::ranges::find(allowed, method) == allowed.end()) allowed.push_back(method);
    }
  }
  if (std::ranges::find(allowed, "OPTIONS") == allowed.end()) allowed.emplace_back("OPTIONS");
  target.allow = join(allowed, ", ");
}

const RouteTable::Entry* Router::Implementation::find(std::string_view path) const {
  if (const auto found = exact.find(path); found != exact.end()) return &found->second;
  for (const auto& [prefix, entry] : prefixes) {
    if (path.starts_with(prefix)) return &entry;
  }
  return nullptr;
}

const RouteTable::Route* Router::Implementation::find(const Entry& entry, std::string_view method) {
  const auto found = std::ranges::find_if(entry.routes, [method](const Route& route) {
    return std::ranges::find(route.methods, method) != route.methods.end();
  });
  return found == entry.routes.end() ? nullptr : &*found;
}

bool Router::Implementation::takes_body(std::string_view path, std::string_view method) const {
  if (method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE") return false;
  const Entry* known = find(path);
  return known != nullptr && find(*known, method) != nullptr;
}

Router::Router() : implementation_(std::make_shared<Implementation>()) {
  implementation_->fallback = [](const Request&) {
    return Response::text(404, "Nothing is served at this path.\n");
  };
  implementation_->options = [](const Request&, std::string_view allow) {
    Response response;
    response.status = 204;
    response.headers.add("Allow", std::string(allow));
    return response;
  };
  implementation_->refusal = [](int status, std::string_view why) {
    return Response::text(status, std::string(why) + "\n");
  };
}

Router& Router::immediate(std::string path, std::string_view methods, Handler handler) {
  implementation_->add(std::move(path), methods, std::move(handler), false);
  return *this;
}

Router& Router::blocking(std::string path, std::string_view methods, Handler handler) {
  implementation_->add(std::move(path), methods, std::move(handler), true);
  return *this;
}

Router& Router::fallback(Handler handler) {
  implementation_->fallback = std::move(handler);
  return *this;
}

Router& Router::options(std::function<Response(const Request&, std::string_view allow)> handler) {
  implementation_->options = std::move(handler);
  return *this;
}

Router& Router::flow(std::function<Flow(const Request&)> flow_of) {
  implementation_->flow_of = std::move(flow_of);
  return *this;
}

Router& Router::refusal(std::function<Response(int status, std::string_view why)> handler) {
  implementation_->refusal = std::move(handler);
  return *this;
}

}  // namespace fairway::http
