// SPDX-License-Identifier: Apache-2.0

// Reviews of access: SubjectAccessReview and its relatives, and SelfSubjectRulesReview.
#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/rest/reviews.h"
#include "base/text.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

using k8s::FieldError;

/// Returns the attributes of a path as Go writes them.
json::Value path_attributes(const k8s::Dynamic& review) {
  return json::Object{{"Path", review.text("spec.nonResourceAttributes.path")},
                      {"Verb", review.text("spec.nonResourceAttributes.verb")}};
}

json::Value value_at(const k8s::Dynamic& object, std::string_view path) {
  const json::Value* value = object.find(path);
  return value != nullptr ? *value : json::Value();
}

/// Checks a selector, which is given as a text or as requirements.
void check_selector(const k8s::Dynamic& review, const std::string& path, std::vector<FieldError>& errors) {
  if (!review.has(path)) return;
  const bool has_text = !review.text(path + ".rawSelector").empty();
  const bool has_requirements = !review.items(path + ".requirements").empty();
  if (has_text && has_requirements) {
    errors.push_back(FieldError::invalid(path + ".rawSelector",
                                         json::Value(review.text(path + ".rawSelector")),
                                         "may not specified at the same time as requirements"));
  } else if (!has_text && !has_requirements) {
    errors.push_back(FieldError::required(
        path + ".requirements", "when " + path + " is specified, requirements or rawSelector is required"));
  }
}

