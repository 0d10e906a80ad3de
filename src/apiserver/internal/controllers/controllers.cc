// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/controllers.h"

namespace fairway::apiserver::controllers {

Controllers::Controllers(objects::Objects& objects, ControllerOptions options, const std::string& authority,
                         const access::Tokens* tokens)
    : options_(options),
      collector_(objects),
      namespaces_(objects),
      defaults_(objects, authority),
      roles_(objects),
      secrets_(objects, options.token_secrets ? tokens : nullptr, authority),
      quotas_(objects),
      flow_schemas_(objects),
      feed_(objects, {.observe = [this](const Observed& observed) { observe(observed); },
                      .resync = [this](const std::string& resource) { resync(resource); },
                      .work = [this](const std::stop_token& stop) { return work(stop); }}) {}

void Controllers::observe(const Observed& observed) {
  if (options_.garbage_collector) collector_.observe(observed);
  if (options_.namespaces) namespaces_.observe(observed);
  if (options_.namespace_defaults) defaults_.observe(observed);
  if (options_.role_aggregation) roles_.observe(observed);
  if (options_.quota_status) quotas_.observe(observed);
  secrets_.observe(observed);
  flow_schemas_.observe(observed);
}

void Controllers::resync(const std::string& resource) {
  collector_.resync(resource);
  namespaces_.resync(resource);
  defaults_.resync(resource);
  roles_.resync(resource);
  quotas_.resync(resource);
  secrets_.resync(resource);
  flow_schemas_.resync(resource);
}

WorkLeft Controllers::work(const std::stop_token& stop) {
  bool failed = options_.role_aggregation && !roles_.work();
  failed |= options_.namespace_defaults && !defaults_.work();
  failed |= options_.quota_status && !quotas_.work(stop);
  failed |= !secrets_.work();
  failed |= !flow_schemas_.work();
  failed |= options_.namespaces && !namespaces_.work(stop);
  const WorkLeft left = options_.garbage_collector ? collector_.work(stop) : WorkLeft::none;
  if (left == WorkLeft::more) return left;
  return failed ? WorkLeft::failed : left;
}

}  // namespace fairway::apiserver::controllers
