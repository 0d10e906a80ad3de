// SPDX-License-Identifier: Apache-2.0

#include <cstdio>

#include "base/log.h"
#include "cli/envtest/commands.h"
#include "command_line/stop_signals.h"
#include "envtest/stand_in_etcd.h"

namespace fairway::cli {

int run_etcd(std::span<const std::string> words) {
  const envtest::GivenFlags given = envtest::given_etcd_flags(words);
  if (given.is_set("help") || given.is_set("h")) {
    std::fputs(envtest::etcd_help().c_str(), stdout);
    return exit_ok;
  }
  if (given.is_set("version")) {
    std::fputs(envtest::etcd_version().c_str(), stdout);
    return exit_ok;
  }
  const StopSignals signals;
  const envtest::EtcdOptions options = envtest::read_etcd_flags(given);
  const auto etcd = envtest::StandInEtcd::start(options);
  if (!etcd) return report(etcd.error());
  log::info("the store is ready",
            {{"listen", (*etcd)->addresses().front()}, {"folder", options.data.string()}});
  Clock::system().wait_until(SteadyTime::max(), signals.token());
  return exit_ok;
}

}  // namespace fairway::cli
