// SPDX-License-Identifier: Apache-2.0

// The programs of `fairway envtest`, started as envtest starts kube-apiserver and etcd.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "http/certificate.h"
#include "http/client.h"
#include "http/signing_key.h"
#include "kube/client/client.h"
#include "support/eventually.h"
#include "support/generous.h"
#include "support/is_ok.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::envtest {
namespace {

using namespace std::chrono_literals;
using fairway::testing::eventually;
using fairway::testing::free_loopback_port;
using fairway::testing::Process;

const k8s::GroupVersionResource config_maps{"", "v1", "configmaps"};

/// The folder of programs, the certificates that envtest makes, and the processes.
class Programs : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({FAIRWAY_BINARY, "envtest", "--dir", file("assets")}, "made"), 0);
    ASSERT_EQ(output("made"), file("assets") + "\n");
    const http::Validity a_day{Clock::system().now() - 1h, Clock::system().now() + 23h};
    authority_ = http::make_authority("envtest", a_day).value();
    admin_ = http::issue_client_certificate(authority_, "admin", {"system:masters"}, a_day).value();
    const auto served = http::issue_certificate(authority_, "s", {"localhost", "127.0.0.1"}, a_day).value();
    for (const auto& [name, text] :
         {std::pair("client-cert-auth-ca.crt", authority_.certificate),
          std::pair("apiserver.crt", served.certificate), std::pair("apiserver.key", served.key),
          std::pair("sa-signer.key", http::make_signing_key().value())}) {
      ASSERT_OK(write_file_atomically(file(name), text));
    }
  }

  std::string file(const std::string& name) const { return folder_ / name; }
  std::string output(const std::string& name) const { return read_file(file(name)).value_or(""); }
  /// Runs a program to its end; returns its exit code, or -1 for a signal.
  int run(const std::vector<std::string>& words, const std::string& to) const {
    const int status = Process(words, file(to)).wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void start_etcd() {
    etcd_port_ = free_loopback_port();
    const std::string url = etcd_url();
    etcd_.emplace(std::vector<std::string>{file("assets/etcd"), "--listen-client-urls=" + url,
                                           "--advertise-client-urls=" + url, "--data-dir=" + file("data"),
                                           "--listen-peer-urls=http://127.0.0.1:0", "--unsafe-no-fsync=true"},
                  file("etcd.log"));
    ASSERT_TRUE(eventually([&] { return status_of(url + "/health") == 200; })) << output("etcd.log");
  }
  std::string etcd_url() const { return "http://127.0.0.1:" + std::to_string(etcd_port_); }

  std::vector<std::string> server_words(int port, const std::string& etcd) const {
    return {file("assets/kube-apiserver"),
            "--cert-dir=" + folder_.path().string(),
            "--client-ca-file=" + file("client-cert-auth-ca.crt"),
            "--bind-address=127.0.0.1",
            "--secure-port=" + std::to_string(port),
            "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount",
            "--service-account-issuer=https://127.0.0.1/",
            "--service-account-key-file=" + file("sa-signer.key"),
            "--service-account-signing-key-file=" + file("sa-signer.key"),
            "--etcd-servers=" + etcd,
            "--no-such-flag=1"};
  }
  void start_server() {
    port_ = free_loopback_port();
    server_.emplace(server_words(port_, etcd_url()), file("server.log"));
    ASSERT_TRUE(eventually([&] { return status_of(url() + "/healthz") == 200; })) << output("server.log");
  }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }

  /// Asks without credentials; 0: there was no answer.
  int status_of(const std::string& at) const {
    const auto client = http::Client::create(
        {.ca_texts = {{authority_.certificate, "the test"}}, .proxy_environment = false});
    const auto reply = (*client)->send(
        {.url = *http::Url::parse(at),
         .limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(5)))});
    return reply ? reply->status : 0;
  }
  std::shared_ptr<kube::Client> admin() const {
    kube::ClientConfig config;
    config.server = url();
    config.ca = authority_.certificate;
    config.certificate = admin_.certificate;
    config.key = admin_.key;
    return kube::Client::create(std::move(config), {}).value();
  }

  fairway::testing::TempDirectory folder_;
  http::KeyedCertificate authority_, admin_;
  int etcd_port_ = 0, port_ = 0;
  std::optional<Process> etcd_, server_;
};

k8s::Dynamic config_map(const std::string& name) {
  k8s::Dynamic made;
  made.set("kind", "ConfigMap");
  made.set("apiVersion", "v1");
  made.set_name(name);
  made.set_namespace_name("default");
  return made;
}

