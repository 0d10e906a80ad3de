// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/check_definition.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "apiserver/internal/definitions/approval.h"
#include "apiserver/internal/definitions/check_version.h"
#include "apiserver/internal/webhooks/check_client_config.h"
#include "base/text.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/names.h"
#include "k8s/status.h"

namespace fairway::apiserver::definitions {

namespace {

using schema::Violations;

void append(Violations& problems, Violations further) {
  std::ranges::move(further, std::back_inserter(problems));
}

std::string at_index(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

/// The versions of a definition. Kubernetes treats a member that all versions have alike as one of the whole
/// definition, and its errors have the path that it had before there were versions.
class Versions {
 public:
  explicit Versions(const k8s::CustomResourceDefinition& definition)
      : is_absent_(!definition.has("spec.versions")), list_(definition.versions()) {
    for (const char* name : {"schema", "subresources", "additionalPrinterColumns", "selectableFields"}) {
      if (is_shared(name)) shared_.insert(name);
    }
  }

  const std::vector<k8s::CustomResourceVersion>& list() const { return list_; }
  /// The member that all versions share; nullptr if they differ in it or have none.
  const json::Value* shared(std::string_view name) const {
    return shared_.contains(name) ? member(list_.front(), name) : nullptr;
  }
  /// The member of one version; nullptr if it has none or all share it.
  const json::Value* own(const k8s::CustomResourceVersion& version, std::string_view name) const {
    return shared_.contains(name) ? nullptr : member(version, name);
  }
  /// Returns an error about the list of versions. It shows the list in Kubernetes's own form, in which shared
  /// members are null.
  schema::Violation problem(std::string_view detail) const {
    return {"spec.versions", k8s::cause::field_value_invalid,
            "Invalid value: " + json::to_text(shown()) + ": " + std::string(detail)};
  }

 private:
  static const json::Value* member(const k8s::View& version, std::string_view name) {
    return version.find(name);
  }
  json::Value shown() const {
    if (is_absent_) return nullptr;
    json::Array shown;
    for (const k8s::CustomResourceVersion& version : list_) {
      const auto warning = version.find_text("deprecationWarning");
      shown.push_back(
          json::Object{{"Name", version.name()},
                       {"Served", version.served()},
                       {"Storage", version.storage()},
                       {"Deprecated", version.flag("deprecated")},
                       {"DeprecationWarning", warning ? json::Value(*warning) : json::Value(nullptr)},
                       {"Schema", nullptr},
                       {"Subresources", nullptr},
                       {"AdditionalPrinterColumns", nullptr},
                       {"SelectableFields", nullptr}});
    }
    return shown;
  }

  bool is_shared(std::string_view name) const {
    if (list_.empty()) return false;
    const json::Value* first = member(list_.front(), name);
    return std::ranges::all_of(list_, [&](const k8s::CustomResourceVersion& version) {
      const json::Value* other = member(version, name);
      return first == nullptr || other == nullptr ? first == other : *first == *other;
    });
  }

  bool is_absent_;
  std::vector<k8s::CustomResourceVersion> list_;
  std::set<std::string, std::less<>> shared_;
};

void check_enum(std::string_view value, const std::string& path, std::vector<std::string> allowed,
                Violations& problems) {
  if (value.empty()) {
    problems.push_back(schema::required(path, ""));
  } else if (std::ranges::find(allowed, value) == allowed.end()) {
    problems.push_back(schema::not_supported(path, value, allowed));
  }
}

void check_group(std::string_view group, Violations& problems) {
  if (group.empty()) {
    problems.push_back(schema::required("spec.group", ""));
  } else if (const auto faults = k8s::check_dns_subdomain(group); !faults.empty()) {
    problems.push_back(schema::invalid("spec.group", group, join(faults, ",")));
  } else if (group.find('.') == std::string_view::npos) {
    problems.push_back(schema::invalid("spec.group", group, "should be a domain with at least one dot"));
  }
}

/// The members `name` that are shared, or those of `version`.
struct Members {
  const json::Value *schema, *subresources, *columns, *fields;
};

void check_members(const Members& members, const json::Value* schema, const std::string& path,
                   std::string_view schema_name, Violations& problems) {
  const auto at = [&](std::string_view name) { return path + "." + std::string(name); };
  if (members.schema != nullptr) append(problems, check_schema(*members.schema, at(schema_name)));
  if (members.subresources != nullptr) {
    append(problems, check_subresources(*members.subresources, at("subresources")));
  }
  if (members.columns != nullptr) {
    append(problems, check_printer_columns(*members.columns, at("additionalPrinterColumns")));
  }
  if (members.fields != nullptr) {
    append(problems, check_selectable_fields(*members.fields, schema, at("selectableFields")));
  }
}

void check_versions(const Versions& versions, Violations& problems) {
  std::set<std::string_view> names;
  int stored = 0;
  for (std::size_t i = 0; i < versions.list().size(); ++i) {
    const k8s::CustomResourceVersion& version = versions.list()[i];
    const std::string path = at_index("spec.versions", i);
    names.insert(version.name());
    if (version.storage()) ++stored;
    if (const auto faults = k8s::check_dns_1035_label(version.name()); !faults.empty()) {
      problems.push_back(schema::invalid(path + ".name", version.name(), join(faults, ",")));
    }
    append(problems, check_deprecation(version.json(), path));
    check_members({.schema = versions.own(version, "schema"),
                   .subresources = versions.own(version, "subresources"),
                   .columns = versions.own(version, "additionalPrinterColumns"),
                   .fields = versions.own(version, "selectableFields")},
                  version.find("schema"), path, "schema", problems);
  }
  for (std::size_t i = 0; i < versions.list().size(); ++i) {
    if (!versions.list()[i].has("schema.openAPIV3Schema")) {
      problems.push_back(schema::required(at_index("spec.versions", i) + ".schema.openAPIV3Schema", ""));
    }
  }
  if (names.size() != versions.list().size()) {
    problems.push_back(versions.problem("must contain unique version names"));
  }
  if (stored != 1) {
    problems.push_back(versions.problem("must have exactly one version marked as storage version"));
  }
  if (versions.list().empty()) return;
  // The first one's name is `spec.version` as well, from before there were several.
  const std::string_view first = versions.list().front().name();
  if (const auto faults = k8s::check_dns_1035_label(first); !first.empty() && !faults.empty()) {
    problems.push_back(schema::invalid("spec.version", first, join(faults, ",")));
  }
}

void check_name(std::string_view name, const std::string& path, bool may_be_mixed, Violations& problems) {
  if (name.empty()) return;
  const auto faults = k8s::check_dns_1035_label(may_be_mixed ? to_lower(name) : std::string(name));
  if (faults.empty()) return;
  const std::string_view mixed = may_be_mixed ? "may have mixed case, but should otherwise match: " : "";
  problems.push_back(schema::invalid(path, name, std::string(mixed) + join(faults, ",")));
}

void check_name_list(const k8s::View& names, std::string_view member, Violations& problems) {
  const auto list = names.texts(member);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto faults = k8s::check_dns_1035_label(list[i]);
    if (faults.empty()) continue;
    problems.push_back(
        schema::invalid(at_index("spec.names." + std::string(member), i), list[i], join(faults, ",")));
  }
}

void check_names(const k8s::View& names, Violations& problems) {
  for (const char* member : {"plural", "singular", "kind", "listKind"}) {
    if (names.text(member).empty())
      problems.push_back(schema::required("spec.names." + std::string(member), ""));
  }
  check_name(names.text("plural"), "spec.names.plural", false, problems);
  check_name(names.text("singular"), "spec.names.singular", false, problems);
  check_name(names.text("kind"), "spec.names.kind", true, problems);
  check_name(names.text("listKind"), "spec.names.listKind", true, problems);
  check_name_list(names, "shortNames", problems);
  if (!names.text("kind").empty() && names.text("kind") == names.text("listKind")) {
    problems.push_back(schema::invalid("spec.names.listKind", names.text("listKind"),
                                       "kind and listKind may not be the same"));
  }
  check_name_list(names, "categories", problems);
}

void check_conversion(const k8s::View& conversion, Violations& problems) {
  const std::string path = "spec.conversion";
  check_enum(conversion.text("strategy"), path + ".strategy", {"None", "Webhook"}, problems);
  const bool has_config = conversion.has("webhook.clientConfig");
  const json::Value* versions = conversion.find("webhook.conversionReviewVersions");
  // The paths are those of Kubernetes's own form.
  const std::string config_path = path + ".webhookClientConfig",
                    versions_path = path + ".conversionReviewVersions";
  if (conversion.text("strategy") == "Webhook") {
    if (has_config) {
      append(problems,
             webhooks::check_client_config(conversion.at("webhook.clientConfig").json(), config_path));
    } else {
      problems.push_back(schema::required(config_path, "required when strategy is set to Webhook"));
    }
    append(problems, webhooks::check_review_versions(versions, versions_path));
    return;
  }
  constexpr std::string_view unused = "should not be set when strategy is not set to Webhook";
  if (has_config) problems.push_back(schema::forbidden(config_path, unused));
  if (!conversion.texts("webhook.conversionReviewVersions").empty()) {
    problems.push_back(schema::forbidden(versions_path, unused));
  }
}

/// Checks that an update does not make the CA bundle unreadable. A bundle that was unreadable before may stay
/// so.
void check_ca_bundle(const k8s::View& definition, const k8s::View& old, Violations& problems) {
  constexpr std::string_view path = "spec.conversion.webhook.clientConfig.caBundle";
  if (definition.text("spec.conversion.strategy") != "Webhook" || webhooks::why_unreadable(old.text(path))) {
    return;
  }
  const auto why = webhooks::why_unreadable(definition.text(path));
  if (!why) return;
  problems.push_back(
      schema::invalid("spec.conversion.webhookClientConfig.caBundle", definition.text(path), *why));
}

void check_spec(const k8s::CustomResourceDefinition& definition, Violations& problems) {
  check_group(definition.group(), problems);
  check_enum(definition.text("spec.scope"), "spec.scope", {"Cluster", "Namespaced"}, problems);
  const Versions versions(definition);
  check_versions(versions, problems);
  check_names(definition.at("spec.names"), problems);
  const json::Value* schema = versions.list().empty() ? nullptr : versions.list().front().find("schema");
  check_members({.schema = versions.shared("schema"),
                 .subresources = versions.shared("subresources"),
                 .columns = versions.shared("additionalPrinterColumns"),
                 .fields = versions.shared("selectableFields")},
                schema, "spec", "validation", problems);
  check_conversion(definition.at("spec.conversion"), problems);
}

void check_stored_versions(const k8s::CustomResourceDefinition& definition, Violations& problems) {
  const std::string path = "status.storedVersions";
  const auto stored = definition.stored_versions();
  const json::Value* value = definition.find("status.storedVersions");
  if (stored.empty()) {
    problems.push_back(schema::invalid(path, value == nullptr ? json::Value(nullptr) : *value,
                                       "must have at least one stored version"));
    return;
  }
  const auto versions = definition.versions();
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto is_it = [&](const k8s::CustomResourceVersion& version) { return version.name() == stored[i]; };
    if (std::ranges::any_of(versions, is_it)) continue;
    const std::string name(stored[i]);
    problems.push_back(schema::invalid(
        at_index(path, i), name,
        "missing from spec.versions; " + name +
            " was previously a storage version, and must remain in spec.versions until a storage migration "
            "ensures no data remains persisted in " +
            name + " and removes " + name + " from status.storedVersions"));
  }
  // Kubernetes looks at the last one that is marked, where several wrongly are.
  const auto storage =
      std::ranges::find_if(versions.rbegin(), versions.rend(), &k8s::CustomResourceVersion::storage);
  if (storage != versions.rend() && std::ranges::find(stored, storage->name()) == stored.end()) {
    problems.push_back(
        schema::invalid(path, *value, "must have the storage version " + std::string(storage->name())));
  }
}

void check_approval(const k8s::CustomResourceDefinition& definition, Violations& problems) {
  const Approval state = approval_of(definition);
  const std::string path = "metadata.annotations[" + std::string(approval_annotation) + "]";
  if (state == Approval::missing) {
    problems.push_back(schema::required(path, approval_message(definition)));
  } else if (state == Approval::invalid) {
    problems.push_back(schema::invalid(path, definition.annotations().find(approval_annotation).value_or(""),
                                       approval_message(definition)));
  }
}

void check_preserved_fields(const k8s::CustomResourceDefinition& definition, Violations& problems) {
  if (!definition.flag("spec.preserveUnknownFields")) return;
  problems.push_back(
      schema::invalid("spec.preserveUnknownFields", true,
                      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                      "spec.versions[*].schema instead"));
}

void check_unchanged(const k8s::View& now, const k8s::View& old, const std::string& path,
                     Violations& problems) {
  if (now.text(path) != old.text(path)) {
    problems.push_back(schema::invalid(path, now.text(path), "field is immutable"));
  }
}

}  // namespace

