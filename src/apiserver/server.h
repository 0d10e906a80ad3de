// SPDX-License-Identifier: Apache-2.0

// A Kubernetes-compatible API server in this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/audit_level.h"
#include "apiserver/key_type.h"
#include "apiserver/request_limits.h"
#include "apiserver/wait_limits.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/random.h"
#include "base/result.h"
#include "http/certificate.h"
#include "http/server.h"

namespace fairway::apiserver {

struct ServerOptions {
  /// Address to listen on: "127.0.0.1:6443". Port 0: any free one.
  std::string listen = "127.0.0.1:0";
  /// Folder of the database; empty: in memory, for tests.
  std::filesystem::path data = {};
  /// Space that past revisions may take in the database. Beyond it the oldest are deleted, even if they are
  /// less than ten minutes old.
  std::int64_t history_bytes = std::int64_t{32} << 20;
  /// Space that the files of `data` may take; 0: no bound. The last part of it is reserved for deletions,
  /// Leases and compaction. The default is etcd's.
  std::int64_t disk_quota = std::int64_t{2} << 30;
  /// Further names under which clients reach the server, besides the host of `listen`, localhost and
  /// kubernetes.default.svc.
  std::vector<std::string> names = {};
  /// Clock of timestamps, bookmarks and the ends of watches. Certificates go by the machine's clock.
  Clock* clock = &Clock::system();
  /// Source of uids and generated names; empty: the system's.
  Random random = {};
  RequestLimits requests = {};
  WaitLimits waits = {};
  /// Limits on what clients may hold. The address, TLS, the threads of handlers and the size of bodies are
  /// not taken from here. A list is made separately for each client, and authorized clients may ask for many
  /// large ones at once, so replies have more memory than elsewhere.
  http::ServerOptions limits{.max_bodies_bytes = std::size_t{64} << 20,
                             .max_unread_bytes = std::size_t{1} << 30};
  /// The IPv4 network from which Services get their addresses, from /8 to /30. `default/kubernetes` has the
  /// first one.
  std::string service_cluster_ip_range = "10.96.0.0/12";
  /// Type of the administrator's key. An RSA key is made once for a folder of data, and kept there.
  KeyType admin_key = KeyType::ec;
  // Controllers of the server itself. Each is left to a kube-controller-manager where it is false.
  /// Deletes what is owned by objects that are gone.
  bool garbage_collector = true;
  /// Empties namespaces that are deleted, and removes them.
  bool namespace_controller = true;
  /// Gives each namespace its ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`.
  bool namespace_defaults = true;
  /// Gives ClusterRoles with an `aggregationRule` (admin, edit, view) their rules.
  bool role_aggregation = true;
  /// Fills Secrets of the type kubernetes.io/service-account-token, and removes them with their
  /// ServiceAccount.
  bool token_secrets = true;
  /// Counts what is used of ResourceQuotas, and puts their limits into their status. A quota that nobody has
  /// counted refuses nothing; one whose status has a limit, and no count of it, refuses all that it limits.
  bool quota_status = true;
  /// File to which every request is appended, except those for health and version; empty: none.
  std::filesystem::path audit_log = {};
  AuditLevel audit_level = AuditLevel::metadata;
  // Credentials that are given, as kube-apiserver has them.
  /// PEM file of CAs whose client certificates are trusted besides those of the server's own: the common name
  /// is the user, the organizations are the groups. Empty: none.
  std::filesystem::path client_ca_file = {};
  /// PEM files of the certificate, with its chain, and of the key to serve with. They are read again when
  /// they change. Empty: the server's own CA issues a certificate.
  std::filesystem::path tls_cert_file = {}, tls_private_key_file = {};
  /// PEM file of the private key that signs tokens (RSA or ECDSA); empty: the server makes one and keeps it.
  std::filesystem::path service_account_signing_key_file = {};
  /// PEM files of the keys by which tokens are verified: certificates, public or private keys. Empty: by that
  /// of the key that signs.
  std::vector<std::filesystem::path> service_account_key_files = {};
  /// Issuers of tokens, the first one that of new ones; empty: the one that kubeadm sets.
  std::vector<std::string> service_account_issuers = {};
  /// Audiences of the server; empty: its issuers.
  std::vector<std::string> api_audiences = {};
  /// Built-in APIs that are not served, as "GROUP/VERSION" or "GROUP/VERSION/RESOURCE". Those that the server
  /// itself needs (core, RBAC, CustomResourceDefinitions and others) cannot be among them.
  std::vector<std::string> disabled_apis = {};
  /// False: a Pod may name a ServiceAccount that does not exist, and gets none where it names none.
  bool pod_service_accounts = true;
  /// False: containers do not get the defaults of LimitRanges, and what does not keep their bounds is taken.
  bool limit_ranger = true;
  /// False: ResourceQuotas refuse nothing, and what is created is not charged to them.
  bool resource_quotas = true;
  /// False: writes are not synced to the disk. A power loss may then lose the database, the end of the
  /// process does not.
  bool durable = true;
  // For tests of clients. A server with one of these keeps its objects in memory and listens on loopback.
  /// Serves `/fairway/faults`: an administrator cuts watches, makes versions too old, and has writes refused
  /// or delayed.
  bool test_faults = false;
  /// Serves `/fairway/clock`, by which an administrator advances this clock, which is to be that of the
  /// server
  /// (`clock`); null: it is not served.
  FakeClock* test_clock = nullptr;
};

/// An API server in this process. It is ready when `start` has returned, and stops when it is destroyed.
class EmbeddedServer {
 public:
  /// Starts a server. Errors: the address cannot be used; the database cannot be opened; a given credential
  /// cannot be read; faults or a clock of tests are asked of a server that is no test's.
  static Result<std::unique_ptr<EmbeddedServer>> start(ServerOptions options = {});
  ~EmbeddedServer();
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  /// The server's URL: "https://127.0.0.1:43211".
  std::string url() const;
  /// The certificates that clients trust (PEM): the server's CA, or the chain of `tls_cert_file`.
  const std::string& authority() const;
  /// The client certificate of an administrator (system:masters).
  const http::KeyedCertificate& admin() const;
  /// Makes a client certificate for another user, whose rights depend on roles and bindings. Errors:
  /// `invalid` for names that X.509 does not take.
  Result<http::KeyedCertificate> client_certificate(const std::string& user,
                                                    const std::vector<std::string>& groups) const;
  /// A kubeconfig file for the administrator.
  std::string kubeconfig() const;

