// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/calls.h"

#include <map>
#include <stdexcept>
#include <string>

namespace fairway::apiserver::validation {

Call find_call(std::string_view name) {
  static const std::map<std::string_view, Call> calls = [] {
    std::map<std::string_view, Call> made;
    for (const auto part : {container_calls(),     environment_calls(),   mount_calls(),
                            resource_calls(),      security_calls(),      system_calls(),
                            volume_calls(),        volume_source_calls(), projection_calls(),
                            claim_calls(),         scheduling_calls(),    pod_calls(),
                            workload_calls(),      job_calls(),           service_calls(),
                            service_type_calls(),  ingress_calls(),       network_policy_calls(),
                            volume_object_calls(), autoscaler_calls(),    quota_calls(),
                            limit_range_calls(),   class_calls(),         certificate_calls()}) {
      for (const NamedCall& one : part) made.emplace(one.name, one.call);
    }
    return made;
  }();
  const auto found = calls.find(name);
  if (found == calls.end()) throw std::logic_error("no function of the rules is called " + std::string(name));
  return found->second;
}

}  // namespace fairway::apiserver::validation
