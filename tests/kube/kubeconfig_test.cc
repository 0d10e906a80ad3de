// SPDX-License-Identifier: Apache-2.0

// tests/kube/data/kubeconfig.json: which files of tests/kube/data/kubeconfig, what is chosen of them, and
// what that comes to. FOLDER is where the files are.
#include "kube/client/kubeconfig.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "kube/data.h"
#include "support/temp_directory.h"

namespace fairway::kube {
namespace {

using fairway::testing::TempDirectory;

const std::string folder = testing::data_path("kubeconfig");

ProcessEnvironment environment(const std::map<std::string, std::string>& variables) {
  ProcessEnvironment result;
  result.variable = [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found != variables.end() ? std::optional(found->second) : std::nullopt;
  };
  result.service_account = "/nowhere";
  return result;
}

/// Returns a configuration as JSON, without empty members.
json::Object describe(const ClientConfig& config) {
  json::Object result;
  const auto add = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) result[name] = text;
  };
  add("server", config.server);
  add("ca", config.ca);
  add("ca_file", config.ca_file);
  if (config.insecure_skip_tls_verify) result["insecure"] = true;
  add("tls_server_name", config.tls_server_name);
  add("proxy_url", config.proxy_url);
  add("certificate", config.certificate);
  add("certificate_file", config.certificate_file);
  add("key", config.key);
  add("key_file", config.key_file);
  add("token", config.token);
  add("token_file", config.token_file);
  add("username", config.username);
  add("password", config.password);
  if (config.exec) {
    std::string exec = config.exec->api_version + " " + config.exec->command;
    for (const std::string& argument : config.exec->args) exec += " " + argument;
    for (const auto& [name, value] : config.exec->env) exec += " " + name + "=" + value;
    exec += " " + config.exec->interactive_mode + (config.exec->provide_cluster_info ? " cluster" : "");
    add("exec", exec + " " + config.exec->install_hint + " " + config.exec->cluster_extension);
  }
  add("as", config.impersonate.user);
  add("as_uid", config.impersonate.uid);
  add("as_groups", join(config.impersonate.groups, ","));
  std::string extra;
  for (const auto& [name, values] : config.impersonate.extra) extra += name + "=" + join(values, ",");
  add("as_extra", extra);
  add("namespace", config.namespace_name);
  return result;
}

TEST(Kubeconfig, IsReadAndMergedAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("kubeconfig.json")) {
    SCOPED_TRACE(std::string(*json::find_string(row, "case")));
    std::vector<std::string> files;
    for (const json::Value& file : json::find(row, "files")->as_array()) {
      files.push_back(folder + "/" + std::string(file.as_string()));
    }
    KubeconfigOverrides overrides;
    if (const json::Value* chosen = json::find(row, "choice")) {
      const auto text = [&](std::string_view name) {
        return std::string(json::find_string(*chosen, name).value_or(""));
      };
      overrides = {.context = text("context"),
                   .cluster = text("cluster"),
                   .user = text("user"),
                   .namespace_name = text("namespace"),
                   .server = text("server")};
    }
    const auto config = load_client_config(overrides, environment({{"KUBECONFIG", join(files, ":")}}));
    if (const json::Value* error = json::find(row, "error")) {
      ASSERT_FALSE(config) << json::to_text(describe(*config));
      EXPECT_EQ(to_string(config.error().code), error->as_array()[0].as_string());
      for (std::size_t i = 1; i < error->as_array().size(); ++i) {
        const std::string part =
            testing::replaced(std::string(error->as_array()[i].as_string()), "FOLDER", folder);
        EXPECT_NE(config.error().message.find(part), std::string::npos) << config.error().message;
      }
      continue;
    }
    ASSERT_TRUE(config) << config.error().message;
    const std::string expected = testing::replaced(json::to_text(*json::find(row, "expect")), "FOLDER/..",
                                                   testing::data_path("").substr(0, folder.rfind('/')));
    EXPECT_EQ(json::to_text(describe(*config)), testing::replaced(expected, "FOLDER", folder));
  }
}

TEST(Kubeconfig, FaultsAreNamedByFileLineAndKey) {
  const TempDirectory directory;
  for (const auto& row : fairway::testing::read_table(testing::data_path("kubeconfig_faults.tsv"))) {
    const std::string file = directory.write("config", row.at(0));
    const auto config = load_client_config({.file = file}, environment({}));
    if (row.at(1) == "none") {
      EXPECT_TRUE(config) << row.at(0) << ": " << config.error().message;
      continue;
    }
    ASSERT_FALSE(config) << row.at(0);
    EXPECT_EQ(config.error().code, ErrorCode::invalid) << row.at(0) << ": " << config.error().message;
    EXPECT_NE(config.error().message.find(testing::replaced(row.at(1), "FILE", file)), std::string::npos)
        << row.at(0) << ": " << config.error().message;
  }
}

TEST(Kubeconfig, NamesTheLineOfAFault) {
  const auto parsed =
      parse_kubeconfig("kind: Config\nusers:\n- name: u\n  user:\n    token: 5\n", "/x/config");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message,
            "reading kubeconfig /x/config:5: users[0].user.token: must be a text; put it in quotes");
}

TEST(Kubeconfig, IsThatOfTheHomeFolderWhereNoneIsNamed) {
  const TempDirectory home;
  const std::string yaml =
      "{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: "
      "{server: "
      "'https://home'}}]}";
  home.write(".kube/config", yaml);
  EXPECT_EQ(load_client_config({}, environment({{"HOME", home.text()}}))->server, "https://home");
  EXPECT_EQ(
      load_client_config({.file = home.text() + "/none"}, environment({{"HOME", home.text()}})).error().code,
      ErrorCode::not_found);
  EXPECT_EQ(load_client_config({.server = "https://given"}, environment({}))->server, "https://given");
}

TEST(InCluster, IsTheServiceAccounts) {
  const TempDirectory account;
  account.write("token", "abc\n");
  account.write("ca.crt", "CA");
  account.write("namespace", "apps\n");
  ProcessEnvironment inside =
      environment({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}});
  inside.service_account = account.path();
  const auto config = load_client_config({}, inside);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->token_file, account.text() + "/token");
  EXPECT_EQ(config->ca_file, account.text() + "/ca.crt");
  EXPECT_EQ(config->namespace_name, "apps");
  EXPECT_EQ(load_client_config({.namespace_name = "other"}, inside)->namespace_name, "other");

  inside.service_account = "/nowhere";
  const auto broken = load_client_config({}, inside);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("service account's token"), std::string::npos)
      << broken.error().message;
  EXPECT_EQ(in_cluster_config(environment({})).error().code, ErrorCode::not_found);
}

TEST(ClientConfig, AnonymousKeepsTheServerAndDropsTheUser) {
  ClientConfig config;
  config.server = "https://a";
  config.ca = "CA";
  config.tls_server_name = "b";
  config.token = "secret";
  config.certificate = "CERT";
  config.key = "KEY";
  config.username = "u";
  config.impersonate.user = "jane";
  config.exec.emplace();
  EXPECT_EQ(json::to_text(describe(config.anonymous())),
            R"({"server":"https://a","ca":"CA","tls_server_name":"b","namespace":"default"})");
}

}  // namespace
}  // namespace fairway::kube
