// A real API server with its etcd, on loopback.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "http/certificates.h"
#include "kube/client/client.h"
#include "kube/client/internal/subprocess.h"
#include "kube/client/kubeconfig.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::conformance {

/// kube-apiserver and kubectl are those of $FAIRWAY_KUBERNETES, which `./dev conformance kube` builds; etcd
/// is Debian's. There are no controllers: nothing removes a namespace's contents, makes a Deployment's pods
/// or collects garbage.
class Cluster {
 public:
  /// Starts both and waits until the API server is ready; throws where that cannot be done, with the end of
  /// what they wrote.
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// The one of the whole test program.
  static Cluster& shared();

  /// "https://127.0.0.1:PORT".
  std::string server() const { return "https://127.0.0.1:" + std::to_string(port_); }
  const testing::TestCa& ca() const { return ca_; }
  const testing::TempDirectory& folder() const { return folder_; }

  /// A file with the contexts that the tests use: admin (a client certificate; the current one),
  /// admin-by-files, admin-by-token, admin-by-token-file, admin-by-program, admin-by-other-name (the server
  /// by another name), nobody (known, without rights), unknown (a token that the server does not know) and
  /// anonymous.
  std::filesystem::path kubeconfig() const { return folder_ / "kubeconfig"; }
  kube::ClientConfig config(const std::string& context = "admin") const;
  std::shared_ptr<kube::Client> client(const std::string& context = "admin",
                                       kube::ClientSettings settings = {}) const;

  /// A new namespace's name.
  std::string make_namespace();
  /// Applies objects from YAML, whatever they are, with kubectl.
  void apply(const std::string& yaml);
  kube::ProgramResult kubectl(std::vector<std::string> arguments) const;
  /// The folder of kube-apiserver, kubectl and what else is built beside them.
  const std::string& programs() const { return programs_; }

  /// Ends the API server, with SIGKILL where it is not to say goodbye, and starts it again on the same port.
  void restart_api_server(int signal);
  /// Makes etcd forget all but the newest state.
  void compact();

  /// The end of what both have written.
  std::string log() const;

 private:
  bool start_etcd();
  bool start_api_server();
  void write_files();
  void write_kubeconfig();
  json::Value ask_etcd(const std::string& path, const json::Value& question) const;

  testing::TempDirectory folder_;
  testing::TestCa ca_;
  std::string programs_;
  int etcd_port_ = 0, port_ = 0;
  int namespaces_ = 0, manifests_ = 0;
  std::unique_ptr<testing::Process> etcd_, api_server_;
};

}  // namespace fairway::conformance
