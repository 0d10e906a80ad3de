// The certificates of the server.
#pragma once

#include <string>
#include <vector>

#include "apiserver/storage/storage.h"
#include "http/certificate.h"

namespace fairway::apiserver {

struct Certificates {
  http::KeyedCertificate authority;
  /// For this run; signed by the authority.
  http::KeyedCertificate server, admin;
};

/// The authority is made when the storage is new, and kept there. Certificates are valid by the machine's
/// clock, whatever clock the server has: clients check them by theirs. `names`: how clients call the server.
Result<Certificates> load_certificates(storage::Storage& storage, const std::vector<std::string>& names);

/// A client certificate that is valid as long as those of the server. Errors: as
/// `http::issue_client_certificate`.
Result<http::KeyedCertificate> issue_for_client(const http::KeyedCertificate& authority,
                                                const std::string& user,
                                                const std::vector<std::string>& groups);

}  // namespace fairway::apiserver
