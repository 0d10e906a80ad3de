// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/run_pass.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace fairway::gateway {

namespace {

std::unique_ptr<Pass> judge_answers(const std::shared_ptr<Evaluation>& evaluation, Memory& memory,
                                    const Envoys& envoys, Probes* probes) {
  Answers answers = ask_envoys(*evaluation, memory.cache.translations, envoys);
  if (probes != nullptr)
    memory.previous.probed = ask_probes(*evaluation, memory.previous.probed, envoys, *probes, answers);
  return judge(evaluation, answers, memory.cache);
}

}  // namespace

std::unique_ptr<Pass> run_pass(PassInput input, Memory& memory, Envoys& envoys, Probes* probes) {
  Attached attached = attach(std::move(input), memory.previous, memory.cache);
  const std::set<std::string> asked_for = envoys.routes_asked_for();
  Plan plan = make_plan(std::move(attached), asked_for, memory.previous, memory.cache);
  envoys.set(plan.served->resources);
  // Whatever comes now: this is what Envoys have.
  memory.previous = std::move(plan.next);
  // There may be thousands of resources. Where no listener may be Ready, nobody needs them any more.
  plan.served.reset();
  return judge_answers(plan.evaluation, memory, envoys, probes);
}

std::unique_ptr<Pass> run_pass_again(const Pass& last, Memory& memory, const Envoys& envoys, Probes* probes) {
  // Published readiness affects the resources that Envoys are given.
  if (!last.evaluation->published.empty() || !memory.previous.published.empty()) return nullptr;
  // Connections from before may go on with routes that nothing else refers to.
  const std::set<std::string> asked_for = envoys.routes_asked_for();
  if (!std::ranges::includes(last.evaluation->routes_known, asked_for)) return nullptr;
  return judge_answers(last.evaluation, memory, envoys, probes);
}

}  // namespace fairway::gateway
