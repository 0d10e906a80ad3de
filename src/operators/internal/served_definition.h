// SPDX-License-Identifier: Apache-2.0

// The definition of ClusterVersion that a cluster serves: another release of it lists other values, and one
// that it does not take would keep the whole status from being written.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "k8s/status.h"
#include "openshift/cluster_version.h"

namespace fairway::operators {

/// The lists of the status that are written from an answer of the update service.
inline constexpr const char *available_list = "availableUpdates", *conditional_list = "conditionalUpdates",
                            *risk_list = "conditionalUpdateRisks";

/// A definition of ClusterVersion. Parts that the API server has refused all the same (CEL rules) are added
/// to it. Immutable; copies share the schema.
class ServedDefinition {
 public:
  /// Returns what a CustomResourceDefinition takes; nullptr: it serves no version v1 with a status.
  static std::shared_ptr<const ServedDefinition> read(const json::Object& definition);
  /// Returns the definition that this program brings along.
  static const std::shared_ptr<const ServedDefinition>& own();

  const std::string& resource_version() const;
  /// Returns the largest number of items of a list of the status.
  std::size_t max_items(std::string_view list) const;
  /// Removes the members of an item that the definition does not know, which the API server would drop, and
  /// returns the reason why the item is not taken; empty: it is.
  std::string refusal(std::string_view list, json::Object& item) const;
  /// Does the same for an entry of `matchingRules`, and for the URL of a risk.
  bool takes_rule(json::Value& rule) const;
  bool takes_url(const std::string& url) const;

  /// Removes from the status the entries of lists of capabilities that are not taken, and members that the
  /// definition does not know, which the API server would drop. Everything else stays, above all the history
  /// and the conditions: the operator goes by them, so that a write without them is worse than none. Returns
  /// which entries had to go, each as a sentence.
  std::vector<std::string> fit(openshift::ClusterVersion& cluster) const;

  /// Returns the parts of `refused` that may be left out and that the API server complains of, in the form
  /// that `with_refused` takes. `answer` is its answer to that object; only the fields of the causes count,
  /// as messages may quote anything.
  static std::set<std::string> refused_parts(const k8s::Status& answer,
                                             const openshift::ClusterVersion& refused);
  /// Returns this definition without the parts, too; nullptr: it has them all already.
  std::shared_ptr<const ServedDefinition> with_refused(const std::set<std::string>& parts) const;

 private:
  struct Schema;
  std::shared_ptr<const Schema> schema_;
  std::set<std::string> refused_;
};

}  // namespace fairway::operators
