// A Kubernetes-compatible API server in this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/audit_level.h"
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
  /// "127.0.0.1:6443"; port 0: any free one.
  std::string listen = "127.0.0.1:0";
  /// Folder of the database; empty: in memory, for tests.
  std::filesystem::path data;
  /// What past revisions may take in the database; beyond it the oldest go before their ten minutes have
  /// passed.
  std::int64_t history_bytes = std::int64_t{32} << 20;
  /// What the files of `data` may take; 0: no bound. Of the last part of it only deletions, Leases and
  /// compaction may have something. etcd's default.
  std::int64_t disk_quota = std::int64_t{2} << 30;
  /// How clients call the server, beside the host of `listen`, localhost and kubernetes.default.svc.
  std::vector<std::string> names;
  /// For timestamps, bookmarks and the ends of watches. Certificates go by the machine's.
  Clock* clock = &Clock::system();
  /// For uids and generated names; empty: from the system.
  Random random;
  RequestLimits requests;
  WaitLimits waits;
  /// What clients may hold. The address, TLS, the threads of handlers and the size of bodies are not taken
  /// from here. Lists are made for one client each, and clients that are let in may ask for many large ones
  /// at a time: replies have more memory than elsewhere.
  http::ServerOptions limits{.max_bodies_bytes = std::size_t{64} << 20,
                             .max_unread_bytes = std::size_t{1} << 30};
  /// The IPv4 network out of which Services get their addresses, from /8 to /30: `default/kubernetes` has its
  /// first one.
  std::string service_cluster_ip_range = "10.96.0.0/12";
  // What other programs do for a real server. Each is left to a kube-controller-manager where it is false.
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
  /// A file that every request is appended to, but for health and version; empty: none.
  std::filesystem::path audit_log;
  AuditLevel audit_level = AuditLevel::metadata;
};

/// Ready when `start` has returned; stops when it is destroyed.
class EmbeddedServer {
 public:
  /// Errors: the address, the database.
  static Result<std::unique_ptr<EmbeddedServer>> start(ServerOptions options = {});
  ~EmbeddedServer();
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  /// "https://127.0.0.1:43211".
  std::string url() const;
  /// The CA that clients trust (PEM).
  const std::string& authority() const;
  /// The client certificate of an administrator (system:masters).
  const http::KeyedCertificate& admin() const;
  /// A client certificate of anybody else: what they may do is up to roles and bindings. Errors: `invalid`
  /// for names that X.509 does not take.
  Result<http::KeyedCertificate> client_certificate(const std::string& user,
                                                    const std::vector<std::string>& groups) const;
  /// A kubeconfig file for the administrator.
  std::string kubeconfig() const;

  /// Creates the objects of YAML or JSON documents, as `--apply` does: those that exist are merged with what
  /// is given, and lists are taken apart. Errors name the document by `origin` and line, and the object.
  Result<void> apply(std::string_view documents, const std::string& origin);

  /// Waits until the server's own work has caught up with all writes so far: resources of definitions that
  /// were created are served, those of removed ones are not.
  void wait_until_current();

  /// Requests that the audit log lacks, as it could not be written; waits until the others are in it.
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

/// Puts a backup into the data folder of a server that does not run: it is checked first, and migrated if an
/// older release made it. With `replace` a database that is there is kept beside it; its path is returned
/// (empty: there was none). Errors: a database is there and `replace` is false (`conflict`); it is in use;
/// the backup is none, is damaged, or was made by a newer release.
Result<std::filesystem::path> restore(const std::filesystem::path& backup, const std::filesystem::path& data,
                                      bool replace);

}  // namespace fairway::apiserver
