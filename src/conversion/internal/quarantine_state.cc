// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/quarantine_state.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "conversion/internal/quarantined_object.h"
#include "k8s/equality.h"
#include "schema/defaults.h"

namespace fairway::conversion {

namespace {

/// Defaults of definitions that are remembered for each version.
constexpr std::size_t most_remembered = 16;

bool rules_compare_with_old(const json::Value& rules) {
  return rules.is_array() && std::ranges::any_of(rules.get_array(), [](const json::Value& rule) {
           const auto text = json::find_string(rule, "rule");
           return text && text->contains("oldSelf");
         });
}

/// Returns whether a schema, or one within it, has a rule with `oldSelf`.
bool compares_with_old(const json::Value& schema) {
  if (schema.is_array()) return std::ranges::any_of(schema.get_array(), compares_with_old);
  if (!schema.is_object()) return false;
  return std::ranges::any_of(schema.get_object(), [](const auto& member) {
    return member.key() == "x-kubernetes-validations" ? rules_compare_with_old(member.value())
                                                      : compares_with_old(member.value());
  });
}

json::Object default_content(const json::Object& schema) {
  json::Object content;
  // Too many defaults are refused when an object is written.
  [[maybe_unused]] const auto filled = schema::fill_in_defaults(content, schema);
  for (const char* member : {"apiVersion", "kind", "metadata"}) content.erase(member);
  return content;
}

/// Returns whether each field of `content` is one of `defaults`, with whatever value.
bool has_fields_of(const json::Object& defaults, const json::Object& content) {
  return std::ranges::all_of(content, [&](const auto& member) {
    const json::Value* const known = defaults.if_contains(member.key());
    if (known == nullptr) return false;
    if (known->is_object() != member.value().is_object()) return false;
    return !known->is_object() || has_fields_of(known->get_object(), member.value().get_object());
  });
}

/// Adds what is not there yet.
void remember(std::vector<json::Object>& contents, const std::vector<json::Object>& earlier) {
  for (const json::Object& one : earlier) {
    const auto is_same = [&](const json::Object& other) {
      return k8s::equal(json::Value(one), json::Value(other));
    };
    if (contents.size() < most_remembered && std::ranges::none_of(contents, is_same)) contents.push_back(one);
  }
}

}  // namespace

QuarantineFacts::QuarantineFacts(const k8s::CustomResourceDefinition& definition)
    : storage(definition.storage_version()) {
  for (const k8s::CustomResourceVersion& version : definition.versions()) {
    if (version.has_scale()) scaled_resource = definition.plural();
    status_is_subresource = status_is_subresource || version.has_status();
    if (!version.items("selectableFields").empty()) {
      obstacle =
          "its version " + std::string(version.name()) +
          " has selectableFields: a watch that selects by one would report a quarantined object, which "
          "has no such field, as deleted; remove them, or do not quarantine the kind";
    }
    const json::Object schema = version.schema().json();
    versions[std::string(version.name())] = {.default_contents = {default_content(schema)},
                                             .compares_with_old = compares_with_old(json::Value(schema))};
  }
}

OwnContent QuarantineFacts::content_of(const k8s::Dynamic& object) const {
  if (has_no_content(object, {})) return OwnContent::none;
  const std::string_view api_version = object.api_version();
  const auto found = versions.find(api_version.substr(api_version.find('/') + 1));
  if (found == versions.end()) return OwnContent::there;
  const auto& known = found->second.default_contents;
  if (std::ranges::any_of(known, [&](const json::Object& one) { return has_no_content(object, one); }))
    return OwnContent::none;
  json::Object content = object.json();
  for (const char* member : {"apiVersion", "kind", "metadata"}) content.erase(member);
  return std::ranges::any_of(known, [&](const json::Object& one) { return has_fields_of(one, content); })
             ? OwnContent::may_be_defaults
             : OwnContent::there;
}

std::shared_ptr<const QuarantineFacts> QuarantineState::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

void QuarantineState::replace(QuarantineFacts facts) {
  const std::lock_guard lock(mutex_);
  facts_ = std::make_shared<const QuarantineFacts>(std::move(facts));
  resource_version_.clear();
}

void QuarantineState::learn(const k8s::CustomResourceDefinition& on_server, bool quarantines) {
  const std::string resource_version(on_server.resource_version());
  const std::lock_guard lock(mutex_);
  if (!resource_version.empty() && resource_version == resource_version_) return;
  QuarantineFacts facts(on_server);
  for (const auto& [version, earlier] : facts_->versions)
    remember(facts.versions[version].default_contents, earlier.default_contents);
  if (quarantines && !facts.obstacle.empty() && facts.obstacle != facts_->obstacle) {
    log::warning("objects that do not convert are not quarantined",
                 {{"definition", std::string(on_server.name())}, {"why", facts.obstacle}});
  }
  facts_ = std::make_shared<const QuarantineFacts>(std::move(facts));
  resource_version_ = resource_version;
}

}  // namespace fairway::conversion
