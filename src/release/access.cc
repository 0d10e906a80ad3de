// SPDX-License-Identifier: Apache-2.0

#include "release/access.h"

namespace fairway::release {

oci::RegistryOptions registry_options(const Access& access) {
  oci::RegistryOptions options;
  options.ca_files = access.ca_files;
  options.plain_http = access.plain_http;
  options.auth_file = access.auth_file;
  options.token_hosts = access.token_hosts;
  return options;
}

}  // namespace fairway::release
