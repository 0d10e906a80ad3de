// SPDX-License-Identifier: Apache-2.0

// Updates out of the cluster's release, as its operator sees them: by its lists, and by their gaps.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "adm/plan/judged_risk.h"
#include "graph/risk.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Word of the operator against an update, as a risk of it.
struct Objection {
  graph::Risk risk = {};
  JudgedRisk judged = {};
  /// Names of the risks that it has for the update, without those that do not apply; where it names none,
  /// the name of `risk`.
  std::set<std::string, std::less<>> names = {};
};

/// The name of the objection to an update that the operator does not offer.
inline constexpr const char* not_offered = "NotOffered";

/// The updates out of the cluster's release that its operator offers, and those that it does not recommend.
class OfferedUpdates {
 public:
  explicit OfferedUpdates(const openshift::ClusterVersion& cluster);

  /// Returns what the operator says against an update that it offers: those of `status.conditionalUpdates`,
  /// and those that it offers without listing them. The name of the risk is the reason of the condition
  /// Recommended, and its message that of the condition. It applies if the condition is False, and is unknown
  /// otherwise. nullptr: it says nothing against it.
  const Objection* against(std::string_view version) const;

  /// Returns the objection to an update in the cluster's channel that is in none of the operator's lists:
  /// `adm upgrade --to` refuses it. Whether it will be offered is unknown. nullptr: the operator offers it,
  /// or its lists are not of now (the condition RetrievedUpdates is not True).
  const Objection* lack(std::string_view version) const;

 private:
  void add_conditional(const openshift::ConditionalUpdate& update);

  std::map<std::string, Objection, std::less<>> not_recommended_;
  std::set<std::string, std::less<>> offered_;
  bool is_known_ = false;
  Objection lack_;
};

}  // namespace fairway::adm
