// SPDX-License-Identifier: Apache-2.0

#include "console/console.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "console/internal/assets.h"
#include "console/internal/host_check.h"
#include "http/compress.h"
#include "http/negotiate.h"

namespace fairway::console {
namespace {

constexpr std::string_view root = "/console";
constexpr std::string_view folder = "/console/";
constexpr std::size_t largest_asset = std::size_t{16} << 20;

/// Only what comes from this origin is loaded, nothing inline runs, nobody frames it, and no text becomes
/// markup (Trusted Types without a policy).
constexpr std::string_view content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

http::Headers safe_headers() {
  return {{"Content-Security-Policy", std::string(content_security_policy)},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"}};
}

http::Response say(int status, std::string text) {
  http::Response response = http::Response::text(status, std::move(text) + "\n");
  response.headers.add("Cache-Control", "no-store");
  for (const auto& [name, value] : safe_headers()) response.headers.add(name, value);
  return response;
}

/// One encoding of a file, with the reply to those that have it already.
struct Representation {
  std::string etag;
  std::shared_ptr<const http::Prepared> full, not_modified;
};

/// Returns the answer to a request by a name that the server does not answer to; std::nullopt: it does.
/// `what` is asked for: "the console".
std::optional<http::Response> refuse_name(const http::Request& request, const Options& options,
                                          std::string_view what) {
  if (accepts_host(request.header("Host").value_or(""), options.hosts)) return std::nullopt;
  std::string why(what);
  why += " does not answer to this name: use the server's address or localhost";
  if (!options.name_advice.empty()) why += ", or " + options.name_advice;
  return say(421, std::move(why));
}

/// Returns the answer where the console is off; std::nullopt: it is on.
std::optional<http::Response> refuse_off(const Options& options) {
  if (!options.is_on || options.is_on()) return std::nullopt;
  const std::string page = options.part == Part::cluster ? "docs/console-cluster.md" : "docs/console.md";
  return say(404, "the console is off; --console turns it on (" + page + " says when it is on by itself)");
}

struct File {
  Representation plain, gzip;
};

Representation represent(std::string_view media_type, std::string_view hash, bool immutable, bool coded,
                         std::string bytes) {
  const std::string etag = "\"" + std::string(hash) + (coded ? "-g\"" : "-p\"");
  http::Headers headers = safe_headers();
  headers.add("Content-Type", std::string(media_type));
  headers.add("ETag", etag);
  // The page itself names the files of this program: a new one has to be noticed.
  headers.add("Cache-Control", immutable ? "public, max-age=31536000, immutable" : "no-cache");
  headers.add("Vary", "Accept-Encoding");
  auto not_modified = http::Prepared::make(304, headers, nullptr);
  if (coded) headers.add("Content-Encoding", "gzip");
  return {etag, http::Prepared::make(200, headers, http::make_bytes(std::move(bytes))), not_modified};
}

/// Returns a text as the value of an attribute of HTML.
std::string attribute(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), by);
}

class Site {
 public:
  explicit Site(Options options) : options_(std::move(options)) {}

  Result<void> load() {
    for (const Asset& asset : embedded_assets()) {
      const std::string_view packed(reinterpret_cast<const char*>(asset.gzip.data()), asset.gzip.size());
      auto plain = http::gunzip(packed, largest_asset);
      if (!plain)
        return fail(plain.error().within("unpacking " + std::string(asset.path) + " of the console"));
      if (asset.path == "index.html") {
        add_page(asset, std::move(*plain));
      } else {
        files_.emplace(asset.path,
                       File{represent(asset.media_type, asset.hash, true, false, *plain),
                            represent(asset.media_type, asset.hash, true, true, std::string(packed))});
      }
    }
    return {};
  }

  http::Response answer(const http::Request& request) const {
    if (auto refused = refusal(request)) return std::move(*refused);
    if (request.path == root) {
      // Relative, for whoever serves it below another path.
      http::Response moved = say(308, "the console is at /console/");
      moved.headers.add("Location", "console/");
      return moved;
    }
    const std::string_view path = request.path.substr(folder.size());
    const auto file = files_.find(path.empty() ? "index.html" : path);
    if (file == files_.end()) return say(404, "the console has no such file; it begins at /console/");
    const auto encoding = request.header("Accept-Encoding");
    const Representation& chosen = encoding && http::accepts_gzip(request.headers_joined("Accept-Encoding"))
                                       ? file->second.gzip
                                       : file->second.plain;
    const bool known = request.header("If-None-Match") &&
                       http::etag_matches(request.headers_joined("If-None-Match"), chosen.etag);
    return http::Response::of(known ? chosen.not_modified : chosen.full);
  }

 private:
  std::optional<http::Response> refusal(const http::Request& request) const {
    if (auto refused = refuse_name(request, options_, "the console")) return refused;
    if (!is_built_in()) {
      return say(
          404,
          "the console is left out of this program, because Node.js or npm was missing when it was built; "
          "docs/console.md says how to build it");
    }
    return refuse_off(options_);
  }

  void add_page(const Asset& asset, std::string page) {
    replace(page, "{{part}}", options_.part == Part::cluster ? "cluster" : "service");
    replace(page, "{{api}}", attribute(".." + options_.api_prefix));
    replace(page, "{{version}}", attribute(options_.version));
    const std::string hash = sha256_hex(page).substr(0, 32);
    std::string packed = http::gzip(page);
    files_.emplace("index.html", File{represent(asset.media_type, hash, false, false, std::move(page)),
                                      represent(asset.media_type, hash, false, true, std::move(packed))});
  }

  const Options options_;
  std::map<std::string, File, std::less<>> files_;
};

}  // namespace

bool is_built_in() {
  return !embedded_assets().empty();
}

bool owns(std::string_view path) {
  return path == root || path.starts_with(folder);
}

Result<void> add_routes(http::Router& router, Options options) {
  const auto site = std::make_shared<Site>(std::move(options));
  if (auto loaded = site->load(); !loaded) return loaded;
  const http::Handler answer = [site](const http::Request& request) {
    return std::as_const(*site).answer(request);
  };
  router.immediate(std::string(root), "GET HEAD", answer);
  router.immediate(std::string(folder), "GET HEAD", answer);
  return {};
}

http::Handler guarded(http::Handler handler, Options options) {
  return [handler = std::move(handler), options = std::move(options)](const http::Request& request) {
    // The path is that of a route.
    if (auto refused = refuse_name(request, options, request.path)) return std::move(*refused);
    if (auto refused = refuse_off(options)) return std::move(*refused);
    http::Response response = handler(request);
    for (const auto& [name, value] : safe_headers()) response.headers.add(name, value);
    return response;
  };
}

http::Handler for_own_names(http::Handler handler) {
  return guarded(std::move(handler), {});
}

}  // namespace fairway::console
