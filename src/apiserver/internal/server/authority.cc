// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/server/authority.h"

namespace fairway::apiserver::server {
namespace {

using namespace std::chrono_literals;

constexpr auto backdated = 5min;
constexpr auto authority_validity = 24h * 3650;
constexpr auto certificate_validity = 24h * 365;
constexpr std::string_view certificate_name = "ca.crt", key_name = "ca.key";

http::Validity valid_for(std::chrono::hours time) {
  const WallTime now = Clock::system().now();
  return {now - backdated, now + time};
}

Result<http::KeyedCertificate> load_authority(storage::Storage& storage) {
  auto certificate = storage.value(certificate_name);
  if (!certificate) return fail(certificate.error());
  auto key = storage.value(key_name);
  if (!key) return fail(key.error());
  if (*certificate && *key) return http::KeyedCertificate{**certificate, **key};
  auto made = http::make_authority("Fairway API server", valid_for(authority_validity));
  if (!made) return made;
  // The certificate last: with it the pair is whole.
  if (auto kept = storage.set_value(key_name, made->key); !kept) return fail(kept.error());
  if (auto kept = storage.set_value(certificate_name, made->certificate); !kept) return fail(kept.error());
  return made;
}

}  // namespace

Result<Certificates> load_certificates(storage::Storage& storage, const std::vector<std::string>& names) {
  Certificates made;
  auto authority = load_authority(storage);
  if (!authority) return fail(authority.error().within("the API server's certificate authority"));
  made.authority = *std::move(authority);
  auto server = issue_for_server(made.authority, names);
  if (!server) return fail(server.error());
  made.server = *std::move(server);
  return made;
}

Result<http::KeyedCertificate> issue_for_server(const http::KeyedCertificate& authority,
                                                const std::vector<std::string>& names) {
  return http::issue_certificate(authority, "kube-apiserver", names, valid_for(certificate_validity));
}

Result<WallTime> end_of(const http::KeyedCertificate& certificate) {
  const auto facts = http::read_certificates(certificate.certificate, "the server's certificate");
  if (!facts) return fail(facts.error());
  return facts->front().validity.until;
}

Result<http::KeyedCertificate> issue_for_client(const http::KeyedCertificate& authority,
                                                const std::string& user,
                                                const std::vector<std::string>& groups,
                                                std::string_view key) {
  return http::issue_client_certificate(authority, user, groups, valid_for(certificate_validity), key);
}

}  // namespace fairway::apiserver::server
