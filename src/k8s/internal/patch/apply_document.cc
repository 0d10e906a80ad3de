// SPDX-License-Identifier: Apache-2.0

#include "k8s/internal/patch/apply_document.h"

#include <algorithm>
#include <array>

#include "k8s/members.h"

namespace fairway::k8s {

Dynamic apply_document(const Dynamic& object, ApplyTo part) {
  constexpr std::array<std::string_view, 9> of_the_server = {"managedFields",
                                                             "uid",
                                                             "resourceVersion",
                                                             "generation",
                                                             "creationTimestamp",
                                                             "deletionTimestamp",
                                                             "deletionGracePeriodSeconds",
                                                             "selfLink",
                                                             "generateName"};
  Dynamic document(object.json());
  const bool status = part == ApplyTo::status;
  erase_members(document.json(), [&](std::string_view key) {
    const bool identity = key == "apiVersion" || key == "kind" || key == "metadata";
    return !identity && (key == "status") != status;
  });
  if (document.at("metadata").json().empty()) return document;
  erase_members(document.object("metadata"), [&](std::string_view key) {
    if (status) return key != "name" && key != "namespace";
    return std::ranges::find(of_the_server, key) != of_the_server.end();
  });
  return document;
}

}  // namespace fairway::k8s
