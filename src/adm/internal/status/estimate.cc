// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/status/estimate.h"

#include <cmath>

#include "adm/internal/status/durations.h"

namespace fairway::adm {
namespace {

using std::chrono::nanoseconds;

double seconds_of(nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Returns the share of the time that has passed when a share `x` of the operators is updated: three
/// polynomials that were fitted to updates of real clusters (97 % of the operators are updated after 67 % of
/// the time). The figures are those of OpenShift's client.
double share_of_time(double x) {
  const double x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
  if (x < 0.25) return -0.03078788 + 2.62886 * x - 3.823954 * x2;
  if (x < 0.9) return 0.1851215 + 1.64994 * x - 4.676898 * x2 + 5.451824 * x3 - 2.125286 * x4;
  return 25053.32 - 107394.3 * x + 172527.2 * x2 - 123107 * x3 + 32921.81 * x4;
}

}  // namespace

nanoseconds baseline_duration(const std::vector<openshift::UpdateHistory>& history) {
  for (std::size_t i = 1; i + 1 < history.size(); ++i)
    if (history[i].is_completed() && history[i].started() && history[i].completed())
      return elapsed(*history[i].started(), *history[i].completed());
  return std::chrono::hours(1);
}

nanoseconds estimate_remaining(nanoseconds baseline, nanoseconds to_last_progress, nanoseconds updating_for,
                               double completion) {
  if (completion >= 1) return nanoseconds::zero();
  const double share = share_of_time(completion);
  const double total = completion > 0 && share > 0 && to_last_progress > std::chrono::minutes(5)
                           ? seconds_of(to_last_progress) / share
                           : seconds_of(baseline);
  const double remaining = total - seconds_of(updating_for);
  // Rather too long than too short.
  constexpr double caution = 1.2;
  const nanoseconds estimate = std::chrono::seconds(
      static_cast<std::int64_t>(remaining < 0 ? remaining / caution : remaining * caution));
  return estimate > std::chrono::minutes(10) ? round_to(estimate, std::chrono::minutes(1)) : estimate;
}

}  // namespace fairway::adm
