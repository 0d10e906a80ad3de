// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/risk_watch.h"

#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "command_line/commands.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

/// Returns the text of a report without its times.
std::string without_times(RiskReport report) {
  for (risk::UpdateVerdict& update : report.verdicts) {
    for (risk::RiskVerdict& risk : update.risks) {
      risk.last.reset();
      risk.next.reset();
    }
  }
  return as_json(report);
}

/// Takes over the new updates. If they could not be loaded, the last ones stay, and each new reason is
/// reported once.
void take_up(RiskReport& report, Result<UpdatesNow> next, std::string& fault) {
  if (next) {
    report.available = std::move(next->available);
    report.gone = std::move(next->gone);
    fault.clear();
  } else if (next.error().message != fault) {
    fault = next.error().message;
    command_line::warn(fault + "; the updates that were known stay");
  }
}

}  // namespace

int watch_risks(RiskReport report, risk::Rounds& rounds, std::chrono::nanoseconds interval,
                const std::string& output, const RefreshUpdates& refresh, const std::stop_token& stop) {
  Clock& clock = Clock::system();
  std::string shown, fault;
  for (bool first = true; first || clock.wait_until(clock.steady() + interval, stop); first = false) {
    if (!first) take_up(report, refresh(), fault);
    auto verdicts = rounds.run(report.available.updates, stop);
    if (!verdicts) {
      // Only a stop ends a round.
      return stop.stop_requested() ? command_line::exit_ok : command_line::report(verdicts.error());
    }
    report.verdicts = *std::move(verdicts);
    std::string now = without_times(report);
    if (now == shown) continue;
    command_line::print(output == "json" ? as_json(report)
                                         : (shown.empty() ? "" : "\n") +
                                               command_line::Style().dim(format_time(clock.now())) + "\n" +
                                               as_table(report));
    shown = std::move(now);
    // A reader wants to know now; one that has gone away needs no more.
    if (std::fflush(stdout) != 0) return command_line::exit_failed;
  }
  return command_line::exit_ok;
}

}  // namespace fairway::cli
