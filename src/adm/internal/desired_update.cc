// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/desired_update.h"

#include <utility>

namespace fairway::adm {

json::Object desired_update_patch(const DesiredUpdate& update, const json::Value* accept_risks) {
  json::Object desired{{"architecture", update.architecture},
                       {"version", update.version},
                       {"image", update.image},
                       {"force", update.force}};
  if (accept_risks != nullptr) desired["acceptRisks"] = *accept_risks;
  return {{"spec", json::Object{{"desiredUpdate", std::move(desired)}}}};
}

const json::Value* accepted_risks(const openshift::ClusterVersion& cluster) {
  const json::Value* risks = cluster.find("spec.desiredUpdate.acceptRisks");
  return risks != nullptr && risks->is_array() && !risks->get_array().empty() ? risks : nullptr;
}

}  // namespace fairway::adm
