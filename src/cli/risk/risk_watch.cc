#include "cli/risk/risk_watch.h"

#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "command_line/commands.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

/// What a report says, when it was learnt aside.
std::string without_times(RiskReport report) {
  for (risk::UpdateVerdict& update : report.verdicts) {
    for (risk::RiskVerdict& risk : update.risks) {
      risk.last.reset();
      risk.next.reset();
    }
  }
  return as_json(report);
}

}  // namespace

int watch_risks(RiskReport report, risk::Rounds& rounds, std::chrono::nanoseconds interval,
                const std::string& output, const std::stop_token& stop) {
  Clock& clock = Clock::system();
  std::string shown;
  do {
    auto verdicts = rounds.run(report.offers.updates, stop);
    if (!verdicts) {
      // Only a stop ends a round.
      return stop.stop_requested() ? exit_ok : fairway::cli::report(verdicts.error());
    }
    report.verdicts = *std::move(verdicts);
    std::string now = without_times(report);
    if (now == shown) continue;
    print(output == "json" ? as_json(report)
                           : (shown.empty() ? "" : "\n") + Style().dim(format_time(clock.now())) + "\n" +
                                 as_table(report));
    shown = std::move(now);
    // A reader wants to know now; one that has gone away needs no more.
    if (std::fflush(stdout) != 0) return exit_failed;
  } while (clock.wait_until(clock.steady() + interval, stop));
  return exit_ok;
}

}  // namespace fairway::cli
