// SPDX-License-Identifier: Apache-2.0

// The process in the place of etcd: as long as it lives, what its kube-apiserver stores does.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "envtest/given_flags.h"
#include "http/server.h"

namespace fairway::envtest {

/// Path under which a stand-in tells its store.
inline constexpr std::string_view store_path = "/fairway/v1/store";

/// A place for the database of a kube-apiserver.
struct Store {
  std::filesystem::path folder = {};
  /// False: writes need not be synced to the disk.
  bool durable = true;
};

struct EtcdOptions {
  /// URLs to listen at: "http://127.0.0.1:2379".
  std::vector<std::string> urls = {};
  /// Absolute path of the folder that is its own; made if it is missing.
  std::filesystem::path data = {};
  bool durable = true;
};

/// Reads the words of the command line, after the program's name. Flags without a meaning here are ignored.
EtcdOptions read_etcd_flags(const GivenFlags& given);
GivenFlags given_etcd_flags(std::span<const std::string> words);

/// Returns the texts of `etcd --help` and `etcd --version`.
std::string etcd_help();
std::string etcd_version();

/// Answers /health and /version as etcd does, and tells a kube-apiserver of ours its store.
class StandInEtcd {
 public:
  /// Starts to answer. Errors: a URL is no http://HOST:PORT, or its address is taken; the folder cannot be
  /// made, or others may have written to it.
  static Result<std::unique_ptr<StandInEtcd>> start(const EtcdOptions& options);

  /// Returns the addresses that were bound, in the order of the URLs: "127.0.0.1:2379".
  std::vector<std::string> addresses() const;

 private:
  std::vector<std::unique_ptr<http::Server>> servers_;
};

/// Asks the etcd at a URL for the store. Waits for it to listen, until the deadline. Errors: `unavailable` if
/// it does not listen; `unsupported` if it is a real etcd, or another server, or names a folder that is not
/// this user's own, closed for others, with a mark that it knows.
Result<Store> store_of(const std::string& url, const Limits& limits);

}  // namespace fairway::envtest
