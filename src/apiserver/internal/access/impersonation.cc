// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/impersonation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/percent_encoding.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/names.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::access {

namespace {

constexpr std::string_view prefix = "impersonate-", extra_prefix = "impersonate-extra-";
constexpr std::string_view authentication_group = "authentication.k8s.io";
constexpr std::string_view node_prefix = "system:node:", nodes_group = "system:nodes";
constexpr std::string_view account_prefix = "system:serviceaccount:";
/// Extra key of a ServiceAccount whose token is bound to a node, or to a Pod on one.
constexpr std::string_view node_name_key = "authentication.kubernetes.io/node-name";

std::unexpected<k8s::Status> bad(std::string_view why) {
  return std::unexpected(k8s::answer::bad_request(why));
}

/// Returns a list of strings as Go prints it (%#v).
std::string go_list(const std::vector<std::string>& texts) {
  if (texts.empty()) return "[]string(nil)";
  std::string out = "[]string{";
  for (const std::string& text : texts) {
    if (&text != &texts.front()) out += ", ";
    out += quote(text);
  }
  return out + "}";
}

/// Returns a user without a name as kube-apiserver prints it.
std::string go_user(const User& user) {
  std::string extra = "map[string][]string";
  if (user.extra.empty()) {
    extra += "(nil)";
  } else {
    extra += '{';
    for (const auto& [key, values] : user.extra) {
      if (!extra.ends_with('{')) extra += ", ";
      extra += quote(key) + ":" + go_list(values);
    }
    extra += '}';
  }
  return "&user.DefaultInfo{Name:" + quote(user.name) + ", UID:" + quote(user.uid) +
         ", Groups:" + go_list(user.groups) + ", Extra:" + extra + "}";
}

std::optional<std::string> node_of(std::string_view user) {
  if (!user.starts_with(node_prefix)) return std::nullopt;
  user.remove_prefix(node_prefix.size());
  if (!k8s::check_dns_subdomain(user).empty()) return std::nullopt;
  return std::string(user);
}

/// Returns the namespace and name of a ServiceAccount; std::nullopt for other users.
std::optional<std::pair<std::string, std::string>> account_of(std::string_view user) {
  if (!user.starts_with(account_prefix)) return std::nullopt;
  user.remove_prefix(account_prefix.size());
  const std::size_t colon = user.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view namespace_name = user.substr(0, colon), name = user.substr(colon + 1);
  if (!k8s::check_dns_label(namespace_name).empty() || !k8s::check_dns_subdomain(name).empty()) {
    return std::nullopt;
  }
  return std::pair(std::string(namespace_name), std::string(name));
}

bool is_only_a_name(const User& user) {
  return user.uid.empty() && user.groups.empty() && user.extra.empty();
}

bool is_on_its_own_node(const User& wanted, const User& requestor) {
  const auto node = node_of(wanted.name);
  const auto own = requestor.extra.find(std::string(node_name_key));
  return is_only_a_name(wanted) && node && account_of(requestor.name) && own != requestor.extra.end() &&
         own->second.size() == 1 && own->second.front() == *node;
}

struct Mode {
  /// Name of the mode. Empty: the verb "impersonate", without constraints.
  std::string_view name;
  bool (*is_for)(const User& wanted, const User& requestor);
};

constexpr std::string_view associated_node = "associated-node";

constexpr std::array<Mode, 5> modes{
    {{associated_node, &is_on_its_own_node},
     {"arbitrary-node",
      [](const User& wanted, const User&) { return is_only_a_name(wanted) && node_of(wanted.name); }},
     {"serviceaccount",
      [](const User& wanted, const User&) { return is_only_a_name(wanted) && account_of(wanted.name); }},
     {"user-info",
      [](const User& wanted, const User&) { return !node_of(wanted.name) && !account_of(wanted.name); }},
     {"", [](const User&, const User&) { return true; }}}};

void ensure_group(User& user, std::string_view group) {
  if (!user.is_in(group)) user.groups.emplace_back(group);
}

/// Returns the fault of extra values in a constrained mode; empty: there is none.
std::string extra_fault(const std::map<std::string, std::vector<std::string>>& extra) {
  for (const auto& [key, values] : extra) {
    if (key.empty()) return "impersonating the empty string key in extra is not allowed";
    const std::size_t slash = key.find('/');
    const bool is_path = slash != std::string::npos && slash + 1 < key.size() &&
                         k8s::check_dns_subdomain(std::string_view(key).substr(0, slash)).empty();
    if (!is_path) {
      return "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: " + quote(key) +
             R"(: must be a domain-prefixed path (such as "acme.io/foo"))";
    }
    if (key != to_lower(key)) {
      return "impersonating a non-lowercase key in extra is not allowed: " + quote(key);
    }
    if (std::ranges::find(values, "") != values.end()) {
      return "impersonating the empty string value in extra is not allowed";
    }
  }
  return {};
}

/// The check of one impersonation mode.
class Attempt {
 public:
  Attempt(const Mode& mode, const User& requestor, const Authorize& authorize)
      : mode_(mode),
        requestor_(requestor),
        authorize_(authorize),
        verb_(mode.name.empty() ? "impersonate" : "impersonate:" + std::string(mode.name)) {}

  const std::string& verb() const { return verb_; }