std::vector<FieldError> check(const k8s::Dynamic& review) {
  const bool is_local = review.kind() == "LocalSubjectAccessReview";
  const bool is_self = review.kind() == "SelfSubjectAccessReview";
  std::vector<FieldError> errors;
  const bool of_resource = review.has("spec.resourceAttributes"),
             of_path = review.has("spec.nonResourceAttributes");
  if (of_resource == of_path) {
    errors.push_back(
        FieldError::invalid("spec", of_path ? path_attributes(review) : json::Value(),
                            "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
  if (!is_self && review.text("spec.user").empty() && review.texts("spec.groups").empty()) {
    errors.push_back(
        FieldError::invalid("spec.user", json::Value(""), "at least one of user or group must be specified"));
  }
  check_selector(review, "spec.resourceAttributes.fieldSelector", errors);
  check_selector(review, "spec.resourceAttributes.labelSelector", errors);
  k8s::Dynamic rest = review;
  rest.erase("metadata.managedFields");
  if (is_local) rest.erase("metadata.namespace");
  const json::Value metadata = value_at(rest, "metadata");
  if (metadata.is_object() && !metadata.get_object().empty()) {
    errors.push_back(FieldError::invalid("metadata", metadata,
                                         is_local ? "must be empty except for namespace" : "must be empty"));
  }
  if (!is_local) return errors;
  if (of_resource && review.text("spec.resourceAttributes.namespace") != review.namespace_name()) {
    errors.push_back(FieldError::invalid("spec.resourceAttributes.namespace",
                                         json::Value(review.text("spec.resourceAttributes.namespace")),
                                         "must match metadata.namespace"));
  }
  if (of_path) {
    errors.push_back(FieldError::invalid("spec.nonResourceAttributes", path_attributes(review),
                                         "disallowed on this kind of request"));
  }
  return errors;
}

access::Attributes attributes_of(const k8s::Dynamic& review) {
  access::Attributes made;
  made.is_resource = review.has("spec.resourceAttributes");
  const std::string at = made.is_resource ? "spec.resourceAttributes." : "spec.nonResourceAttributes.";
  made.verb = review.text(at + "verb");
  if (!made.is_resource) {
    made.path = review.text(at + "path");
    return made;
  }
  made.group = review.text(at + "group");
  made.version = review.text(at + "version");
  made.resource = review.text(at + "resource");
  made.subresource = review.text(at + "subresource");
  made.namespace_name = review.text(at + "namespace");
  made.name = review.text(at + "name");
  return made;
}

access::User user_of(const k8s::Dynamic& review) {
  access::User user{.name = std::string(review.text("spec.user")),
                    .uid = std::string(review.text("spec.uid"))};
  for (const std::string_view group : review.texts("spec.groups")) user.groups.emplace_back(group);
  if (const json::Value* extra = review.find("spec.extra"); extra != nullptr && extra->is_object()) {
    for (const auto& [key, values] : extra->get_object()) {
      auto& list = user.extra[std::string(key)];
      if (!values.is_array()) continue;
      for (const json::Value& value : values.get_array()) {
        if (value.is_string()) list.emplace_back(value.get_string());
      }
    }
  }
  return user;
}

/// Returns the errors of selectors that cannot be read. Selectors do not matter to RBAC.
std::string selector_errors(const k8s::Dynamic& review) {
  std::vector<std::string> errors;
  const std::string_view fields = review.text("spec.resourceAttributes.fieldSelector.rawSelector"),
                         labels = review.text("spec.resourceAttributes.labelSelector.rawSelector");
  if (!fields.empty() && !k8s::FieldSelector::parse(fields)) {
    errors.emplace_back("spec.resourceAttributes.fieldSelector ignored due to parse error");
  }
  if (!labels.empty() && !k8s::LabelSelector::parse(labels)) {
    errors.emplace_back("spec.resourceAttributes.labelSelector ignored due to parse error");
  }
  return join(errors, "; ");
}

VerbResult review_access(const Services& services, Call& call) {
  const k8s::GroupVersionKind& kind = call.resource->kind;
  auto review = read_review(call, kind);
  if (!review) return std::unexpected(review.error());
  if (const auto errors = check(*review); !errors.empty()) {
    // A real server has forgotten the kind here.
    return std::unexpected(k8s::answer::invalid({kind.group, ""}, "", errors));
  }
  const bool is_self = kind.kind == "SelfSubjectAccessReview";
  const access::Decision decision =
      services.extensions.authorize(is_self ? call.user : user_of(*review), attributes_of(*review));
  review->set("status.allowed", json::Value(decision.allowed));
  if (!decision.reason.empty()) review->set("status.reason", decision.reason);
  if (const std::string errors = selector_errors(*review); !errors.empty()) {
    review->set("status.evaluationError", errors);
  }
  return reply_review(call, *review, kind);
}

VerbResult review_rules(const Services& services, Call& call) {
  const k8s::GroupVersionKind& kind = call.resource->kind;
  const auto review = read_review(call, kind);
  if (!review) return std::unexpected(review.error());
  const std::string_view namespace_name = review->text("spec.namespace");
  if (namespace_name.empty()) {
    return std::unexpected(k8s::answer::bad_request("no namespace on request"));
  }
  access::HeldRules held;
  if (services.extensions.rules_of) held = services.extensions.rules_of(call.user, namespace_name);
  json::Array resources, paths;
  for (const access::Rule& rule : held.rules) {
    // The members of both are those of a rule.
    if (!rule.resources.empty()) {
      json::Object entry = std::move(rule.to_json().as_object());
      entry.erase("nonResourceURLs");
      resources.emplace_back(std::move(entry));
    }
    if (!rule.paths.empty()) {
      paths.emplace_back(
          json::Object{{"verbs", to_array(rule.verbs)}, {"nonResourceURLs", to_array(rule.paths)}});
    }
  }
  k8s::Dynamic answer;
  answer.set("kind", kind.kind);
  answer.set("apiVersion", kind.api_version());
  answer.set("status", json::Value(json::Object{{"resourceRules", std::move(resources)},
                                                {"nonResourceRules", std::move(paths)},
                                                {"incomplete", false}}));
  if (!held.missing.empty()) {
    const std::string all = join(held.missing, ", ");
    answer.set("status.evaluationError", held.missing.size() == 1 ? all : "[" + all + "]");
  }
  return reply_review(call, answer, kind);
}

}  // namespace

VerbResult create_review(const Services& services, Call& call) {
  const std::string& kind = call.resource->kind.kind;
  if (kind == "TokenReview") return review_token(services, call);
  if (kind == "SelfSubjectReview") return review_self(services, call);
  if (kind == "SelfSubjectRulesReview") return review_rules(services, call);
  return review_access(services, call);
}

}  // namespace fairway::apiserver::rest
