// SPDX-License-Identifier: Apache-2.0

#include "cli/image_options.h"

#include "cli/ca_file_option.h"

namespace fairway::cli {

void add_image_options(CLI::App& command, release::Access& access, const std::string& group,
                       const std::string& about_keys) {
  add_ca_file_option(command, "--ca-file", access.ca_files, group);
  command
      .add_option("--auth-file", access.auth_file, "Docker or containers auth file with registry credentials")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--registry-plain-http", access.plain_http,
                "Speak HTTP without TLS to the registries of images")
      ->group(group);
  command
      .add_option(
          "--registry-token-host", access.token_hosts,
          "Token server that may receive a registry's credentials, beside those of the registry's own "
          "host or domain (repeatable)")
      ->type_name("HOST[:PORT]")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--public-keys", access.public_keys_directory, about_keys)
      ->type_name("DIR")
      ->group(group);
  command
      .add_option("--signature-store", access.signature_store,
                  "Where signatures are: URL/sha256=HEX/signature-N")
      ->type_name("URL")
      ->group(group);
}

void add_image_mirror_option(CLI::App& command, std::vector<std::string>& mirrors, const std::string& group) {
  command
      .add_option("--image-mirror", mirrors,
                  "Images below FROM are pulled from TO first, under the same digests (repeatable)")
      ->type_name("FROM=TO")
      ->allow_extra_args(false)
      ->group(group);
}

}  // namespace fairway::cli
