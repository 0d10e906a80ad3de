// The cluster that `adm upgrade` is about: a server, or files of recorded objects.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "base/limits.h"
#include "k8s/object.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "openshift/channel.h"
#include "openshift/cluster_version.h"

namespace fairway::cli {

struct ClusterFlags {
  kube::KubeconfigOverrides overrides;
  std::string token;
  /// A file of a ClusterVersion instead of a cluster.
  std::string mock;
  std::string output;
  bool dry_run = false;
};

/// Adds --kubeconfig, --context, --server, --token, --mock-clusterversion and -o with "json", "yaml" and
/// `formats`.
void add_cluster_flags(CLI::App& command, ClusterFlags& flags, std::vector<std::string> formats = {});
/// Adds --dry-run.
void add_dry_run_flag(CLI::App& command, ClusterFlags& flags);

/// Where the objects come from. Made once a command, before anything is asked.
class Cluster {
 public:
  /// Errors: a kubeconfig that cannot be read, a file of recorded objects that cannot.
  static Result<Cluster> open(const ClusterFlags& flags);

  /// std::nullopt: the cluster has none.
  Result<std::optional<openshift::ClusterVersion>> cluster_version() const;
  /// None where the cluster has none, or does not say.
  std::vector<openshift::Channel> channels() const;
  /// The objects of a kind that the cluster may not have: then none. `suffix` names their file beside that of
  /// the ClusterVersion: "-co.yaml".
  Result<std::vector<k8s::Dynamic>> list(const k8s::Resource& resource, std::string_view suffix) const;
  /// One object, or std::nullopt.
  Result<std::optional<k8s::Dynamic>> find(const k8s::Resource& resource, const k8s::Key& key,
                                           std::string_view suffix, const Limits& limits = {}) const;
  bool is_recorded() const { return client_ == nullptr; }
  /// nullptr where the objects are recorded.
  const kube::Client* client() const { return client_.get(); }
  /// The path of a file beside that of the ClusterVersion.
  std::string file(std::string_view suffix) const;

  /// Prints an answer and writes its patch, or with --dry-run says what that would cause; the exit code.
  int finish(adm::CommandResult answer, const openshift::ClusterVersion& version) const;

 private:
  explicit Cluster(const ClusterFlags& flags) : flags_(&flags) {}
  Result<openshift::ClusterVersion> write(const json::Object& patch) const;

  const ClusterFlags* flags_;
  std::shared_ptr<kube::Client> client_;
  std::optional<openshift::ClusterVersion> recorded_;
};

/// Runs a command that is about the ClusterVersion: opens the cluster, reads the object, prints what `act`
/// answers. `capital`: how the error begins where there is none.
int with_cluster_version(
    const ClusterFlags& flags, bool capital,
    const std::function<adm::CommandResult(const Cluster&, const openshift::ClusterVersion&)>& act);

/// Prints an answer for which no cluster is needed; its exit code.
int print_answer(const adm::CommandResult& answer);

/// The first word of a command line that is no flag of the command, as kubectl refuses it; std::nullopt if
/// there is none. Other words, which are no flags, are left for the command.
std::optional<adm::CommandResult> refuse_unknown_flags(const CLI::App& command);

/// The answer to words behind a command that takes none; std::nullopt if there are none, or only flags.
std::optional<adm::CommandResult> refuse_arguments(const CLI::App& command);

}  // namespace fairway::cli
