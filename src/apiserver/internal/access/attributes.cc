// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/attributes.h"

namespace fairway::apiserver::access {

namespace {

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

}  // namespace

std::string Attributes::combined_resource() const {
  return subresource.empty() ? resource : resource + "/" + subresource;
}

std::string Attributes::refusal(std::string_view user, std::string_view reason) const {
  std::string text = "User " + in_quotes(user) + " cannot " + verb;
  if (is_resource) {
    text += " resource " + in_quotes(combined_resource()) + " in API group " + in_quotes(group);
    text +=
        namespace_name.empty() ? " at the cluster scope" : " in the namespace " + in_quotes(namespace_name);
  } else {
    text += " path " + in_quotes(path);
  }
  if (!reason.empty()) text += ": " + std::string(reason);
  return text;
}

}  // namespace fairway::apiserver::access
