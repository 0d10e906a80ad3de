// SPDX-License-Identifier: Apache-2.0

#include "kube/client/client_config.h"

namespace fairway::kube {

ClientConfig ClientConfig::anonymous() const {
  ClientConfig config;
  config.server = server;
  config.cluster_origin = cluster_origin;
  config.ca = ca;
  config.ca_file = ca_file;
  config.insecure_skip_tls_verify = insecure_skip_tls_verify;
  config.tls_server_name = tls_server_name;
  config.proxy_url = proxy_url;
  config.namespace_name = namespace_name;
  return config;
}

}  // namespace fairway::kube
