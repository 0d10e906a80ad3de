// SPDX-License-Identifier: Apache-2.0

// Access to release images: the settings that all their readers share.
#pragma once

#include <string>
#include <vector>

#include "oci/registry.h"

namespace fairway::release {

/// The registries of images, and whose signatures count for them.
struct Access {
  std::vector<std::string> ca_files;     ///< --ca-file: trusted in addition to the system's
  std::string auth_file;                 ///< --auth-file: Docker or containers auth file; empty: none
  bool plain_http = false;               ///< --registry-plain-http
  std::vector<std::string> token_hosts;  ///< --registry-token-host: may receive a registry's credentials
  std::string public_keys_directory;     ///< --public-keys: OpenPGP keys; empty: none
  std::string signature_store;           ///< --signature-store: URL of <store>/sha256=<hex>/signature-N
};

/// Returns the options of a registry's client with these settings, and its own defaults for all else.
oci::RegistryOptions registry_options(const Access& access);

}  // namespace fairway::release
