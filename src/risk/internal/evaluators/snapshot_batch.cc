// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/evaluators/snapshot_batch.h"

#include <utility>

#include "promql/parser/parser.h"

namespace fairway::risk {

std::optional<Planned> plan_of(const Question& question) {
  if (question.dialect == promql::Dialect::prometheus2) return std::nullopt;
  auto plan = plan_snapshot(*question.expression);
  if (!plan || (!plan->instants.empty() && !plan->ranges.empty())) return std::nullopt;
  auto parsed = promql::parse(question.query, promql::Dialect::prometheus2);
  if (!parsed) return std::nullopt;
  Question older = question;
  older.expression = *std::move(parsed);
  older.dialect = promql::Dialect::prometheus2;
  const auto same = plan_snapshot(*older.expression);
  if (!same || same->present != plan->present || same->past != plan->past || same->window != plan->window)
    return std::nullopt;
  return Planned{*std::move(plan), std::move(older)};
}

}  // namespace fairway::risk
