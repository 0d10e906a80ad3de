// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/user.h"

#include <algorithm>

namespace fairway::apiserver::access {

User User::anonymous() {
  return {.name = std::string(anonymous_user), .groups = {std::string(unauthenticated_group)}};
}

User User::service_account(std::string_view namespace_name, std::string_view name, std::string_view uid) {
  return {.name = service_account_user_name(namespace_name, name),
          .uid = std::string(uid),
          .groups = {std::string(service_accounts_group),
                     std::string(service_accounts_group) + ":" + std::string(namespace_name),
                     std::string(authenticated_group)}};
}

bool User::is_in(std::string_view group) const {
  return std::ranges::find(groups, group) != groups.end();
}

std::string service_account_user_name(std::string_view namespace_name, std::string_view name) {
  return "system:serviceaccount:" + std::string(namespace_name) + ":" + std::string(name);
}

}  // namespace fairway::apiserver::access
