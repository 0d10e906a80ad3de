// SPDX-License-Identifier: Apache-2.0

// The cluster that `adm upgrade` is about: a server, or files of recorded objects.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
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
  /// Path of a file with a ClusterVersion, used instead of a cluster.
  std::string mock;
  std::string output;
  bool dry_run = false;
  /// True if the command prints several documents: JSON has a line for each, and YAML `---` before each.
  bool several_documents = false;
};

/// Adds --kubeconfig, --context, --server, --token, --mock-clusterversion and -o with "json", "yaml" and
/// `formats`.
void add_cluster_flags(CLI::App& command, ClusterFlags& flags, std::vector<std::string> formats = {});
/// Adds --dry-run.
void add_dry_run_flag(CLI::App& command, ClusterFlags& flags);

/// Source of the objects. Opened once a command, before anything is read.
class Cluster {
 public:
  /// Opens the cluster. Errors: an invalid kubeconfig, an unreadable file of recorded objects.
  static Result<Cluster> open(const ClusterFlags& flags);

  /// Returns the ClusterVersion; std::nullopt: there is none.
  Result<std::optional<openshift::ClusterVersion>> cluster_version(const Limits& limits = {}) const;
  /// Returns the Channels; empty if the cluster has none, or they cannot be read.
  std::vector<openshift::Channel> channels(const Limits& limits = {}) const;
  /// Returns the objects of a kind; empty if the cluster does not have the kind. `suffix` names their file
  /// beside that of the ClusterVersion: "-co.yaml".
  Result<std::vector<k8s::Dynamic>> list(const k8s::Resource& resource, std::string_view suffix,
                                         const Limits& limits = {}) const;
  /// Returns one object; std::nullopt: it does not exist.
  Result<std::optional<k8s::Dynamic>> find(const k8s::Resource& resource, const k8s::Key& key,
                                           std::string_view suffix, const Limits& limits = {}) const;
  bool is_recorded() const { return client_ == nullptr; }
  /// Returns the client; nullptr if the objects are recorded.
  const kube::Client* client() const { return client_.get(); }
  const std::shared_ptr<kube::Client>& shared_client() const { return client_; }
  /// Returns the path of a file beside that of the ClusterVersion.
  std::string file(std::string_view suffix) const;

  /// Prints an answer and writes its patch, or with --dry-run prints its effect. Returns the exit code.
  int finish(adm::CommandResult answer, const openshift::ClusterVersion& version,
             const Limits& limits = {}) const;

 private:
  explicit Cluster(const ClusterFlags& flags) : flags_(&flags) {}
  kube::ApiResult<openshift::ClusterVersion> write(const json::Object& patch, const Limits& limits) const;

  const ClusterFlags* flags_;
  std::shared_ptr<kube::Client> client_;
  std::optional<openshift::ClusterVersion> recorded_;
};

/// Runs a command on the ClusterVersion: opens the cluster, reads the object, and prints the answer of `act`.
/// `capital`: true if the error for a missing ClusterVersion begins with a capital letter.
int with_cluster_version(
    const ClusterFlags& flags, bool capital,
    const std::function<adm::CommandResult(const Cluster&, const openshift::ClusterVersion&)>& act);

/// Returns the words by which texts name the program, for a command of `adm upgrade`.
adm::Caller caller_of(const CLI::App& command);
/// Returns them with the flags that select the cluster; not with --token, which is a secret.
adm::Caller caller_of(const CLI::App& command, const ClusterFlags& flags);

/// Prints a document on standard output. `format` is "json" or "yaml"; `one_of_several`: JSON on one line,
/// YAML with `---` before it.
void print_document(const std::string& format, const json::Object& document, bool one_of_several);

/// Prints an answer that needs no cluster. Returns its exit code.
int print_answer(const adm::CommandResult& answer);

/// Returns the error of kubectl for the first flag in a command line that the command does not have;
/// std::nullopt if there is none. Words that are not flags are left for the command.
std::optional<adm::CommandResult> refuse_unknown_flags(const CLI::App& command);

/// Returns the error for words behind a command that takes none; std::nullopt if there are none, or only
/// flags.
std::optional<adm::CommandResult> refuse_arguments(const CLI::App& command);

}  // namespace fairway::cli