TEST_F(Programs, ServeTheClientsOfTheGivenAuthorityAndRunNoControllers) {
  start_etcd();
  start_server();
  for (const char* path : {"/healthz", "/readyz", "/livez"}) EXPECT_EQ(status_of(url() + path), 200) << path;
  EXPECT_EQ(status_of(url() + "/api/v1/nodes"), 401);
  const auto client = admin();
  ASSERT_OK(client->create(config_maps, config_map("a")));
  // Nothing is made in a namespace, and a Pod may name a ServiceAccount that is not there.
  EXPECT_EQ(client->list(config_maps, "default")->items.size(), 1U);
  EXPECT_EQ(client->list({"", "v1", "serviceaccounts"}, "default")->items.size(), 0U);
  EXPECT_TRUE(output("server.log").contains("--no-such-flag is no flag of kube-apiserver"));
  EXPECT_EQ(WEXITSTATUS(server_->end(SIGTERM)), 0);
  EXPECT_EQ(WEXITSTATUS(etcd_->end(SIGTERM)), 0);
}

TEST_F(Programs, KeepWhatIsStoredAsLongAsTheEtcdLives) {
  start_etcd();
  start_server();
  ASSERT_OK(admin()->create(config_maps, config_map("kept")));
  server_->end(SIGTERM);
  start_server();
  EXPECT_OK(admin()->get(config_maps, {"default", "kept"}));
  // Another etcd is another store.
  server_->end(SIGTERM);
  etcd_->end(SIGTERM);
  std::filesystem::remove_all(folder_ / "data");
  start_etcd();
  start_server();
  EXPECT_FALSE(admin()->get(config_maps, {"default", "kept"}));
}

TEST_F(Programs, EndAtASecondSignalToo) {
  start_etcd();
  start_server();
  server_->signal(SIGTERM);
  server_->signal(SIGTERM);
  EXPECT_EQ(WEXITSTATUS(server_->wait()), 0);
  EXPECT_EQ(status_of(url() + "/healthz"), 0);
}

TEST_F(Programs, EndTheirWatchesBeforeTheyEnd) {
  start_etcd();
  start_server();
  const auto client = admin();
  ASSERT_OK(client->create(config_maps, config_map("a")));
  const auto limit = fairway::testing::generous(std::chrono::seconds(5));
  const auto watched = client->watch(
      config_maps, "default", {.timeout = limit},
      [&](const kube::WatchEvent&) -> Result<void> {
        server_->signal(SIGTERM);
        return {};
      },
      Limits::within(Clock::system(), 2 * limit));
  // One that is cut off is an error, and makes clients ask again for seconds.
  EXPECT_OK(watched);
  EXPECT_EQ(WEXITSTATUS(server_->wait()), 0);
}

TEST_F(Programs, RefuseASecondServerOnOneEtcd) {
  start_etcd();
  start_server();
  EXPECT_EQ(run(server_words(free_loopback_port(), etcd_url()), "second.log"), 1);
  EXPECT_TRUE(output("second.log").contains("uses it")) << output("second.log");
}

TEST_F(Programs, RefuseAnEtcdThatIsNotTheirs) {
  start_etcd();
  start_server();
  // A server, but no etcd of ours.
  Process other({"python3", "-m", "http.server", "--bind", "127.0.0.1",
                 std::to_string(etcd_port_ = free_loopback_port())},
                file("other.log"));
  ASSERT_TRUE(eventually([&] { return status_of(etcd_url()) == 200; }));
  EXPECT_EQ(run(server_words(free_loopback_port(), etcd_url()), "refused.log"), 1);
  EXPECT_TRUE(output("refused.log").contains("it is a real etcd, or another server"))
      << output("refused.log");
  EXPECT_EQ(run(server_words(free_loopback_port(), "https://127.0.0.1:1"), "tls.log"), 1);
  EXPECT_TRUE(output("tls.log").contains("is no http://HOST:PORT")) << output("tls.log");
}

TEST_F(Programs, AreMadeWhereThePathLeadsThatIsPrinted) {
  std::filesystem::create_directories(folder_ / "far/away");
  std::filesystem::create_directory_symlink(folder_ / "far/away", folder_ / "link");
  EXPECT_EQ(run({FAIRWAY_BINARY, "envtest", "--dir", file("link/../x/")}, "far.path"), 0);
  EXPECT_EQ(output("far.path"), file("far/x") + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "far/x/etcd"));
  EXPECT_NE(run({FAIRWAY_BINARY, "envtest", "--dir", ""}, "no.path"), 0);
  EXPECT_TRUE(output("no.path").contains("--dir")) << output("no.path");
}

TEST_F(Programs, SayTheirFlagsAndVersions) {
  EXPECT_EQ(run({file("assets/kube-apiserver"), "--help"}, "help"), 0);
  EXPECT_TRUE(output("help").contains("\n      --etcd-servers"));
  EXPECT_FALSE(output("help").contains("--insecure-port"));
  EXPECT_EQ(run({file("assets/etcd"), "--help"}, "etcd-help"), 0);
  EXPECT_TRUE(output("etcd-help").contains("\n  --unsafe-no-fsync"));
  EXPECT_EQ(run({file("assets/kube-apiserver"), "--version"}, "version"), 0);
  EXPECT_EQ(output("version"), "Kubernetes v1.37.2\n");
  EXPECT_EQ(run({file("assets/etcd"), "--version"}, "etcd-version"), 0);
  EXPECT_TRUE(output("etcd-version").starts_with("etcd Version: 3.7."));
}

}  // namespace
}  // namespace fairway::envtest
