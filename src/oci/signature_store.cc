// SPDX-License-Identifier: Apache-2.0

#include "oci/signature_store.h"

#include <utility>

#include "base/file.h"
#include "base/redact.h"
#include "base/text.h"
#include "http/url.h"
#include "oci/internal/transport.h"
#include "oci/manifest.h"

namespace fairway::oci {

namespace {

constexpr std::size_t max_signature_bytes = 64 << 10;
constexpr int max_signatures = 32;

/// Returns "sha256=<hex>/signature-1"; `digest` has been checked to be a digest, so that the path cannot
/// leave its folder.
std::string path_of(std::string_view digest, int number) {
  std::string path(digest);
  path[path.find(':')] = '=';
  return path + "/signature-" + std::to_string(number);
}

}  // namespace

SignatureStore::SignatureStore() = default;
SignatureStore::~SignatureStore() = default;

Result<std::unique_ptr<SignatureStore>> SignatureStore::create(std::string_view url,
                                                               const TransportOptions& options) {
  auto store = std::make_unique<SignatureStore>();
  store->url_ = url;
  store->name_ = url;
  while (store->url_.ends_with('/')) store->url_.pop_back();
  if (url.starts_with("file:///")) {
    store->folder_ = http::percent_decode(store->url_.substr(7)).value_or(store->url_.substr(7));
    return store;
  }
  const auto parsed = http::Url::parse(store->url_);
  if (!parsed || (parsed->scheme != "https" && parsed->scheme != "http")) {
    return fail(ErrorCode::invalid, "the signature store \"" + printable(url) +
                                        "\" is no https://, http:// or file:/// URL of a folder");
  }
  store->name_ = redact_urls(parsed->to_string());
  auto transport = Transport::create(options);
  if (!transport) return fail(transport.error());
  store->transport_ = *std::move(transport);
  return store;
}

Result<std::string> SignatureStore::fetch(std::string_view digest, int number, const Limits& limits) {
  if (!is_digest(digest)) return fail(ErrorCode::invalid, "\"" + printable(digest) + "\" is no digest");
  const auto path = path_of(digest, number);
  if (!transport_) {
    auto bytes = read_file(folder_ + "/" + path, max_signature_bytes);
    if (!bytes) return fail(bytes.error().within("reading a signature"));
    return bytes;
  }
  const std::string doing = "asking the signature store for " + path;
  auto url = http::Url::parse(url_ + "/" + path);
  if (!url) return fail(url.error());
  http::Call call;
  call.url = *std::move(url);
  call.limits = limits;
  call.max_body_bytes = max_signature_bytes;
  call.max_redirects = 5;
  auto reply = transport_->send(call);
  if (!reply) return fail(reply.error().within(doing));
  if (reply->status == 200) return std::move(reply->body);
  const auto code =
      reply->status == 404 || reply->status == 410 ? ErrorCode::not_found : ErrorCode::unavailable;
  return fail(code, doing + ": it answers " + std::to_string(reply->status));
}

Result<std::string> SignatureStore::verify(const KeyRing& keys, std::string_view digest,
                                           const Limits& limits) {
  std::string last;
  for (int number = 1; number <= max_signatures; ++number) {
    const auto message = fetch(digest, number, limits);
    if (!message && message.error().code == ErrorCode::not_found) break;
    if (!message && message.error().code != ErrorCode::too_large) return fail(message.error());
    auto reference = message ? keys.verify(*message, digest) : Result<std::string>(fail(message.error()));
    if (reference) return reference;
    last = "signature-" + std::to_string(number) + ": " + reference.error().message;
  }
  if (last.empty()) {
    return fail(ErrorCode::invalid,
                "the image is not signed: there is no " + path_of(digest, 1) + " in " + name_);
  }
  return fail(ErrorCode::invalid, "the image has no signature that counts; " + last);
}

}  // namespace fairway::oci
