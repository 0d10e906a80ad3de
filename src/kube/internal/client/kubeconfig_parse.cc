// SPDX-License-Identifier: Apache-2.0

// Reading one kubeconfig file.
#include <algorithm>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"
#include "kube/client/kubeconfig.h"

namespace fairway::kube {

namespace {

/// Reads a mapping of the file, and knows its position. The first error is kept; everything read after it is
/// empty.
class Fields {
 public:
  Fields(const yaml::Node* node, std::string path, const std::filesystem::path& file,
         std::optional<Error>& fault)
      : node_(node), path_(std::move(path)), file_(file), fault_(fault) {
    if (node_ != nullptr && node_->kind == yaml::Node::Kind::null) node_ = nullptr;
    if (node_ != nullptr && node_->kind != yaml::Node::Kind::mapping) {
      fail_at(*node_, path_, "must be a mapping");
      node_ = nullptr;
    }
  }

  bool is_there() const { return node_ != nullptr; }
  std::string origin(std::string_view what) const {
    return std::string(what) + " of " + file_.string() + ":" +
           std::to_string(node_ != nullptr ? node_->mark.line : 1);
  }
  void fail_at(const yaml::Node& node, const std::string& path, const std::string& why) const {
    if (fault_) return;
    fault_ = Error{ErrorCode::invalid, "reading kubeconfig " + file_.string() + ":" +
                                           std::to_string(node.mark.line) + ": " + path + ": " + why};
  }
  void fail_here(std::string_view key, const std::string& why) const {
    const yaml::Node* node = find(key);
    if (node == nullptr) node = node_;
    if (node != nullptr) fail_at(*node, below(key), why);
  }

  std::string text(std::string_view key) const {
    const yaml::Node* node = find(key);
    if (node == nullptr) return "";
    if (!node->is_scalar() || !yaml::to_json(*node).is_string()) {
      fail_at(*node, below(key), "must be a text; put it in quotes");
      return "";
    }
    return node->scalar;
  }
  bool flag(std::string_view key) const {
    const yaml::Node* node = find(key);
    if (node == nullptr) return false;
    const json::Value value = yaml::to_json(*node);
    if (!value.is_bool()) fail_at(*node, below(key), "must be true or false");
    return value.is_bool() && value.get_bool();
  }
  /// Reads a base64 text and decodes it.
  std::string data(std::string_view key) const {
    auto decoded = base64_decode(trim(text(key)));
    if (!decoded) fail_here(key, "must be base64");
    return decoded.value_or("");
  }
  /// Reads a path, relative to the file's folder.
  std::string file(std::string_view key) const {
    const std::filesystem::path path = text(key);
    return path.empty() || path.is_absolute() ? path.string()
                                              : (file_.parent_path() / path).lexically_normal().string();
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> result;
    for (const yaml::Node* item : list(key)) {
      if (!item->is_scalar() || !yaml::to_json(*item).is_string()) {
        fail_at(*item, below(key), "must be a list of texts; put them in quotes");
      }
      result.push_back(item->scalar);
    }
    return result;
  }
  Fields fields(std::string_view key) const { return {find(key), below(key), file_, fault_}; }
  /// Returns the mappings of a list.
  std::vector<Fields> entries(std::string_view key) const {
    std::vector<Fields> result;
    for (const yaml::Node* item : list(key)) {
      result.emplace_back(item, below(key) + "[" + std::to_string(result.size()) + "]", file_, fault_);
    }
    return result;
  }
  /// Returns the members of a mapping whose values are lists of texts.
  std::map<std::string, std::vector<std::string>> lists() const {
    std::map<std::string, std::vector<std::string>> result;
    if (node_ == nullptr) return result;
    for (const yaml::Entry& entry : node_->entries) result[entry.key.scalar] = texts(entry.key.scalar);
    return result;
  }
  /// Returns any value as JSON text; empty if it is absent.
  std::string json(std::string_view key) const {
    const yaml::Node* node = find(key);
    return node != nullptr ? json::to_text(yaml::to_json(*node)) : "";
  }

