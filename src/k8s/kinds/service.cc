// SPDX-License-Identifier: Apache-2.0

#include "k8s/kinds/service.h"

#include <utility>

namespace fairway::k8s {

namespace {

class ServicePortEditor : public Checked<Editor, openapi::service_port> {
 public:
  using Checked::Checked;
};

}  // namespace

void Service::add_port(std::string_view name, std::int64_t port, json::Value target_port,
                       std::string_view protocol) {
  auto added = append<ServicePortEditor>("spec.ports");
  if (!name.empty()) added.set("name", name);
  added.set("protocol", protocol);
  added.set("port", port);
  if (!target_port.is_null()) added.set_json("targetPort", std::move(target_port));
}

}  // namespace fairway::k8s
