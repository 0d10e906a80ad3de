// SPDX-License-Identifier: Apache-2.0

// Judges of the risks of a plan: a Prometheus, recorded series, or what the operator has found.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "adm/plan/judged_risk.h"
#include "base/result.h"
#include "cli/promql/series_files.h"
#include "cli/risk/risk_options.h"
#include "openshift/cluster_version.h"

namespace fairway::cli {

struct PlanJudgeFlags {
  PrometheusFlags prometheus = {};
  SeriesInputs series = {};
  std::vector<std::string> limits = {};
};

/// Adds --prometheus with its kin, --series, --time and --promql-limit.
void add_plan_judge_flags(CLI::App& command, PlanJudgeFlags& flags);

/// Judges risks as the flags say. Made once a command; the flags may then go.
class PlanJudge {
 public:
  /// Errors: flags that do not go together, series that cannot be read, an invalid URL.
  static Result<PlanJudge> create(const PlanJudgeFlags& flags);
  PlanJudge(PlanJudge&&) noexcept;
  PlanJudge& operator=(PlanJudge&&) noexcept;
  ~PlanJudge();

  /// Returns who judges, for those who read the plan: "the operator", "Prometheus at https://...".
  const std::string& name() const;
  /// Begins a plan: its risks are judged for `limit` in all; those that were not judged by then are unknown.
  /// A verdict is kept for an hour, unless the cluster is at another release; a failure for this plan only.
  /// The result is for use until the next plan begins, or this ends.
  adm::JudgeRisks begin(const openshift::ClusterVersion& cluster, const std::stop_token& stop = {},
                        std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  struct Implementation;
  explicit PlanJudge(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::cli
