// SPDX-License-Identifier: Apache-2.0

#include "k8s/kinds/pod.h"

namespace fairway::k8s {

namespace {

class PodIp : public Checked<View, openapi::pod_ip> {
 public:
  using Checked::Checked;
};

}  // namespace

std::vector<std::string_view> Pod::ips() const {
  std::vector<std::string_view> result;
  for (const PodIp& one : items<PodIp>("status.podIPs")) result.push_back(one.text("ip"));
  return result;
}

}  // namespace fairway::k8s
