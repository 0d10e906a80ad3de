// SPDX-License-Identifier: Apache-2.0

// `fairway apiserver` as a process that is killed and started again on the same port.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::conformance {

class KilledServer {
 public:
  /// Starts the process; it is ready once `client` returns.
  void start() {
    std::filesystem::remove(kubeconfig());
    process_ = std::make_unique<testing::Process>(
        std::vector<std::string>{FAIRWAY_BINARY, "apiserver", "--data", (folder_ / "data").string(),
                                 "--listen", "127.0.0.1:" + std::to_string(port_), "--kubeconfig",
                                 kubeconfig().string(), "--log-level", "error", "--no-namespace-defaults"},
        log_file().string());
  }
  void kill() { process_->end(SIGKILL); }

  /// Waits until the server answers. The client does not retry requests.
  std::shared_ptr<kube::Client> client() {
    const bool ready =
        testing::eventually([&] { return std::filesystem::exists(kubeconfig()) || !process_->running(); });
    if (!ready || !std::filesystem::exists(kubeconfig())) {
      throw std::runtime_error("the server does not start: " + log());
    }
    const auto config = kube::load_client_config({.file = kubeconfig().string()});
    if (!config) throw std::runtime_error(config.error().message);
    auto made = kube::Client::create(*config, {.max_retries = 0});
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }
  /// Returns the errors that it has logged.
  std::string log() const { return read_file(log_file()).value_or(""); }

 private:
  std::filesystem::path kubeconfig() const { return folder_ / "kubeconfig"; }
  std::filesystem::path log_file() const { return folder_ / "log"; }

  testing::TempDirectory folder_;
  const int port_ = testing::free_loopback_port();
  std::unique_ptr<testing::Process> process_;
};

}  // namespace fairway::conformance
