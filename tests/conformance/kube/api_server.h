// SPDX-License-Identifier: Apache-2.0

// The API server that the tests run against: Kubernetes's own, or Fairway's.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "http/certificates.h"
#include "kube/client/client.h"
#include "support/temp_directory.h"

namespace fairway::conformance {

/// An API server that runs on loopback, in processes of its own. There are no controllers: nothing removes a
/// namespace's contents, makes a Deployment's pods or collects garbage.
class ApiServer {
 public:
  virtual ~ApiServer() = default;

  /// "real" or "embedded".
  virtual std::string name() const = 0;
  /// Starts it on a port, or again with the state that it left. In the folder, ca.crt is then the CA that its
  /// clients trust, and admin.crt, admin.key (system:masters), nobody.crt and nobody.key (no rights) are
  /// certificates of clients. False if it has ended again; it may not answer yet when this returns.
  virtual bool start(int port) = 0;
  virtual bool running() = 0;
  /// Sends the signal, and waits for nothing.
  virtual void signal(int number) = 0;
  /// Kills it, and waits for its end.
  virtual void kill() = 0;

  /// A bearer token of an administrator. Asked for once, when the server is ready.
  virtual std::string make_token(kube::Client& admin) = 0;
  /// The user and the groups that the token stands for, with blanks between them.
  virtual std::string token_user() const = 0;
  /// Returns whether a request without credentials is one of system:anonymous; otherwise it is refused with
  /// 401.
  virtual bool knows_anonymous() const = 0;

  /// Compacts its history: it keeps the newest state only.
  virtual void compact(kube::Client& admin) = 0;
  /// The end of its output.
  virtual std::string log() const = 0;
};

/// Makes a real server: etcd is Debian's, kube-apiserver that of the folder of programs. Certificates are of
/// the tests' CA.
std::unique_ptr<ApiServer> make_real_server(const testing::TempDirectory& folder, const testing::TestCa& ca,
                                            const std::string& programs);
/// Makes a server that is this program once more, in the role of api_server_role.
std::unique_ptr<ApiServer> make_embedded_server(const testing::TempDirectory& folder);

/// The last lines of a file, as far as an error may quote them.
std::string end_of(const std::filesystem::path& file);
/// Waits a moment before something is checked again.
void pause();
/// Returns the time after `time` from now.
SteadyTime after(std::chrono::nanoseconds time);

}  // namespace fairway::conformance
