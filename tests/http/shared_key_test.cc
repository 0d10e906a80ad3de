// SPDX-License-Identifier: Apache-2.0

// Both ends know each other by a secret, without certificates.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/file.h"
#include "http/certificates.h"
#include "http/client.h"
#include "http/server.h"
#include "support/loopback_server.h"
#include "support/temp_directory.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

SharedKey fixed(std::string secret) {
  return [secret = std::move(secret)] { return Result<std::string>(secret); };
}

std::unique_ptr<Server> start(const TlsServerOptions& tls) {
  ServerOptions options;
  options.tls = tls;
  return fairway::testing::serve_on_loopback(
      "GET",
      [](const Request& request) { return Response::text(200, request.peer->tls ? "over TLS" : "plain"); },
      options);
}

Result<Reply> get(const Server& server, const ClientOptions& options, const std::string& scheme = "https") {
  const auto client = Client::create(options);
  if (!client) return fail(client.error());
  Call call;
  call.url = Url::parse(scheme + "://" + server.address() + "/").value();
  call.limits.deadline = std::chrono::steady_clock::now() + 20s;
  return (*client)->send(call);
}

ClientOptions with_key(SharedKey key) {
  return {.system_cas = false, .shared_key = std::move(key), .proxy_environment = false};
}

TEST(SharedKeys, LetInWhoHasTheKeyAndNobodyElse) {
  const auto server = start({.shared_key = fixed("a secret of both ends")});
  const auto reply = get(*server, with_key(fixed("a secret of both ends")));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "over TLS");
  for (const char* other : {"another secret", "", "a secret of both ends "}) {
    const auto refused = get(*server, with_key(fixed(other)));
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated) << refused.error().message;
    EXPECT_TRUE(refused.error().message.contains("the server has another shared key"));
  }
  // Without one: no key, not even a certificate that nobody verifies, no TLS.
  ClientOptions any{.system_cas = false, .insecure_skip_verify = true, .proxy_environment = false};
  EXPECT_FALSE(get(*server, any));
  EXPECT_EQ(get(*server, any, "http").value().status, 400);
}

TEST(SharedKeys, AreNotReplacedByACertificate) {
  const fairway::testing::TestCa ca;
  const auto made = ca.server();
  const auto server = start({.certificate = made.certificate, .key = made.key});
  ClientOptions options = with_key(fixed("a secret of both ends"));
  options.ca_texts = {{ca.certificate(), "the test"}};
  EXPECT_FALSE(get(*server, options)) << "an authority that is trusted elsewhere";
  options.insecure_skip_verify = true;
  EXPECT_FALSE(get(*server, options));
}

TEST(SharedKeys, AreReadForEachConnection) {
  const fairway::testing::TempDirectory folder;
  const auto become = [&](const std::string& secret) { folder.write("key", secret); };
  const SharedKey now = [file = folder / "key"] { return read_file(file, 100); };
  become("the first secret");
  const auto server = start({.shared_key = now});
  const auto first = Client::create(with_key(fixed("the first secret"))).value();
  const auto ask = [&] {
    Call call;
    call.url = Url::parse("https://" + server->address() + "/").value();
    call.limits.deadline = std::chrono::steady_clock::now() + 20s;
    return first->send(call);
  };
  EXPECT_TRUE(ask());
  become("the next secret");
  EXPECT_FALSE(ask()) << "neither over a connection of before, nor by a ticket";
  EXPECT_TRUE(get(*server, with_key(fixed("the next secret"))));
  std::filesystem::remove(folder / "key");
  EXPECT_FALSE(get(*server, with_key(fixed("")))) << "an end without a key has no connections";
  become("the first secret");
  EXPECT_TRUE(ask());
}

TEST(SharedKeys, ThatAClientLacksEndItsConnection) {
  const auto server = start({.shared_key = fixed("a secret of both ends")});
  const auto reply =
      get(*server,
          with_key([]() -> Result<std::string> { return fail(ErrorCode::not_found, "there is no key"); }));
  EXPECT_FALSE(reply);
}

}  // namespace
}  // namespace fairway::http
