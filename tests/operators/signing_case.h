// SPDX-License-Identifier: Apache-2.0

// `fairway operator` taking signed updates: keys and signatures by gnupg.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "http/client.h"
#include "k8s/core.h"
#include "oci/signing.h"
#include "operators/updating_case.h"

namespace fairway::operators::testing {

class Signing : public Updating {
 protected:
  void SetUp() override {
    if (!fairway::testing::Gpg::installed()) GTEST_SKIP() << "gpg is not installed (Debian's package gnupg)";
    Updating::SetUp();
    unsigned_releases_ = false;
    status_listen_ = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
    for (const char* name : {"old", "new", "stranger"}) ASSERT_TRUE(gpg_.make_key(name));
  }

  /// Returns the public key, armored.
  std::string key(const std::string& name) {
    EXPECT_TRUE(gpg_.export_key(name, folder_ / "exported"));
    return read_file(folder_ / "exported").value_or("");
  }
  /// Returns a folder for --public-keys.
  std::string key_folder(const std::string& name) {
    folder_.write("keys-" + name + "/key", key(name));
    return (folder_ / ("keys-" + name)).string();
  }
  void sign(const std::string& version, const std::string& with) {
    const std::string& image = releases_.image(version);
    const std::string digest = image.substr(image.find("sha256:"));
    folder_.write("store/sha256=" + digest.substr(7) + "/signature-1",
                  gpg_.sign(with, fairway::testing::signature_content(digest, "example.com/a:b")));
  }
  std::vector<std::string> store() const {
    return {"--signature-store", "file://" + (folder_ / "store").string()};
  }

  using Data = std::vector<std::pair<std::string, std::string>>;
  /// Writes the ConfigMap of the operator's namespace, which is `default` here.
  void write_keys(const Data& data) {
    remove_keys();
    auto map = k8s::make<k8s::ConfigMap>("fairway-release-keys");
    map.set_namespace_name("default");
    for (const auto& [name, text] : data) map.set_entry("data", name, text);
    const auto created = client_->create(config_maps, map);
    ASSERT_TRUE(created) << created.error().message;
  }
  void remove_keys() {
    [[maybe_unused]] const auto removed = client_->remove(config_maps, {"default", "fairway-release-keys"});
  }
  /// Returns a manifest of a release, with keys for the next ones.
  static std::string keys_manifest(const std::string& key_name, const std::string& text) {
    auto map = k8s::make<k8s::ConfigMap>("release-verification");
    map.set_namespace_name("default");
    map.set_entry("metadata.annotations", "release.openshift.io/verification-config-map", "");
    map.set_entry("data", key_name, text);
    return json::to_text(map.json());
  }

  bool is_refused(const std::string& version) const {
    const std::string now = said("ReleaseAccepted");
    return now.starts_with("False RetrievePayload") && now.contains("\"" + version + "\"");
  }
  void expect_refused(const std::string& version) {
    ask_for({{"version", version}});
    EXPECT_TRUE(eventually([&] { return is_refused(version); })) << version << "\n" << why();
  }
  void expect_taken(const std::string& version) {
    ask_for({{"version", version}});
    EXPECT_TRUE(eventually([&] { return history().starts_with("Completed " + version); })) << version << "\n"
                                                                                           << why();
  }
  std::string metrics() const {
    const auto http = http::Client::create({.system_cas = false, .proxy_environment = false}).value();
    http::Call call;
    call.url = http::Url::parse("http://" + status_listen_ + "/metrics").value();
    call.limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(2)));
    const auto reply = http->send(call);
    return reply ? reply->body : "";
  }
  bool newest_is_verified() const { return member(newest(), "verified") == json::Value(true); }

  static constexpr const char* missing = "fairway.dev/ReleaseKeysMissing";
  fairway::testing::Gpg gpg_{folder_ / "gpg"};
};

}  // namespace fairway::operators::testing
