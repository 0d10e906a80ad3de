// SPDX-License-Identifier: Apache-2.0

#include "cli/apiserver_credentials.h"

namespace fairway::cli {

void add_credentials(CLI::App& command, apiserver::ServerOptions& options) {
  constexpr const char* given = "Credentials";
  command
      .add_option(
          "--client-ca-file", options.client_ca_file,
          "CAs whose client certificates are trusted besides the server's own: the common name is the "
          "user, the organizations are the groups")
      ->type_name("FILE")
      ->group(given);
  CLI::Option* certificate =
      command
          .add_option(
              "--tls-cert-file", options.tls_cert_file,
              "Certificate to serve with, and its chain, in place of one of the server's own CA; read "
              "again when it changes")
          ->type_name("FILE")
          ->group(given);
  CLI::Option* key =
      command.add_option("--tls-private-key-file", options.tls_private_key_file, "Key of that certificate")
          ->type_name("FILE")
          ->group(given);
  certificate->needs(key);
  key->needs(certificate);
  command
      .add_option("--service-account-signing-key-file", options.service_account_signing_key_file,
                  "Private key that signs the tokens of ServiceAccounts (RSA or ECDSA), in place of the "
                  "server's own")
      ->type_name("FILE")
      ->group(given);
  command
      .add_option("--service-account-key-file", options.service_account_key_files,
                  "Certificates, public or private keys by which such tokens are verified, in place of the "
                  "key that signs; may be given several times")
      ->type_name("FILE")
      ->group(given);
  command
      .add_option("--service-account-issuer", options.service_account_issuers,
                  "Issuer that such tokens name; of several, new tokens have the first")
      ->type_name("URL")
      ->group(given);
  command
      .add_option("--api-audiences", options.api_audiences,
                  "Audiences of the server, for tokens that are asked for without any (default: the issuers)")
      ->type_name("NAME")
      ->delimiter(',')
      ->group(given);
}

}  // namespace fairway::cli
