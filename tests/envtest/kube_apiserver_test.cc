// SPDX-License-Identifier: Apache-2.0

// Command lines of kube-apiserver, and what comes of them: tests/envtest/data/command-lines.txt.
#include "envtest/kube_apiserver.h"

#include <gtest/gtest.h>

#include <regex>

#include "base/file.h"
#include "base/text.h"
#include "support/temp_directory.h"

namespace fairway::envtest {
namespace {

KubeApiserverPlan plan_of(std::vector<std::string> words) {
  words.emplace_back("--etcd-servers=http://127.0.0.1:1");
  return plan_kube_apiserver(read_kube_apiserver_flags(words)).value();
}

/// Each case is a command line after "$ ", and below it all warnings, after "! ", and disabled APIs, after "-
/// ".
TEST(KubeApiserverPlan, IsAsItsCasesSay) {
  const std::string text = read_file(FAIRWAY_SOURCE_DIR "/tests/envtest/data/command-lines.txt").value();
  std::string expected, found;
  int cases = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    expected += std::string(line) + "\n";
    if (!line.starts_with("$ ")) continue;
    ++cases;
    std::vector<std::string> words;
    for (const std::string_view word : split(line.substr(2), ' ')) words.emplace_back(word);
    const KubeApiserverPlan plan = plan_of(std::move(words));
    found += std::string(line) + "\n";
    for (const std::string& warning : plan.warnings) found += "! " + warning + "\n";
    for (const std::string& api : plan.options.disabled_apis) found += "- " + api + "\n";
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(cases, 10);
}

TEST(KubeApiserverPlan, HasWhatEnvtestGives) {
  const fairway::testing::TempDirectory folder;
  const std::string dir = folder.path().string();
  ASSERT_TRUE(write_file_atomically(folder / "apiserver.crt", "c"));
  ASSERT_TRUE(write_file_atomically(folder / "apiserver.key", "k"));
  const KubeApiserverPlan plan =
      plan_of({"--cert-dir=" + dir, "--client-ca-file=" + dir + "/ca.crt", "--bind-address=127.0.0.1",
               "--secure-port=1234", "--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=RBAC",
               "--allow-privileged=true", "--disable-admission-plugins=ServiceAccount",
               "--service-account-issuer=https://127.0.0.1:1234/",
               "--service-account-key-file=" + dir + "/sa-signer.crt",
               "--service-account-signing-key-file=" + dir + "/sa-signer.key"});
  EXPECT_EQ(plan.warnings, std::vector<std::string>{});
  EXPECT_EQ(plan.etcd, "http://127.0.0.1:1");
  const apiserver::ServerOptions& options = plan.options;
  EXPECT_EQ(options.listen, "127.0.0.1:1234");
  EXPECT_EQ(options.tls_cert_file, folder / "apiserver.crt");
  EXPECT_EQ(options.tls_private_key_file, folder / "apiserver.key");
  EXPECT_EQ(options.client_ca_file, folder / "ca.crt");
  EXPECT_EQ(options.service_cluster_ip_range, "10.0.0.0/24");
  EXPECT_EQ(options.service_account_issuers, std::vector<std::string>{"https://127.0.0.1:1234/"});
  EXPECT_EQ(options.service_account_signing_key_file, folder / "sa-signer.key");
  ASSERT_EQ(options.service_account_key_files.size(), 1U);
  EXPECT_FALSE(options.pod_service_accounts);
  EXPECT_FALSE(options.garbage_collector || options.namespace_controller || options.namespace_defaults ||
               options.role_aggregation || options.token_secrets || options.quota_status);
  EXPECT_TRUE(options.resource_quotas);
}

TEST(KubeApiserverPlan, NeedsAnEtcd) {
  const auto plan = plan_kube_apiserver(read_kube_apiserver_flags({}));
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().message.contains("--etcd-servers"));
}

TEST(KubeApiserverHelp, ListsFlagsWhereEnvtestLooksForThem) {
  const std::string help = kube_apiserver_help();
  const auto lists = [&](const std::string& flag) {
    return std::regex_search(help, std::regex("(^|\n)\\s*--" + flag + "\\b"));
  };
  EXPECT_TRUE(lists("secure-port"));
  EXPECT_TRUE(lists("etcd-servers"));
  EXPECT_FALSE(lists("insecure-port"));
  EXPECT_EQ(kube_apiserver_version(), "Kubernetes v1.37.2\n");
}

}  // namespace
}  // namespace fairway::envtest
