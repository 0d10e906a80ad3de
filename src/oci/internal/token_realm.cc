// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/token_realm.h"

#include <arpa/inet.h>
#include <libpsl.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "http/origin.h"

namespace fairway::oci {

namespace {

struct FreeList {
  void operator()(psl_ctx_t* list) const { psl_free(list); }
};

/// Returns Debian's installed list, or the one that libpsl was built with; null without either, and then no
/// two names share a domain.
const psl_ctx_t* public_suffixes() {
  static const std::unique_ptr<psl_ctx_t, FreeList> list(psl_latest(nullptr));
  return list.get();
}

bool is_address(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}

/// Returns the URL of a host; an error if the text is not a host, with or without a port.
Result<http::Url> url_of(const std::string& scheme, std::string_view host) {
  auto url = http::Url::parse(scheme + "://" + std::string(host) + "/");
  const bool is_host =
      url && url->userinfo.empty() && url->path == "/" && url->query.empty() && url->fragment.empty();
  if (is_host) return url;
  return fail(ErrorCode::invalid, "\"" + printable(host) + "\" is no HOST or HOST:PORT");
}

}  // namespace

std::string registrable_domain(const std::string& host) {
  const psl_ctx_t* list = public_suffixes();
  if (list == nullptr || host.ends_with('.') || is_address(host)) return "";
  const char* domain = psl_registrable_domain(list, host.c_str());
  if (domain == nullptr) return "";
  const std::string_view registrable(domain);
  const std::string suffix(registrable.substr(registrable.find('.') + 1));
  // The list's default rule makes a suffix of any last label.
  if (psl_is_public_suffix2(list, suffix.c_str(), PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE) == 0) return "";
  return std::string(registrable);
}

bool may_receive_credentials(const http::Url& registry, const http::Url& realm,
                             const std::vector<std::string>& allowed) {
  if (realm.host == registry.host) return true;
  const bool listed = std::ranges::any_of(allowed, [&](const std::string& host) {
    const auto url = url_of(realm.scheme, host);
    return url && http::same_origin(*url, realm);
  });
  if (listed) return true;
  const std::string domain = registrable_domain(realm.host);
  return realm.scheme == "https" && !domain.empty() && domain == registrable_domain(registry.host);
}

Result<void> check_token_host(std::string_view text) {
  if (auto url = url_of("https", text); !url) return fail(url.error());
  return {};
}

}  // namespace fairway::oci
