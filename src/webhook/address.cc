// SPDX-License-Identifier: Apache-2.0

#include "webhook/address.h"

#include "base/text.h"
#include "http/url.h"

namespace fairway::webhook {

Address Address::at(std::string_view other_path) const {
  Address address = *this;
  address.path = other_path;
  while (address.url.ends_with('/')) address.url.pop_back();
  if (!address.url.empty()) address.url += other_path;
  return address;
}

Result<std::vector<std::string>> Address::names() const {
  if (!service_name.empty()) return std::vector<std::string>{service_name + "." + service_namespace + ".svc"};
  if (url.empty()) {
    return fail(ErrorCode::invalid,
                "nothing says how API servers reach the webhooks: name a Service, or give a URL");
  }
  const auto parsed = http::Url::parse(url);
  if (!parsed) return fail(parsed.error());
  if (parsed->scheme != "https") {
    return fail(
        ErrorCode::invalid,
        "'" + printable(url) + "' does not begin with https://: API servers call webhooks by no other");
  }
  return std::vector<std::string>{parsed->host};
}

void Address::write(k8s::Editor& client_config) const {
  if (service_name.empty()) {
    client_config.set("url", url);
    return;
  }
  client_config.set("service.namespace", service_namespace);
  client_config.set("service.name", service_name);
  client_config.set("service.path", path);
  client_config.set("service.port", port);
}

std::string Address::to_string() const {
  if (service_name.empty()) return url;
  return "Service " + service_namespace + "/" + service_name + ", port " + std::to_string(port);
}

}  // namespace fairway::webhook
