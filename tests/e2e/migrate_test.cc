// SPDX-License-Identifier: Apache-2.0

// `fairway migrate` beside a server that knows in which version each object is stored.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "conversion/stored_objects.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {
namespace {

using conversion::testing::StoredObjects;

struct Ran {
  int exit_code = -1;
  std::string output;
};

Ran migrate(const StoredObjects& server, const std::vector<std::string>& more) {
  const TempDirectory folder;
  folder.write("config",
               "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
               "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n"
               "clusters: [{name: c, cluster: {server: '" +
                   server.url() + "'}}]\n");
  const std::string output = (folder / "output").string();
  std::vector<std::string> arguments{FAIRWAY_BINARY, "migrate",     "--kubeconfig", folder / "config",
                                     "--group",      "example.com", "--from",       "v1alpha1",
                                     "--to",         "v1",          "--settle",     "0s"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Process process(arguments, output);
  const int status = process.wait();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(output).value_or("")};
}

TEST(Migrate, StoresAllObjectsInTheNewVersion) {
  StoredObjects server;
  server.define("widgets", "Widget", {"v1alpha1", "v1"});
  for (int i = 0; i < 25; ++i)
    server.add({.namespace_name = "a", .name = "w" + std::to_string(i)}, "v1alpha1");
  const Ran dry = migrate(server, {"--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.output;
  EXPECT_EQ(server.writes(), 0);
  const Ran ran = migrate(server, {"--page-size", "10", "-o", "json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(ran.output,
            "{\"kinds\":[{\"definition\":\"widgets.example.com\",\"finished\":true,\"done\":25,\"total\":25,"
            "\"leftOut\":0,\"leftOutBy\":[],\"lastError\":\"\",\"waiting\":null}]}\n");
  EXPECT_EQ(server.writes(), 25);
  EXPECT_EQ(server.stored_versions("widgets.example.com"), std::vector<std::string>{"v1"});
  const Ran again = migrate(server, {});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(server.writes(), 25);
}

TEST(Migrate, SaysWhatWasLeftOut) {
  StoredObjects server;
  server.define("widgets", "Widget", {"v1alpha1", "v1"});
  for (int i = 0; i < 5; ++i)
    server.add({.namespace_name = "a", .name = "w" + std::to_string(i)}, "v1alpha1");
  server.intercept([](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && request.path.ends_with("/w3"))
      return StoredObjects::refusal(k8s::reason::invalid, "spec.size: must be positive");
    return std::nullopt;
  });
  const Ran ran = migrate(server, {"--kind", "Widget"});
  EXPECT_EQ(ran.exit_code, 1);
  for (const char* part : {"4 of 5", "objects left out", "\na/w3: spec.size: must be positive\n"})
    EXPECT_NE(ran.output.find(part), std::string::npos) << ran.output;
  EXPECT_EQ(server.stored_versions("widgets.example.com").size(), 2U);
  EXPECT_EQ(migrate(server, {"--kind", "Gadget"}).exit_code, 1);
  // The next run knows which one it is, and tries no other.
  const int before = server.patches();
  const Ran again = migrate(server, {"--kind", "Widget", "-o", "json"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(server.patches(), before);  // the interceptor answers that of w3
  EXPECT_TRUE(
      again.output.contains("\"leftOutBy\":[{\"cause\":\"spec.size: must be positive\",\"count\":1,"
                            "\"objects\":[\"a/w3\"]}]"))
      << again.output;
  server.intercept({});
  const Ran whole = migrate(server, {"--kind", "Widget", "-o", "json"});
  EXPECT_EQ(whole.exit_code, 0);
  // What has no value is there all the same.
  EXPECT_TRUE(whole.output.contains("\"leftOutBy\":[],\"lastError\":\"\",\"waiting\":null}")) << whole.output;
  EXPECT_EQ(server.patches(), before + 1);
}

TEST(Migrate, WaitsForItsWebhook) {
  StoredObjects server;
  server.define("widgets", "Widget", {"v1alpha1", "v1"});
  for (int i = 0; i < 5; ++i)
    server.add({.namespace_name = "a", .name = "w" + std::to_string(i)}, "v1alpha1");
  std::atomic<int> refused = 0;
  server.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH" || refused++ >= 20) return std::nullopt;
    return StoredObjects::refusal(k8s::reason::internal_error,
                                  "conversion webhook for example.com/v1alpha1, Kind=Widget failed: Post "
                                  "\"https://w.shop.svc:443/\": connect: connection refused");
  });
  const Ran ran = migrate(server, {"--kind", "Widget"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  for (const char* part :
       {"widgets.example.com: waiting for the webhook since ", "connection refused", "5 of 5"})
    EXPECT_NE(ran.output.find(part), std::string::npos) << ran.output;
}

}  // namespace
}  // namespace fairway::testing