  k8s::StatusResult<User> check(const User& wanted, const Attributes& request) const {
    if (is_constrained()) {
      Attributes on = request;
      on.verb = "impersonate-on:" + std::string(mode_.name) + ":" + request.verb;
      if (auto allowed = ask(on); !allowed) return std::unexpected(allowed.error());
    }
    User user = wanted;
    if (auto allowed = check_name(user); !allowed) return std::unexpected(allowed.error());
    if (!wanted.uid.empty()) {
      const auto allowed = ask(asked_for("uids", wanted.uid, authentication_group));
      if (!allowed) return std::unexpected(allowed.error());
    }
    if (auto allowed = check_groups(wanted); !allowed) return std::unexpected(allowed.error());
    if (auto allowed = check_extra(wanted); !allowed) return std::unexpected(allowed.error());
    if (user.name == anonymous_user) {
      ensure_group(user, unauthenticated_group);
    } else if (!user.is_in(unauthenticated_group)) {
      ensure_group(user, authenticated_group);
    }
    return user;
  }

 private:
  bool is_constrained() const { return !mode_.name.empty(); }

  Attributes asked_for(std::string_view resource, std::string_view name, std::string_view group) const {
    return {.verb = verb_,
            .is_resource = true,
            .group = std::string(group),
            .version = "v1",
            .resource = std::string(resource),
            .name = std::string(name)};
  }
  /// The API group of users and groups: the core group in the mode without constraints.
  std::string_view group_of_users() const { return is_constrained() ? authentication_group : ""; }

  std::unexpected<k8s::Status> refuse(const Attributes& attributes, std::string_view reason) const {
    return std::unexpected(k8s::answer::forbidden({attributes.group, attributes.resource}, attributes.name,
                                                  attributes.refusal(requestor_.name, reason)));
  }
  k8s::StatusResult<void> ask(const Attributes& attributes) const {
    const Decision decision = authorize_(requestor_, attributes);
    if (decision.allowed) return {};
    return refuse(attributes, decision.reason);
  }

  /// Checks the right to the name of `user`, and adds the groups that its kind of user has.
  k8s::StatusResult<void> check_name(User& user) const {
    Attributes asked = asked_for("users", user.name, group_of_users());
    if (const auto node = node_of(user.name); node && is_constrained()) {
      asked.resource = "nodes";
      // The right is one to any node that the requestor is on.
      asked.name = mode_.name == associated_node ? "*" : *node;
      user.groups = {std::string(nodes_group)};
    }
    if (const auto account = account_of(user.name)) {
      asked.resource = "serviceaccounts";
      asked.namespace_name = account->first;
      asked.name = account->second;
      if (user.groups.empty()) {
        user.groups = {std::string(service_accounts_group),
                       std::string(service_accounts_group) + ":" + account->first};
      }
    }
    return ask(asked);
  }

  k8s::StatusResult<void> check_groups(const User& wanted) const {
    if (is_constrained()) {
      if (wanted.is_in("")) {
        return refuse(asked_for("groups", "", group_of_users()),
                      "impersonating the empty string group is not allowed");
      }
      if (wanted.is_in(masters_group)) {
        return refuse(asked_for("groups", masters_group, group_of_users()),
                      "impersonating the system:masters group is not allowed");
      }
    }
    for (const std::string& group : wanted.groups) {
      if (auto allowed = ask(asked_for("groups", group, group_of_users())); !allowed) return allowed;
    }
    return {};
  }

  k8s::StatusResult<void> check_extra(const User& wanted) const {
    Attributes asked = asked_for("userextras", "", authentication_group);
    if (is_constrained()) {
      if (const std::string fault = extra_fault(wanted.extra); !fault.empty()) return refuse(asked, fault);
    }
    for (const auto& [key, values] : wanted.extra) {
      asked.subresource = key;
      for (const std::string& value : values) {
        asked.name = value;
        if (auto allowed = ask(asked); !allowed) return allowed;
      }
    }
    return {};
  }

  const Mode& mode_;
  const User& requestor_;
  const Authorize& authorize_;
  std::string verb_;
};

}  // namespace

k8s::StatusResult<std::optional<User>> impersonated_user(std::span<const http::Field> fields) {
  User wanted;
  bool any = false, has_user = false, has_uid = false;
  for (const http::Field& field : fields) {
    const std::string name = to_lower(field.name);
    if (!name.starts_with(prefix)) continue;
    any = true;
    const std::string value(field.value);
    if (!is_utf8(value)) return bad("the header " + printable(field.name) + " is not UTF-8");
    if (name == "impersonate-user") {
      if (std::exchange(has_user, true)) return bad("the header Impersonate-User is there more than once");
      wanted.name = value;
    } else if (name == "impersonate-uid") {
      if (std::exchange(has_uid, true)) return bad("the header Impersonate-Uid is there more than once");
      wanted.uid = value;
    } else if (name == "impersonate-group") {
      wanted.groups.push_back(value);
    } else if (name.starts_with(extra_prefix)) {
      const std::string sent = name.substr(extra_prefix.size());
      std::string key = percent_decode(sent).value_or(sent);
      if (!is_utf8(key)) return bad("the header " + printable(field.name) + " is not UTF-8");
      wanted.extra[std::move(key)].push_back(value);
    } else {
      return bad("the header " + printable(field.name) + " is not known: it would not be obeyed");
    }
  }
  if (!any) return std::nullopt;
  if (wanted.name.empty()) return bad("requested " + go_user(wanted) + " without impersonating a user name");
  return wanted;
}

k8s::StatusResult<Impersonated> impersonate(const User& requestor, const User& wanted,
                                            const Attributes& request, const Authorize& authorize) {
  std::optional<k8s::Status> first;
  for (const Mode& mode : modes) {
    if (!mode.is_for(wanted, requestor)) continue;
    const Attempt attempt(mode, requestor, authorize);
    auto user = attempt.check(wanted, request);
    if (user) return Impersonated{*std::move(user), mode.name.empty() ? std::string() : attempt.verb()};
    if (!first) first = std::move(user.error());
  }
  // The last mode is for everybody.
  return std::unexpected(*std::move(first));
}

}  // namespace fairway::apiserver::access
