// SPDX-License-Identifier: Apache-2.0

// The certificates of the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/storage/storage.h"
#include "base/clock.h"
#include "http/certificate.h"

namespace fairway::apiserver::server {

struct Certificates {
  http::KeyedCertificate authority;
  /// Certificate for this run, signed by the authority.
  http::KeyedCertificate server;
  /// The administrator's certificate for this run, once `AdminKey` has its key.
  http::KeyedCertificate admin;
};

/// Issues a certificate of the server for these names, signed by the authority. Errors: as
/// `http::issue_certificate`.
Result<http::KeyedCertificate> issue_for_server(const http::KeyedCertificate& authority,
                                                const std::vector<std::string>& names);
/// Returns the time at which a certificate expires: the first one of its PEM text. Errors: as
/// `http::read_certificates`.
Result<WallTime> end_of(const http::KeyedCertificate& certificate);

/// Loads the authority, or makes it when the storage is new and keeps it there, and issues the server's
/// certificate. It is valid by the machine's clock, whatever clock the server has: clients check it by
/// theirs. `names`: the names under which clients reach the server.
Result<Certificates> load_certificates(storage::Storage& storage, const std::vector<std::string>& names);

/// Issues a client certificate that is valid as long as those of the server, for a new key or the given one.
/// Errors: as `http::issue_client_certificate`.
Result<http::KeyedCertificate> issue_for_client(const http::KeyedCertificate& authority,
                                                const std::string& user,
                                                const std::vector<std::string>& groups,
                                                std::string_view key = {});

}  // namespace fairway::apiserver::server