Violations check_definition(const json::Object& document) {
  const k8s::CustomResourceDefinition definition(document);
  Violations problems;
  const std::string name = std::string(definition.plural()) + "." + std::string(definition.group());
  if (!definition.name().empty() && definition.name() != name) {
    problems.push_back(
        schema::invalid("metadata.name", definition.name(), "must be spec.names.plural+\".\"+spec.group"));
  }
  check_spec(definition, problems);
  check_stored_versions(definition, problems);
  check_approval(definition, problems);
  check_preserved_fields(definition, problems);
  return problems;
}

Violations check_definition_update(const json::Object& document, const json::Object& old_document) {
  const k8s::CustomResourceDefinition definition(document), old(old_document);
  Violations problems;
  check_spec(definition, problems);
  if (old.is_established()) {
    check_ca_bundle(definition, old, problems);
    check_unchanged(definition, old, "spec.scope", problems);
    check_unchanged(definition, old, "spec.names.kind", problems);
  }
  check_unchanged(definition, old, "spec.group", problems);
  check_unchanged(definition, old, "spec.names.plural", problems);
  check_stored_versions(definition, problems);
  if (approval_of(definition) != approval_of(old)) check_approval(definition, problems);
  if (!old.flag("spec.preserveUnknownFields")) check_preserved_fields(definition, problems);
  return problems;
}

}  // namespace fairway::apiserver::definitions
