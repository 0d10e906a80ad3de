// SPDX-License-Identifier: Apache-2.0

// `fairway serve` over sources of a test, as a process that is signalled, measured and started again.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "support/generous.h"
#include "support/process.h"
#include "updateservice/running_service.h"

namespace fairway::testing {

class UpdateServer {
 public:
  UpdateServer(std::string graph_data, const std::filesystem::path& releases, std::filesystem::path scratch,
               std::chrono::seconds drain)
      : graph_data_(std::move(graph_data)), releases_(releases), scratch_(std::move(scratch)), drain_(drain) {
    std::filesystem::create_directories(scratch_);
  }

  /// Starts it; false if it does not come up.
  bool start() {
    log_ = (scratch_ / ("log" + std::to_string(++starts_))).string();
    process_.emplace(
        std::vector<std::string>{FAIRWAY_BINARY, "serve", "--releases", releases_.string(), "--graph-data",
                                 graph_data_, "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0",
                                 "--interval", "1s", "--drain", std::to_string(drain_.count()) + "s",
                                 "--data", (scratch_ / "data").string()},
        log_);
    const auto last = std::chrono::steady_clock::now() + generous(std::chrono::seconds(20));
    while (std::chrono::steady_clock::now() < last && process_->running()) {
      const std::string text = log();
      const std::size_t at = text.find("address=");
      if (at != std::string::npos && text.find('\n', at) != std::string::npos) {
        address_ = text.substr(at + 8, text.find_first_of(" /\n", at + 8) - at - 8);
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  bool running() { return process_ && process_->running(); }
  void signal(int number) const { process_->signal(number); }

  std::string graph() const {
    const auto reply =
        updateservice::testing::send_request(address_, "GET", "/api/upgrades_info/graph?channel=stable-4.7");
    return reply.status == 200 ? reply.body : "status " + std::to_string(reply.status);
  }
  /// Returns its log since its start.
  std::string log() const { return read_file(log_).value_or(""); }
  /// Ends it with SIGTERM; returns the time that this takes.
  std::chrono::milliseconds stop() {
    const auto began = std::chrono::steady_clock::now();
    status_ = process_->end(SIGTERM);
    process_.reset();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  }
  /// Its exit status, as waitpid returns it.
  int status() const { return status_; }

  /// The most memory that it held since its start, in MiB.
  long peak_mib() const {
    long peak = 0;
    each_process([&](const std::string& pid) {
      const std::string status = read_file("/proc/" + pid + "/status").value_or("");
      const std::size_t at = status.find("VmHWM:");
      if (at != std::string::npos) peak = std::strtol(status.c_str() + at + 6, nullptr, 10) / 1024;
    });
    return peak;
  }
  /// The time that it has had a core for since its start.
  std::chrono::milliseconds busy() const {
    long ticks = 0;
    each_process([&](const std::string& pid) {
      const std::string stat = read_file("/proc/" + pid + "/stat").value_or("");
      // Behind the name, which is in brackets: the state is the third field; user and system time are the
      // 14th and the 15th.
      std::istringstream fields(stat.substr(stat.rfind(')') + 1));
      std::string field;
      for (int i = 3; i <= 15 && fields >> field; ++i) {
        if (i >= 14) ticks += std::strtol(field.c_str(), nullptr, 10);
      }
    });
    return std::chrono::milliseconds(ticks * 1000 / ::sysconf(_SC_CLK_TCK));
  }

 private:
  template <class Visit>
  void each_process(Visit visit) const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
      std::istringstream children(read_file(entry.path() / "children").value_or(""));
      for (std::string pid; children >> pid;) {
        if (read_file("/proc/" + pid + "/cmdline").value_or("").contains(graph_data_)) visit(pid);
      }
    }
  }

  std::string graph_data_;
  std::filesystem::path releases_, scratch_;
  std::chrono::seconds drain_;
  std::optional<Process> process_;
  std::string address_, log_;
  int starts_ = 0, status_ = 0;
};

}  // namespace fairway::testing
