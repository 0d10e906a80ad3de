// SPDX-License-Identifier: Apache-2.0

// The user who sends a request: name, UID, groups and extra values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::apiserver::access {

/// Names of users and groups that have a meaning to the server itself.
inline constexpr std::string_view anonymous_user = "system:anonymous";
inline constexpr std::string_view authenticated_group = "system:authenticated";
inline constexpr std::string_view unauthenticated_group = "system:unauthenticated";
/// Group whose members may do everything, whatever the roles say.
inline constexpr std::string_view masters_group = "system:masters";
inline constexpr std::string_view service_accounts_group = "system:serviceaccounts";
/// Key in `extra` of the id of the token or certificate that a user came with.
inline constexpr std::string_view credential_id_key = "authentication.kubernetes.io/credential-id";

/// The result of authentication, or of impersonation.
struct User {
  std::string name, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  static User anonymous();
  /// Returns the user "system:serviceaccount:NAMESPACE:NAME" with its three groups.
  static User service_account(std::string_view namespace_name, std::string_view name, std::string_view uid);
  bool is_in(std::string_view group) const;
  friend bool operator==(const User&, const User&) = default;
};

/// Returns "system:serviceaccount:NAMESPACE:NAME".
std::string service_account_user_name(std::string_view namespace_name, std::string_view name);

}  // namespace fairway::apiserver::access