 private:
  /// Returns the value of a key; nullptr if it is absent or null.
  const yaml::Node* find(std::string_view key) const {
    const yaml::Node* node = node_ != nullptr ? node_->find(key) : nullptr;
    return node != nullptr && node->kind != yaml::Node::Kind::null ? node : nullptr;
  }
  std::string below(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  std::vector<const yaml::Node*> list(std::string_view key) const {
    std::vector<const yaml::Node*> items;
    const yaml::Node* node = find(key);
    if (node == nullptr) return items;
    if (node->kind != yaml::Node::Kind::sequence) fail_at(*node, below(key), "must be a list");
    for (const yaml::Node& item : node->items) items.push_back(&item);
    return items;
  }

  const yaml::Node* node_;
  std::string path_;
  const std::filesystem::path& file_;
  std::optional<Error>& fault_;
};

constexpr std::string_view exec_extension_name = "client.authentication.k8s.io/exec";

Kubeconfig::Cluster read_cluster(const Fields& fields) {
  Kubeconfig::Cluster cluster;
  cluster.server = fields.text("server");
  cluster.ca = fields.data("certificate-authority-data");
  cluster.ca_file = fields.file("certificate-authority");
  cluster.insecure_skip_tls_verify = fields.flag("insecure-skip-tls-verify");
  cluster.tls_server_name = fields.text("tls-server-name");
  cluster.proxy_url = fields.text("proxy-url");
  for (const Fields& extension : fields.entries("extensions")) {
    if (extension.text("name") == exec_extension_name) cluster.exec_extension = extension.json("extension");
  }
  return cluster;
}

std::optional<ExecPlugin> read_exec(const Fields& fields) {
  if (!fields.is_there()) return std::nullopt;
  ExecPlugin exec;
  exec.api_version = fields.text("apiVersion");
  if (exec.api_version != "client.authentication.k8s.io/v1" &&
      exec.api_version != "client.authentication.k8s.io/v1beta1") {
    fields.fail_here("apiVersion", "'" + printable(exec.api_version, 80) +
                                       "' is not known; use client.authentication.k8s.io/v1");
  }
  exec.command = fields.text("command");
  if (exec.command.empty()) fields.fail_here("command", "is missing");
  // A name alone is looked up in $PATH, a path is relative to the file's folder.
  if (exec.command.find('/') != std::string::npos) exec.command = fields.file("command");
  exec.args = fields.texts("args");
  for (const Fields& variable : fields.entries("env")) {
    exec.env.emplace_back(variable.text("name"), variable.text("value"));
  }
  exec.install_hint = fields.text("installHint");
  exec.provide_cluster_info = fields.flag("provideClusterInfo");
  if (const std::string mode = fields.text("interactiveMode"); !mode.empty()) exec.interactive_mode = mode;
  if (exec.interactive_mode != "Never" && exec.interactive_mode != "IfAvailable" &&
      exec.interactive_mode != "Always") {
    fields.fail_here("interactiveMode", "must be Never, IfAvailable or Always");
  }
  return exec;
}

Kubeconfig::User read_user(const Fields& fields) {
  Kubeconfig::User user;
  user.certificate = fields.data("client-certificate-data");
  user.certificate_file = fields.file("client-certificate");
  user.key = fields.data("client-key-data");
  user.key_file = fields.file("client-key");
  user.token = fields.text("token");
  user.token_file = fields.file("tokenFile");
  user.username = fields.text("username");
  user.password = fields.text("password");
  user.exec = read_exec(fields.fields("exec"));
  user.auth_provider = fields.fields("auth-provider").text("name");
  user.impersonate.user = fields.text("as");
  user.impersonate.uid = fields.text("as-uid");
  user.impersonate.groups = fields.texts("as-groups");
  user.impersonate.extra = fields.fields("as-user-extra").lists();
  return user;
}

Kubeconfig::Context read_context(const Fields& fields) {
  Kubeconfig::Context context;
  context.cluster = fields.text("cluster");
  context.user = fields.text("user");
  context.namespace_name = fields.text("namespace");
  return context;
}

/// Reads a list of named entries: `clusters: [{name, cluster: {...}}]`.
template <class Thing>
void read_named(const Fields& fields, std::string_view list, std::string_view one,
                Thing (*read)(const Fields&), std::map<std::string, Thing, std::less<>>& into) {
  for (const Fields& entry : fields.entries(list)) {
    const std::string name = entry.text("name");
    Thing thing = read(entry.fields(one));
    thing.origin = entry.origin(std::string(one) + " '" + printable(name, 80) + "'");
    if (!into.emplace(name, std::move(thing)).second) {
      entry.fail_here("name", "'" + printable(name, 80) + "' stands here twice");
    }
  }
}

}  // namespace

Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::filesystem::path& file) {
  const auto parsed = yaml::parse(text);
  if (!parsed) {
    return fail(ErrorCode::invalid, "reading kubeconfig " + file.string() + ":" +
                                        std::to_string(parsed.error().mark.line) + ": " +
                                        parsed.error().message);
  }
  if (!parsed->duplicate_keys.empty()) {
    const yaml::DuplicateKey& twice = parsed->duplicate_keys.front();
    return fail(ErrorCode::invalid, "reading kubeconfig " + file.string() + ":" +
                                        std::to_string(twice.repeated.line) + ": the key '" +
                                        printable(twice.key, 80) + "' stands here twice");
  }
  Kubeconfig result;
  result.files.push_back(file.string());
  if (parsed->documents.empty()) return result;
  std::optional<Error> fault;
  const Fields fields(&parsed->documents.front(), "", file, fault);
  const std::string kind = fields.text("kind"), api_version = fields.text("apiVersion");
  if (!kind.empty() && kind != "Config")
    fields.fail_here("kind", "must be Config, not " + printable(kind, 80));
  if (!api_version.empty() && api_version != "v1") {
    fields.fail_here("apiVersion", "must be v1, not " + printable(api_version, 80));
  }
  read_named(fields, "clusters", "cluster", read_cluster, result.clusters);
  read_named(fields, "users", "user", read_user, result.users);
  read_named(fields, "contexts", "context", read_context, result.contexts);
  result.current_context = fields.text("current-context");
  if (fault) return fail(*std::move(fault));
  return result;
}

}  // namespace fairway::kube
