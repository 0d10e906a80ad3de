// SPDX-License-Identifier: Apache-2.0

// The writes that a webhook or a policy matches: rules, selectors and match policy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/admission/attributes.h"
#include "base/result.h"
#include "k8s/label_selector.h"
#include "k8s/status.h"
#include "k8s/view.h"

namespace fairway::apiserver::admission {

/// The resource as which a write matches: that of the request, or the same objects in another version.
struct Matched {
  k8s::GroupVersionResource resource;
  k8s::GroupVersionKind kind;
  /// The other resource; null: that of the request.
  resources::ServedResourcePtr as;
};

/// A rule about operations and resources.
/// Rules: k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules.
class Rule {
 public:
  explicit Rule(const k8s::View& rule);
  bool matches(const Attributes& attributes, const k8s::GroupVersionResource& resource) const;

 private:
  std::vector<std::string> operations_, groups_, versions_, resources_, names_;
  std::string scope_;
};

/// The rules, selectors and match policy of a webhook, or of a policy's MatchResources.
/// Rules: k8s.io/apiserver/pkg/admission/plugin/webhook/generic and plugin/policy/matching.
class Constraints {
 public:
  /// Reads the constraints of `of`. `rules` is the member with the rules. `matches_without`: without rules,
  /// everything matches.
  Constraints(const k8s::View& of, std::string_view rules, bool matches_without);

  /// Matches a write; std::nullopt: it does not match. A Status: that could not be found out.
  k8s::StatusResult<std::optional<Matched>> match(const Attributes& attributes, const Sources& sources) const;

 private:
  std::optional<Matched> match_rules(const std::vector<Rule>& rules, const Attributes& attributes,
                                     const Sources& sources) const;
  k8s::StatusResult<bool> match_namespace(const Attributes& attributes, const Sources& sources) const;
  k8s::StatusResult<bool> match_object(const Attributes& attributes) const;

  std::vector<Rule> rules_, excluded_;
  bool matches_without_;
  bool is_exact_;
  Result<k8s::LabelSelector> namespaces_, objects_;
};

/// The objects of a write in the version in which it matched.
struct Versioned {
  std::optional<k8s::Dynamic> object, old;

  const json::Object* object_json() const { return object ? &object->json() : nullptr; }
  const json::Object* old_json() const { return old ? &old->json() : nullptr; }
};
/// Converts the objects of a write. Errors (500): one of them cannot be converted.
k8s::StatusResult<Versioned> in_version(const Attributes& attributes, const Matched& matched);

/// Returns whether a resource is one of admission's own, which neither webhooks nor policies admit.
bool is_exempt(const Attributes& attributes);

}  // namespace fairway::apiserver::admission
