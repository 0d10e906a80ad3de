// SPDX-License-Identifier: Apache-2.0

// fairway convert check with an API server and a webhook on loopback.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "support/loopback_server.h"
#include "support/loopback_tls.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

/// Converts by changing apiVersion alone, refuses the object `bad`, and drops the mode of `lossy` on its way
/// to v1.
std::string convert(const json::Value& review, bool with_other_uid) {
  const json::Object& asked = review.at("request").as_object();
  const json::Value& to = asked.at("desiredAPIVersion");
  json::Array objects;
  std::string why;
  for (const json::Value& object : asked.at("objects").as_array()) {
    json::Object converted = object.as_object();
    converted["apiVersion"] = to;
    const json::Value& name = object.at("metadata").at("name");
    if (name == "bad") why = "Widget default/bad: its size is no size";
    if (name == "lossy" && to == "widgets.example.com/v1") converted["spec"].as_object().erase("mode");
    objects.emplace_back(std::move(converted));
  }
  json::Object result{{"status", why.empty() ? "Success" : "Failure"}, {"message", why}};
  return json::to_text(
      json::Object{{"apiVersion", review.at("apiVersion")},
                   {"kind", "ConversionReview"},
                   {"response", json::Object{{"uid", with_other_uid ? json::Value("x") : asked.at("uid")},
                                             {"convertedObjects", std::move(objects)},
                                             {"result", std::move(result)}}}});
}

class ConvertCheckLive : public ::testing::Test {
 protected:
  ConvertCheckLive() {
    auto [authority, options] = testing::loopback_tls("webhook");
    server_ = testing::serve_on_loopback(
        "POST",
        [this](const http::Request& asked) {
          ++reviews_;
          return http::Response::json(200, convert(json::parse(asked.body).value(), with_other_uid_));
        },
        options);
    const std::string url = "https://" + server_->address() + "/convert";
    write("ca.pem", authority.certificate);
    write("url", url);
    const std::string crd = read_file(FAIRWAY_SOURCE_DIR "/examples/widgets/crd.yaml").value();
    const std::string conversion =
        "spec:\n  conversion:\n    strategy: Webhook\n    webhook:\n"
        "      conversionReviewVersions: [v1]\n      clientConfig: {url: '" +
        url + "', caBundle: " + base64_encode(authority.certificate) + "}\n";
    std::string with_webhook = crd;
    with_webhook.replace(crd.find("spec:\n"), 6, conversion);
    write("crd.yaml", with_webhook);
    std::string objects;
    for (const char* name : {"bad", "lossy", "well"}) {
      objects +=
          "---\n{apiVersion: widgets.example.com/v1, kind: Widget, metadata: {name: " + std::string(name) +
          ", namespace: default}, spec: {mode: turbo}}\n";
    }
    write("objects.yaml", objects);
  }

  void write(const char* name, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, text));
  }
  /// Runs the check beside an API server that has the objects; returns what it prints, and its exit code.
  std::string check(const std::string& flags) {
    const std::string line =
        "cd '" + folder_.text() +
        "'; '" FAIRWAY_BINARY
        "' apiserver --memory --listen 127.0.0.1:0 --apply crd.yaml --apply objects.yaml "
        "-- sh -c '\"" FAIRWAY_BINARY
        "\" convert check --group widgets.example.com --kind Widget --to v1beta1 " +
        flags + "; echo exit $?' >out 2>&1";
    EXPECT_NE(std::system(line.c_str()), -1);
    return read_file(folder_.path() / "out").value_or("");
  }

  const testing::TempDirectory folder_;
  std::atomic<int> reviews_{0};
  std::atomic<bool> with_other_uid_{false};
  std::unique_ptr<http::Server> server_;
};

constexpr const char* report =
    "Widget.widgets.example.com to v1beta1: 3 objects checked, 3 with findings\n"
    "\n"
    "1 object fails: converting from v1 to v1beta1: Widget: its size is no size\n"
    "  default/bad\n"
    "\n"
    "2 objects lose a field: spec.mode does not come back\n"
    "  default/lossy  spec.mode: \"turbo\"\n"
    "  default/well  spec.mode: \"turbo\"\n"
    "exit 1\n";

TEST_F(ConvertCheckLive, AsksTheWebhookOfTheDefinition) {
  EXPECT_EQ(check(""), report);
  EXPECT_GT(reviews_, 0);
}

TEST_F(ConvertCheckLive, AsksTheWebhookThatIsAboutToBeDeployed) {
  EXPECT_EQ(check("--webhook $(cat url) --ca ca.pem"), report);
  const int before = reviews_;
  EXPECT_GT(before, 0);
  const std::string untrusted = check("--webhook $(cat url)");
  EXPECT_TRUE(untrusted.contains("certificate")) << untrusted;
  EXPECT_TRUE(untrusted.ends_with("exit 1\n")) << untrusted;
  EXPECT_EQ(reviews_, before);
}

TEST_F(ConvertCheckLive, ChecksTheDefinitionThatIsAboutToBeApplied) {
  std::string crd = read_file(folder_.path() / "crd.yaml").value();
  // The next definition has a mode in v1beta1, too.
  const std::string size = "size: {type: string, enum: [S, M, L]}\n";
  const std::size_t at = crd.find(size);
  ASSERT_NE(at, std::string::npos);
  crd.insert(at, "mode: {type: string}\n              ");
  write("next.yaml", crd);
  const std::string text = check("--crd next.yaml");
  EXPECT_TRUE(text.contains("3 objects checked, 2 with findings\n")) << text;
  EXPECT_TRUE(
      text.contains("1 object loses a field: spec.mode does not come back\n"
                    "  default/lossy  spec.mode: \"turbo\"\n"))
      << text;
}

TEST_F(ConvertCheckLive, EndsWhereTheAnswerIsToAnotherReview) {
  with_other_uid_ = true;
  const std::string text = check("");
  EXPECT_TRUE(
      text.starts_with("error: converting from v1 to v1beta1, 3 objects from default/bad to default/well: "
                       "the converter's answer is no answer to the review: "))
      << text;
  EXPECT_TRUE(text.contains("expected response.uid=")) << text;
  EXPECT_TRUE(text.ends_with("exit 1\n")) << text;
}

}  // namespace
}  // namespace fairway
