// SPDX-License-Identifier: Apache-2.0

// The API server of all tests, on loopback.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conformance/kube/api_server.h"
#include "http/certificates.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "kube/internal/client/subprocess.h"
#include "support/temp_directory.h"

namespace fairway::conformance {

/// A cluster of one API server. kube-apiserver, kubectl and the programs built beside them are in
/// $FAIRWAY_KUBERNETES, which `./dev conformance kube` builds. $FAIRWAY_SERVER is "embedded" for Fairway's
/// own API server instead.
class Cluster {
 public:
  /// Starts the server and waits until it is ready; throws if that fails, with the end of its output.
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// The cluster of the whole test program.
  static Cluster& shared();

  /// "real" or "embedded".
  std::string name() const { return api_server_->name(); }
  bool is_embedded() const { return name() == "embedded"; }
  /// "https://127.0.0.1:PORT".
  std::string server() const { return "https://127.0.0.1:" + std::to_string(port_); }
  /// The CA that its clients trust (PEM).
  std::string authority() const;
  /// A CA of the tests; the real server's as well.
  const testing::TestCa& ca() const { return ca_; }
  const testing::TempDirectory& folder() const { return folder_; }

  /// A file with the contexts that the tests use: admin (a client certificate; the current one),
  /// admin-by-files, admin-by-token, admin-by-token-file, admin-by-program, admin-by-other-name (the server
  /// by another name), nobody (known, without rights), unknown (a token that the server does not know) and
  /// anonymous.
  std::filesystem::path kubeconfig() const { return folder_ / "kubeconfig"; }
  /// The bearer token of admin-by-token, and the user and the groups that it stands for, with blanks between
  /// them.
  const std::string& token() const { return token_; }
  std::string token_user() const { return api_server_->token_user(); }
  bool knows_anonymous() const { return api_server_->knows_anonymous(); }
  kube::ClientConfig config(const std::string& context = "admin") const;
  std::shared_ptr<kube::Client> client(const std::string& context = "admin",
                                       kube::ClientSettings settings = {}) const;

  /// A new namespace's name.
  std::string make_namespace();
  /// Applies objects from YAML, whatever they are, with kubectl.
  void apply(const std::string& yaml);
  kube::ProgramResult kubectl(std::vector<std::string> arguments) const;
  /// The folder of kube-apiserver, kubectl and the programs built beside them.
  const std::string& programs() const { return programs_; }

  /// Ends the API server, with SIGKILL if it must not shut down in order, and starts it again on the same
  /// port.
  void restart_api_server(int signal);
  /// Compacts the server's history: it keeps the newest state only.
  void compact();

 private:
  bool start_api_server();
  void write_kubeconfig();

  testing::TempDirectory folder_;
  testing::TestCa ca_;
  std::string programs_, token_;
  int port_ = 0;
  int namespaces_ = 0, manifests_ = 0;
  std::unique_ptr<ApiServer> api_server_;
};

}  // namespace fairway::conformance
