// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/names.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/objects/status_condition.h"
#include "apiserver/internal/webhooks/check_client_config.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::apiserver::definitions {

namespace {

/// The names that other definitions have. Names of resources and of kinds are apart.
struct TakenNames {
  std::set<std::string, std::less<>> resources, kinds;

  void add(const k8s::View& names) {
    add_to(resources, names.text("plural"));
    add_to(resources, names.text("singular"));
    for (const std::string_view name : names.texts("shortNames")) add_to(resources, name);
    add_to(kinds, names.text("kind"));
    add_to(kinds, names.text("listKind"));
  }

 private:
  static void add_to(std::set<std::string, std::less<>>& names, std::string_view name) {
    if (!name.empty()) names.emplace(name);
  }
};

std::string already_in_use(std::string_view name) {
  return quote(name) + " is already in use";
}

/// Accepts the names that are free, and keeps the last conflict.
class Names {
 public:
  Names(const k8s::View& wanted, const k8s::View& accepted, const TakenNames& taken)
      : wanted_(wanted), accepted_(accepted), taken_(taken) {}

  json::Object give() {
    give("plural", taken_.resources, "PluralConflict");
    give("singular", taken_.resources, "SingularConflict");
    give_short_names();
    give("kind", taken_.kinds, "KindConflict");
    give("listKind", taken_.kinds, "ListKindConflict");
    if (const json::Value* categories = wanted_.find("categories")) given_["categories"] = *categories;
    return std::move(given_);
  }
  const std::string& reason() const { return reason_; }
  const std::string& message() const { return message_; }

 private:
  using Taken = std::set<std::string, std::less<>>;

  void give(std::string_view member, const Taken& taken, std::string_view reason) {
    const std::string_view name = wanted_.text(member);
    if (name != accepted_.text(member) && taken.contains(name)) {
      reason_ = reason;
      message_ = already_in_use(name);
      keep(member);
    } else if (!name.empty()) {
      given_[member] = name;
    }
  }
  void give_short_names() {
    const auto own = accepted_.texts("shortNames");
    std::vector<std::string> errors;
    for (const std::string_view name : wanted_.texts("shortNames")) {
      if (std::ranges::find(own, name) == own.end() && taken_.resources.contains(name)) {
        errors.push_back(already_in_use(name));
      }
    }
    if (errors.empty()) {
      if (const json::Value* names = wanted_.find("shortNames")) given_["shortNames"] = *names;
      return;
    }
    reason_ = "ShortNamesConflict";
    message_ = errors.size() == 1 ? errors.front() : "[" + join(errors, ", ") + "]";
    keep("shortNames");
  }
  void keep(std::string_view member) {
    if (const json::Value* value = accepted_.find(member)) given_[member] = *value;
  }

  const k8s::View wanted_, accepted_;
  const TakenNames& taken_;
  json::Object given_;
  std::string reason_, message_;
};

}  // namespace

bool accept_names(json::Object& document, const std::vector<const json::Object*>& others, WallTime now) {
  TakenNames taken;
  for (const json::Object* other : others) taken.add(k8s::View(*other).at("status.acceptedNames"));
  k8s::Editor definition(document);
  const json::Value before =
      definition.find("status") == nullptr ? json::Value() : *definition.find("status");
  const bool was_established = k8s::CustomResourceDefinition(document).is_established();

  Names names(definition.at("spec.names"), definition.at("status.acceptedNames"), taken);
  json::Object given = names.give();
  const bool accepted = names.reason().empty();
  definition.object("status.acceptedNames") = std::move(given);
  objects::set_status_condition(definition, "NamesAccepted", accepted,
                                accepted ? "NoConflicts" : names.reason(),
                                accepted ? "no conflicts found" : names.message(), now);
  const std::string_view bundle = definition.text("spec.conversion.webhook.clientConfig.caBundle");
  if (accepted && !was_established && webhooks::why_unreadable(bundle)) {
    objects::set_status_condition(definition, "Established", false, "InvalidCABundle",
                                  "The conversion webhook CABundle is invalid", now);
  } else if (was_established || accepted) {
    objects::set_status_condition(definition, "Established", true, "InitialNamesAccepted",
                                  "the initial names have been accepted", now);
  } else {
    objects::set_status_condition(definition, "Established", false, "NotAccepted",
                                  "not all names are accepted", now);
  }
  return before != *definition.find("status");
}

}  // namespace fairway::apiserver::definitions
