// SPDX-License-Identifier: Apache-2.0

#include "oci/registry.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"
#include "http/origin.h"
#include "http/url.h"
#include "oci/internal/auth.h"
#include "oci/internal/authenticator.h"
#include "oci/internal/error_document.h"
#include "oci/internal/token_realm.h"
#include "oci/internal/transport.h"

namespace fairway::oci {

namespace {

constexpr std::size_t max_tags_page = 32 << 20;
constexpr std::size_t max_tags = 200'000;
constexpr int max_redirects = 5;
constexpr std::uint64_t largest_blob = std::uint64_t{1} << 40;

/// Returns the target of a Link header with rel="next", or "".
std::string next_page(const http::Headers& headers) {
  for (const auto value : headers.find_all("Link")) {
    const auto open = value.find('<'), close = value.find('>');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) continue;
    const auto rest = to_lower(value.substr(close));
    if (rest.find("rel=\"next\"") == std::string::npos && rest.find("rel=next") == std::string::npos)
      continue;
    return std::string(value.substr(open + 1, close - open - 1));
  }
  return "";
}

}  // namespace

struct Registry::Implementation {
  struct Ask {
    std::string method = "GET";
    std::string path;  ///< path below /v2/<repository>/
    std::size_t max_body_bytes = max_manifest_bytes;
    bool manifests = false;
    std::function<Result<void>(std::string_view)> on_body = {};
    std::function<void()> before_attempt = {};
    int status_to_return = 200;  ///< a status beside 200 that the caller wants to see
  };

  Result<http::Url> url_of(const Reference& repository, const std::string& path) const {
    // Docker Hub's API lives on a host of another name.
    const std::string host =
        repository.registry == "docker.io" ? "registry-1.docker.io" : repository.registry;
    return http::Url::parse(std::string(options.plain_http ? "http" : "https") + "://" + host + "/v2/" +
                            repository.repository + "/" + path);
  }

  /// Returns a reply of status 200, or an error.
  Result<http::Reply> ask(const Reference& repository, const Ask& what, const Limits& limits) {
    auto url = url_of(repository, what.path);
    if (!url) return fail(url.error());
    return ask(repository, *std::move(url), what, limits);
  }

  Result<http::Reply> ask(const Reference& repository, http::Url url, const Ask& what, const Limits& limits) {
    const std::string doing = "asking the registry for " + url.to_string();
    http::Call call;
    call.method = what.method;
    call.url = std::move(url);
    call.limits = limits;
    call.max_body_bytes = what.max_body_bytes;
    call.max_redirects = max_redirects;
    call.on_body = what.on_body;
    if (what.manifests) call.headers.set("Accept", accepted_manifests);
    auto authorization = authenticator.ready(repository, limits);
    if (!authorization) return fail(authorization.error().within(doing));
    for (bool answered = false;; answered = true) {
      if (!authorization->empty()) call.headers.set("Authorization", *authorization);
      auto reply = transport->send(call, what.before_attempt);
      if (!reply) return fail(explain(reply.error(), doing));
      if (reply->status == 200 || reply->status == what.status_to_return) return reply;
      if (!http::same_origin(reply->url, call.url)) return fail(stranger(*reply).within(doing));
      if (reply->status != 401 || answered) return fail(refusal(*reply, repository).within(doing));
      authorization = authenticator.answer(repository, call.url, reply->headers, *authorization, limits);
      if (!authorization) return fail(authorization.error().within(doing));
    }
  }

  /// Adds what was being done to an error. Network errors keep their code, except `invalid`, which is about
  /// contents only.
  Error explain(Error error, const std::string& doing) const {
    if (error.code == ErrorCode::invalid) error.code = ErrorCode::unavailable;
    const bool spoke_tls_to_plain =
        !options.plain_http && (error.message.find("wrong version number") != std::string::npos ||
                                error.message.find("packet length too long") != std::string::npos);
    if (spoke_tls_to_plain) {
      error.message += "; the registry seems to speak plain HTTP: say --registry-plain-http if that is meant";
    }
    return error.within(doing);
  }

  /// Returns the error for the reply of a host that the registry redirects to. Its challenges are not
  /// answered, because the credentials are the registry's.
  static Error stranger(const http::Reply& reply) {
    const std::string where = "it redirects to " + printable(reply.url.authority()) + ", which answers " +
                              std::to_string(reply.status);
    if (reply.status == 404) return {ErrorCode::not_found, where};
    if (reply.status != 401) return {ErrorCode::unavailable, where};
    return {ErrorCode::unavailable,
            where + "; credentials are for the registry alone, and were not sent there"};
  }

