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

/// Runs on loopback, in processes of its own. There are no controllers: nothing removes a namespace's
/// contents, makes a Deployment's pods or collects garbage.
class ApiServer {
 public:
  virtual ~ApiServer() = default;

  /// "real" or "embedded".
  virtual std::string name() const = 0;
  /// Starts it on a port, or again with the state that it left. In the folder, ca.crt is then what its
  /// clients trust, and admin.crt, admin.key (system:masters), nobody.crt and nobody.key (no rights) are
  /// certificates of clients. False where it has ended again; that it does not answer yet is no error.
  virtual bool start(int port) = 0;
  virtual bool running() = 0;
  /// Sends the signal, and waits for nothing.
  virtual void signal(int number) = 0;
  /// Kills it, and waits for its end.
  virtual void kill() = 0;

  /// A bearer token of an administrator. Asked for once, when the server is ready.
  virtual std::string make_token(kube::Client& admin) = 0;
  /// Whom the token stands for: the user, and the groups, with blanks between them.
  virtual std::string token_user() const = 0;
  /// Returns whether a request without credentials is one of system:anonymous; otherwise it is refused with
  /// 401.
  virtual bool knows_anonymous() const = 0;

  /// Makes it forget all but the newest state.
  virtual void compact(kube::Client& admin) = 0;
  /// The end of what it has written.
  virtual std::string log() const = 0;
};

/// etcd is Debian's, kube-apiserver that of the folder of programs. Certificates are of the tests' CA.
std::unique_ptr<ApiServer> make_real_server(const testing::TempDirectory& folder, const testing::TestCa& ca,
                                            const std::string& programs);
/// This program once more, in the role of api_server_role.
std::unique_ptr<ApiServer> make_embedded_server(const testing::TempDirectory& folder);

/// The last lines of a file, as far as an error may quote them.
std::string end_of(const std::filesystem::path& file);
/// A moment, before something is looked at again.
void pause();
/// Now and a time.
SteadyTime after(std::chrono::nanoseconds time);

}  // namespace fairway::conformance
