// SPDX-License-Identifier: Apache-2.0

// The console: a page for people, out of the program itself, below /console of a server. It asks the same API
// as everybody else; docs/console.md shows it, docs/decisions-console.md says why it is as it is.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/server.h"

namespace fairway::console {

/// The part of Fairway that a console is of: it decides which views the page has.
enum class Part { service, cluster };

/// Settings of the console of one server.
struct Options {
  Part part = Part::service;
  std::string api_prefix = {};  ///< path of the API: "/api/upgrades_info"; "" for the root
  std::string version = {};     ///< version of the program, which the page shows
  /// Names that the server is reached by, besides its addresses and localhost.
  std::vector<std::string> hosts = {};
  /// Advice for who has used another name, which lets the server answer to it: "start it with --console
  /// --public-url https://NAME"; empty: nothing does.
  std::string name_advice = {};
  /// Asked for each request, on an I/O thread; empty: always on.
  std::function<bool()> is_on = {};
};

/// Returns whether this program has the console: it is left out of a build without Node.js.
bool is_built_in();

/// Returns whether a path of a request is the console's: /console, and all below it.
bool owns(std::string_view path);

/// Adds the console to a server. Where it is off, or not built in, its paths answer 404 and say what to do; a
/// Host header that names no address of the server gets 421. An error (`invalid`): an embedded file is
/// corrupt.
Result<void> add_routes(http::Router& router, Options options);

/// Returns a handler of an API that is open to the same requests as the console: where it is off, the answer
/// is 404 and says what to do, and a Host header that names no address of the server gets 421. Answers carry
/// headers by which pages of other origins cannot use them. It does not matter whether the console is built
/// in.
http::Handler guarded(http::Handler handler, Options options);

/// Returns a handler of an API that is there whether the console is on or off, and answers to the same names:
/// a Host header that names no address of the server gets 421. Answers carry the same headers.
http::Handler for_own_names(http::Handler handler);

}  // namespace fairway::console