  Error refusal(const http::Reply& reply, const Reference& repository) const {
    const auto text = error_text(reply.body);
    const std::string answer =
        "it answers " + std::to_string(reply.status) + (text.empty() ? "" : " (" + text + ")");
    switch (reply.status) {
      case 401:
        return {ErrorCode::unauthenticated, answer + ": " + authenticator.describe(repository)};
      case 403:
        return {ErrorCode::forbidden, answer + ": " + authenticator.describe(repository)};
      case 404:
        return {ErrorCode::not_found, answer};
      default:
        return {ErrorCode::unavailable, answer};
    }
  }

  RegistryOptions options;
  std::unique_ptr<Transport> transport;
  Authenticator authenticator;
  std::atomic<std::uint64_t> heads{0}, manifests{0}, blobs{0};
};

Registry::Registry(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Registry::~Registry() = default;

Result<std::unique_ptr<Registry>> Registry::create(const RegistryOptions& options) {
  AuthFile auth;
  if (!options.auth_file.empty()) {
    auto file = AuthFile::load(options.auth_file);
    if (!file) return fail(file.error());
    auth = *std::move(file);
  }
  for (const auto& host : options.token_hosts) {
    if (auto checked = check_token_host(host); !checked) {
      return fail(checked.error().within("reading the hosts of token servers"));
    }
  }
  auto transport = Transport::create({.ca_files = options.ca_files,
                                      .retries = options.retries,
                                      .concurrency = options.concurrency,
                                      .backoff = options.backoff,
                                      .clock = options.clock});
  if (!transport) return fail(transport.error());
  Transport& shared = **transport;
  return std::unique_ptr<Registry>(new Registry(std::unique_ptr<Implementation>(new Implementation{
      options, *std::move(transport),
      Authenticator(std::move(auth), {options.plain_http, options.token_hosts}, shared)})));
}

Result<std::vector<std::string>> Registry::tags(const Reference& repository, const Limits& limits) {
  auto url = implementation_->url_of(repository, "tags/list");
  if (!url) return fail(url.error());
  url->query = "n=1000";
  std::set<std::string> tags, visited;
  while (true) {
    const std::string doing = "reading the tags of " + repository.to_string();
    visited.insert(url->to_string());
    const auto page = implementation_->ask(repository, *url, {.max_body_bytes = max_tags_page}, limits);
    if (!page) return fail(page.error().within(doing));
    const auto document = json::parse(page->body);
    if (!document) return fail(ErrorCode::unavailable, doing + ": " + document.error().message);
    const auto* list = json::find(*document, "tags");
    // A repository without tags has null here.
    if (list == nullptr || !(list->is_array() || list->is_null())) {
      return fail(ErrorCode::unavailable, doing + ": the answer has no list `tags`");
    }
    if (list->is_array()) {
      for (const auto& tag : list->get_array()) {
        if (tag.is_string() && is_tag(std::string_view(tag.get_string()))) {
          tags.emplace(tag.get_string());
        } else {
          log::warning("a tag that cannot be one is passed over",
                       {{"repository", repository.to_string()}, {"tag", printable(json::to_text(tag))}});
        }
      }
    }
    if (tags.size() > max_tags) {
      return fail(ErrorCode::too_large, doing + ": there are more than " + std::to_string(max_tags));
    }
    const auto next = next_page(page->headers);
    if (next.empty()) return std::vector<std::string>(tags.begin(), tags.end());
    auto next_url = http::resolve(*url, next);
    if (!next_url)
      return fail(ErrorCode::unavailable, doing + ": the next page: " + next_url.error().message);
    // Credentials go with the request: it stays with this registry.
    next_url->userinfo.clear();
    if (!http::same_origin(*next_url, *url)) {
      return fail(ErrorCode::unavailable,
                  doing + ": the next page is on another server: " + redact_urls(next_url->to_string()));
    }
    if (visited.contains(next_url->to_string())) {
      return fail(ErrorCode::unavailable, doing + ": the pages go in circles");
    }
    url = std::move(next_url);
  }
}

Result<std::string> Registry::resolve(const Reference& reference, const Limits& limits) {
  if (!reference.digest.empty()) return reference.digest;
  ++implementation_->heads;
  const auto reply = implementation_->ask(
      reference,
      {.method = "HEAD", .path = "manifests/" + reference.tag, .manifests = true, .status_to_return = 405},
      limits);
  if (!reply) return fail(reply.error());
  const auto digest = reply->headers.find("Docker-Content-Digest");
  if (reply->status == 200 && digest && is_digest(*digest)) return std::string(*digest);
  auto whole = manifest(reference, limits);
  if (!whole) return fail(whole.error());
  return whole->digest;
}

Result<Manifest> Registry::manifest(const Reference& reference, const Limits& limits) {
  const bool by_digest = !reference.digest.empty();
  const std::string doing = "reading the manifest of " + reference.to_string();
  for (int attempt = 0;; ++attempt) {
    ++implementation_->manifests;
    const auto reply = implementation_->ask(
        reference, {.path = "manifests/" + (by_digest ? reference.digest : reference.tag), .manifests = true},
        limits);
    if (!reply) return fail(reply.error());
    const auto digest = "sha256:" + sha256_hex(reply->body);
    const auto expected = by_digest ? std::string_view(reference.digest)
                                    : reply->headers.find("Docker-Content-Digest").value_or(digest);
    if (digest != expected) {
      if (attempt == 0) continue;  // a cache in between may be at fault
      return fail(ErrorCode::conflict, doing + ": the registry sends other bytes, of digest " + digest);
    }
    auto manifest = parse_manifest(reply->body, reply->headers.find("Content-Type").value_or(""));
    if (!manifest) return fail(manifest.error().within(doing));
    manifest->digest = digest;
    return manifest;
  }
}

Result<std::string> Registry::blob(const Reference& repository, const Descriptor& descriptor,
                                   std::size_t limit, const Limits& limits) {
  if (descriptor.size > limit) {
    return fail(ErrorCode::too_large,
                "reading the blob " + descriptor.digest + " of " + repository.to_string() + ": its " +
                    std::to_string(descriptor.size) + " bytes are more than " + std::to_string(limit));
  }
  std::string content;
  const auto append = [&content](std::string_view piece) -> Result<void> {
    content += piece;
    return {};
  };
  if (auto read = stream_blob(repository, descriptor, append, limits); !read) return fail(read.error());
  return content;
}

Result<void> Registry::stream_blob(const Reference& repository, const Descriptor& descriptor,
                                   const std::function<Result<void>(std::string_view piece)>& sink,
                                   const Limits& limits) {
  const std::string doing = "reading the blob " + descriptor.digest + " of " + repository.to_string();
  if (descriptor.size > largest_blob) {
    return fail(ErrorCode::too_large,
                doing + ": its " + std::to_string(descriptor.size) + " bytes are too many");
  }
  Sha256 hash;
  bool refused_by_sink = false;
  std::uint64_t received = 0, delivered = 0;
  const auto take = [&](std::string_view piece) -> Result<void> {
    if (piece.size() > descriptor.size - received) {
      return fail(ErrorCode::conflict, doing + ": the registry sends more than the " +
                                           std::to_string(descriptor.size) + " bytes that the manifest says");
    }
    const auto known = std::min<std::uint64_t>(delivered - std::min(received, delivered), piece.size());
    received += piece.size();
    piece.remove_prefix(known);
    if (piece.empty()) return {};
    delivered += piece.size();
    hash.update(piece);
    auto taken = sink(piece);
    refused_by_sink = !taken;
    return taken;
  };
  ++implementation_->blobs;
  const auto reply =
      implementation_->ask(repository,
                           {.path = "blobs/" + descriptor.digest,
                            // One byte more than allowed gets through to `take`, which says why.
                            .max_body_bytes = descriptor.size + (64 << 10),
                            .on_body = take,
                            .before_attempt = [&received] { received = 0; }},
                           limits);
  if (!reply) {
    auto error = reply.error();
    if (refused_by_sink) return fail(std::move(error));
    // The client's limit is the size that the manifest says.
    if (error.code == ErrorCode::too_large) error.code = ErrorCode::conflict;
    return fail(std::move(error));
  }
  if (delivered != descriptor.size) {
    return fail(ErrorCode::conflict, doing + ": the registry sends " + std::to_string(delivered) +
                                         " bytes of " + std::to_string(descriptor.size));
  }
  if ("sha256:" + hash.hex() != descriptor.digest) {
    return fail(ErrorCode::conflict, doing + ": the registry sends other bytes");
  }
  return {};
}

RegistryCounts Registry::counts() const {
  const auto& self = *implementation_;
  return {.requests = self.transport->requests(),
          .heads = self.heads,
          .manifests = self.manifests,
          .blobs = self.blobs,
          .errors = self.transport->errors(),
          .retries = self.transport->retries()};
}

}  // namespace fairway::oci
