// SPDX-License-Identifier: Apache-2.0

// The router as the server sees it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "http/server.h"

namespace fairway::http {

struct Router::Implementation {
  struct Route {
    std::vector<std::string> methods;
    Handler handler;
    bool blocking = false;
  };
  /// Everything registered for one path.
  struct Entry {
    std::vector<Route> routes;
    std::string allow;  ///< "GET, HEAD, OPTIONS"
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  Entry& entry(std::string path);
  void add(std::string path, std::string_view methods, Handler handler, bool blocking);
  /// The entry of the longest match, or nullptr.
  const Entry* find(std::string_view path) const;
  /// The route of an entry that takes a method, or nullptr.
  static const Route* find(const Entry& entry, std::string_view method);
  /// Returns whether a handler takes the body of such a request: a route has the method, and the method has
  /// bodies (a GET's means nothing, RFC 9110, section 9.3.1).
  bool takes_body(std::string_view path, std::string_view method) const;

  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> exact;
  std::vector<std::pair<std::string, Entry>> prefixes;  ///< longest first
  Handler fallback;
  std::function<Flow(const Request&)> flow_of;  ///< empty: all are in one
  std::function<Response(const Request&, std::string_view allow)> options;
  std::function<Response(int status, std::string_view why)> refusal;
};

struct RouterAccess {
  using Table = Router::Implementation;
  static std::shared_ptr<const Table> table(Router router) { return std::move(router.implementation_); }
};

using RouteTable = RouterAccess::Table;

}  // namespace fairway::http