  /// Creates the objects of YAML or JSON documents, as `--apply` does. Those that exist are merged with the
  /// given ones; the items of a List are handled one by one. Errors name the document by `origin` and line,
  /// and the object.
  Result<void> apply(std::string_view documents, const std::string& origin);

  /// Waits until the server's own work has caught up with all writes so far: resources of created definitions
  /// are served, and those of removed definitions are not.
  void wait_until_current();

  /// Takes no more connections, and returns when the requests that have come are answered and the watches
  /// have ended, or `limit` has passed. Without it, the destructor cuts requests off.
  void drain(std::chrono::milliseconds limit);

  /// Returns the number of requests that are missing in the audit log because it could not be written. Waits
  /// until the others are in it.
  std::uint64_t unaudited_requests() const;

 private:
  struct Implementation;
  explicit EmbeddedServer(std::unique_ptr<Implementation> implementation);
  Result<void> apply_document(json::Value document, const std::string& where);
  std::unique_ptr<Implementation> implementation_;
};

/// Copies the database of the server whose data folder is `data`, running or not, into the new file `to`, and
/// checks the copy. Errors: `to` exists; there is no database; disk full.
Result<void> backup(const std::filesystem::path& data, const std::filesystem::path& to);

/// Puts a backup into the data folder of a server that does not run. The backup is checked first, and
/// migrated if an older release made it. With `replace`, an existing database is kept beside it, and its path
/// is returned (empty: there was none). Errors: a database exists and `replace` is false (`conflict`); it is
/// in use; the backup is no database, is damaged, or was made by a newer release.
Result<std::filesystem::path> restore(const std::filesystem::path& backup, const std::filesystem::path& data,
                                      bool replace);

}  // namespace fairway::apiserver
