// SPDX-License-Identifier: Apache-2.0

#include "oci/registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "oci/fake_registry.h"
#include "oci/internal/transport.h"
#include "support/temp_directory.h"

namespace fairway::oci {
namespace {

using fairway::testing::digest_of;
using fairway::testing::FakeRegistry;
using fairway::testing::make_index;
using fairway::testing::release_image;
using fairway::testing::TempDirectory;
using std::chrono::milliseconds;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class RegistryClient : public ::testing::Test {
 protected:
  static RegistryOptions options() {
    RegistryOptions options;
    options.plain_http = true;
    options.backoff = milliseconds(1);
    return options;
  }
  std::unique_ptr<Registry> client(const RegistryOptions& with = options()) {
    auto registry = Registry::create(with);
    if (!registry) throw std::runtime_error(registry.error().message);
    return *std::move(registry);
  }
  Reference repository() const { return {fake.address(), "r", "", ""}; }
  static Limits soon(milliseconds limit = milliseconds(20'000)) {
    return {Clock::system().steady() + limit, {}};
  }
  Descriptor blob_of(const std::string& bytes) {
    fairway::testing::TestImage holder;
    holder.digest = "none";
    holder.blobs[digest_of(bytes)] = bytes;
    fake.add(holder);
    return {.media_type = "", .digest = digest_of(bytes), .size = bytes.size(), .platform = {}};
  }
  FakeRegistry fake;
};

TEST_F(RegistryClient, ListsTagsSortedOverPages) {
  for (int i = 0; i < 25; ++i) fake.tag("t" + std::to_string(i), release_image("4.0.0"));
  fake.set_page_size(10);
  const auto tags = client()->tags(repository(), soon());
  ASSERT_TRUE(tags) << tags.error().message;
  EXPECT_EQ(tags->size(), 25U);
  EXPECT_TRUE(std::ranges::is_sorted(*tags));
  EXPECT_EQ(fake.take_requests().size(), 3U);
}

TEST_F(RegistryClient, RefusesPagesThatLeaveTheRegistryOrGoInCircles) {
  for (const std::string link :
       {"<http://127.0.0.1:1/v2/r/tags/list>; rel=\"next\"", "</v2/r/tags/list?n=1000>; rel=\"next\""}) {
    fake.set_fault([&](const http::Request&) {
      auto response = http::Response::json(200, R"({"tags":["a"]})");
      response.headers.set("Link", link);
      return std::optional(response);
    });
    const auto tags = client()->tags(repository(), soon());
    ASSERT_FALSE(tags);
    EXPECT_CONTAINS(tags.error().message, "page");
  }
}

TEST_F(RegistryClient, TakesARepositoryWithoutTags) {
  fake.set_fault(
      [](const http::Request&) { return std::optional(http::Response::json(200, R"({"tags":null})")); });
  EXPECT_TRUE(client()->tags(repository(), soon()).value().empty());
}

TEST_F(RegistryClient, PassesOverTagsThatCannotBeOnes) {
  fake.set_fault([](const http::Request&) {
    return std::optional(http::Response::json(200, R"({"tags":["ok","../x","",7,"a b"]})"));
  });
  EXPECT_EQ(client()->tags(repository(), soon()).value(), std::vector<std::string>{"ok"});
}

TEST_F(RegistryClient, ResolvesATagByOneHead) {
  const auto image = release_image("4.0.0");
  fake.tag("t", image);
  const auto registry = client();
  EXPECT_EQ(registry->resolve(repository().with_tag("t"), soon()).value(), image.digest);
  EXPECT_EQ(fake.take_requests(), std::vector<std::string>{"HEAD /v2/r/manifests/t"});
  EXPECT_EQ(registry->counts().heads, 1U);
  EXPECT_EQ(registry->counts().manifests, 0U);
  const auto missing = registry->resolve(repository().with_tag("nothing"), soon());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
}

TEST_F(RegistryClient, ResolvesByGetWhereHeadDoesNotHelp) {
  const auto image = release_image("4.0.0");
  fake.tag("t", image);
  fake.set_head_has_digest(false);
  EXPECT_EQ(client()->resolve(repository().with_tag("t"), soon()).value(), image.digest);
  fake.set_fault([](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "HEAD") return http::Response::text(405, "no");
    return std::nullopt;
  });
  EXPECT_EQ(client()->resolve(repository().with_tag("t"), soon()).value(), image.digest);
}

TEST_F(RegistryClient, AsksForAllKindsOfManifests) {
  const auto docker = release_image("4.0.0", "amd64", true);
  const auto index =
      make_index({{"amd64", release_image("4.0.0")}, {"arm64", release_image("4.0.0", "arm64")}});
  const auto list = make_index({{"amd64", docker}}, true);
  for (const auto& image : {docker, release_image("4.0.0"), index, list}) {
    fake.tag("t", image);
    const auto manifest = client()->manifest(repository().with_tag("t"), soon());
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_EQ(manifest->digest, image.digest);
    EXPECT_EQ(manifest->media_type, image.media_type);
    EXPECT_EQ(manifest->is_index(), !image.children.empty());
  }
}

TEST_F(RegistryClient, NoticesOtherBytesThanTheDigestSays) {
  const auto image = release_image("4.0.0");
  fake.tag("t", image);
  fake.replace(image.digest, image.manifest + " ");
  for (const auto& reference : {repository().with_tag("t"), repository().with_digest(image.digest)}) {
    const auto manifest = client()->manifest(reference, soon());
    ASSERT_FALSE(manifest);
    EXPECT_EQ(manifest.error().code, ErrorCode::conflict) << manifest.error().message;
  }
  const auto blob = blob_of("twelve bytes");
  for (const std::string bytes : {"twelve Bytes", "less", "more than twelve bytes"}) {
    fake.replace(blob.digest, bytes);
    const auto read = client()->blob(repository(), blob, 1000, soon());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::conflict) << read.error().message;
  }
  fake.replace(blob.digest, "twelve bytes");
  EXPECT_EQ(client()->blob(repository(), blob, 1000, soon()).value(), "twelve bytes");
  EXPECT_EQ(client()->blob(repository(), blob, 11, soon()).error().code, ErrorCode::too_large);
}

TEST_F(RegistryClient, TriesAgainOnFaultsOfTheMoment) {
  fake.tag("t", release_image("4.0.0"));
  for (const int status : {429, 500, 502, 503, 504}) {
    std::atomic<int> left{3};
    fake.set_fault([&](const http::Request&) -> std::optional<http::Response> {
      if (left-- > 0) return http::Response::text(status, "later");
      return std::nullopt;
    });
    const auto registry = client();
    EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon())) << status;
    EXPECT_EQ(registry->counts().retries, 3U);
    EXPECT_EQ(registry->counts().requests, 4U);
    EXPECT_EQ(registry->counts().errors, 3U);
  }
}

TEST_F(RegistryClient, GivesUpAfterItsRetries) {
  fake.set_fault([](const http::Request&) {
    return std::optional(
        http::Response::json(503, R"({"errors":[{"code":"UNAVAILABLE","message":"tired"}]})"));
  });
  const auto tags = client()->tags(repository(), soon());
  ASSERT_FALSE(tags);
  EXPECT_EQ(tags.error().code, ErrorCode::unavailable);
  EXPECT_CONTAINS(tags.error().message, "tired");
  EXPECT_EQ(fake.take_requests().size(), 5U);
}

TEST_F(RegistryClient, QuotesErrorsOfTheProtocolAlone) {
  struct Case {
    http::Response (*answer)();
    const char* shown;
  };
  const Case cases[] = {
      {[] { return http::Response::text(400, "no user bob at db.corp, password=SECRET"); }, "it answers 400"},
      {[] { return http::Response::json(400, R"({"detail":"password=SECRET"})"); }, "it answers 400"},
      {[] {
         return http::Response::json(
             400, R"({"errors":[{"code":"NAME","message":"see http://u:SECRET@h/x?t=SECRET"}]})");
       },
       "it answers 400 (NAME: see http://h/x?t=REDACTED)"}};
  for (const Case& c : cases) {
    fake.set_fault([&c](const http::Request&) { return std::optional(c.answer()); });
    const auto tags = client()->tags(repository(), soon());
    ASSERT_FALSE(tags);
    EXPECT_TRUE(tags.error().message.ends_with(c.shown)) << tags.error().message;
  }
}

TEST_F(RegistryClient, WaitsAsLongAsItIsAskedToButNotBeyondTheDeadline) {
  fake.tag("t", release_image("4.0.0"));
  std::atomic<bool> first{true};
  const auto answer_with = [&](const std::string& wait) {
    first = true;
    fake.set_fault([&first, wait](const http::Request&) -> std::optional<http::Response> {
      if (!first.exchange(false)) return std::nullopt;
      auto response = http::Response::text(429, "slow down");
      response.headers.set("Retry-After", wait);
      return response;
    });
  };
  answer_with("1");
  const auto begin = Clock::system().steady();
  EXPECT_TRUE(client()->resolve(repository().with_tag("t"), soon()));
  EXPECT_GE(Clock::system().steady() - begin, milliseconds(1000));

  answer_with("3600");
  const auto refused = client()->resolve(repository().with_tag("t"), soon());
  ASSERT_FALSE(refused);
  EXPECT_CONTAINS(refused.error().message, "429");
  EXPECT_LT(Clock::system().steady() - begin, milliseconds(15'000));
}

TEST_F(RegistryClient, GoesOnWithABlobThatWasCut) {
  std::string bytes(300'000, ' ');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  const auto blob = blob_of(bytes);
  std::atomic<int> cuts{2};
  fake.set_fault([&](const http::Request&) -> std::optional<http::Response> {
    if (cuts-- <= 0) return std::nullopt;
    http::Response response;
    response.stream = http::Stream::make(1 << 20);
    static_cast<void>(response.stream->try_push(http::make_bytes(bytes.substr(0, 100'000))));
    response.stream->close(true);
    return response;
  });
  std::string got;
  const auto read = client()->stream_blob(
      repository(), blob,
      [&got](std::string_view piece) -> Result<void> {
        got += piece;
        return {};
      },
      soon());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(got, bytes);
}

TEST_F(RegistryClient, PassesOnWhatTheSinkSays) {
  const auto blob = blob_of("some bytes");
  const auto read = client()->stream_blob(
      repository(), blob,
      [](std::string_view) -> Result<void> { return fail(ErrorCode::unavailable, "enough"); }, soon());
  ASSERT_FALSE(read);
  EXPECT_CONTAINS(read.error().message, "enough");
  EXPECT_EQ(fake.take_requests().size(), 1U);
}

TEST_F(RegistryClient, FollowsRedirectsOfBlobsWithoutItsCredentials) {
  const auto blob = blob_of("kept elsewhere");
  FakeRegistry store;
  std::atomic<int> leaked{0};
  store.set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.header("Authorization")) ++leaked;
    return http::Response::text(200, "kept elsewhere");
  });
  fake.set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    if (!request.header("Authorization")) {
      auto response = http::Response::text(401, "");
      response.headers.set("WWW-Authenticate", "Basic realm=\"x\"");
      return response;
    }
    http::Response response;
    response.status = 307;
    response.headers.set("Location", "http://" + store.address() + "/elsewhere/blob");
    return response;
  });
  const TempDirectory folder;
  auto with = options();
  with.auth_file =
      folder.write("auth.json", R"({"auths":{")" + fake.address() + R"(":{"auth":"dXNlcjpwYXNz"}}})");
  const auto read = client(with)->blob(repository(), blob, 100, soon());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, "kept elsewhere");
  EXPECT_EQ(leaked, 0);
}

TEST_F(RegistryClient, SendsBasicCredentialsOnlyWhenAskedAndThenAtOnce) {
  fake.tag("t", release_image("4.0.0"));
  fake.set_fault([](const http::Request& request) -> std::optional<http::Response> {
    if (request.header("Authorization") == "Basic dXNlcjpwYXNz") return std::nullopt;
    auto response = http::Response::text(401, "");
    response.headers.set("WWW-Authenticate", "Basic realm=\"x\"");
    return response;
  });
  const TempDirectory folder;
  auto with = options();
  with.auth_file =
      folder.write("auth.json", R"({"auths":{")" + fake.address() + R"(":{"auth":"dXNlcjpwYXNz"}}})");
  const auto registry = client(with);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon()));
  EXPECT_EQ(fake.take_requests().size(), 4U);

  with.auth_file =
      folder.write("wrong.json", R"({"auths":{")" + fake.address() + R"(":{"auth":"dXNlcjp3cm9uZw=="}}})");
  const auto wrong = client(with)->resolve(repository().with_tag("t"), soon());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::unauthenticated);
  EXPECT_CONTAINS(wrong.error().message, "wrong.json");

  const auto none = client()->resolve(repository().with_tag("t"), soon());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::unauthenticated);
  EXPECT_CONTAINS(none.error().message, "--auth-file");
}

/// A registry that wants tokens from its own /token.
class TokenRegistry : public RegistryClient {
 protected:
  void serve(const std::string& token_reply) {
    fake.tag("t", release_image("4.0.0"));
    fake.set_fault([this, token_reply](const http::Request& request) -> std::optional<http::Response> {
      if (request.path == "/token") {
        if (refuse_tokens) return http::Response::text(401, "no");
        last_query = request.query;
        last_body = request.body;
        last_authorization = request.header("Authorization").value_or("");
        return http::Response::json(200, token_reply);
      }
      if (request.header("Authorization") == "Bearer " + std::string(good_token)) return std::nullopt;
      auto response = http::Response::json(401, R"({"errors":[{"code":"UNAUTHORIZED"}]})");
      response.headers.set("WWW-Authenticate",
                           "Bearer realm=\"http://" + fake.address() +
                               "/token\",service=\"the service\",scope=\"repository:r:pull\"");
      return response;
    });
  }
  std::string good_token = "abc";
  bool refuse_tokens = false;
  std::string last_query, last_body, last_authorization;
  TempDirectory folder;
};

TEST_F(TokenRegistry, FetchesATokenOnceForAll) {
  serve(R"({"token":"abc","expires_in":300})");
  const auto registry = client();
  std::vector<std::jthread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] { good += registry->resolve(repository().with_tag("t"), soon()) ? 1 : 0; });
  }
  threads.clear();
  EXPECT_EQ(good, 6);
  EXPECT_EQ(FakeRegistry::count(fake.take_requests(), "/token"), 1U);
  EXPECT_EQ(last_query, "service=the%20service&scope=repository%3Ar%3Apull");
  EXPECT_EQ(last_authorization, "");
}

TEST_F(TokenRegistry, SendsCredentialsToTheTokenServer) {
  serve(R"({"access_token":"abc"})");
  auto with = options();
  with.auth_file =
      folder.write("auth.json", R"({"auths":{")" + fake.address() + R"(/r":{"auth":"dXNlcjpwYXNz"}}})");
  EXPECT_TRUE(client(with)->resolve(repository().with_tag("t"), soon()));
  EXPECT_EQ(last_authorization, "Basic dXNlcjpwYXNz");
  EXPECT_CONTAINS(last_query, "account=user");
}

TEST_F(TokenRegistry, TradesAnIdentityTokenForOne) {
  serve(R"({"access_token":"abc"})");
  auto with = options();
  with.auth_file =
      folder.write("auth.json", R"({"auths":{")" + fake.address() + R"(":{"identitytoken":"long lived"}}})");
  EXPECT_TRUE(client(with)->resolve(repository().with_tag("t"), soon()));
  EXPECT_CONTAINS(last_body, "grant_type=refresh_token");
  EXPECT_CONTAINS(last_body, "refresh_token=long%20lived");
  EXPECT_EQ(last_authorization, "");
}

TEST_F(TokenRegistry, FetchesANewTokenWhenTheOldOneIsRefused) {
  serve(R"({"token":"abc","expires_in":3600})");
  const auto registry = client();
  EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon()));
  serve(R"({"token":"def","expires_in":3600})");
  good_token = "def";
  EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon()));
  EXPECT_EQ(FakeRegistry::count(fake.take_requests(), "/token"), 2U);
}

TEST_F(TokenRegistry, FetchesANewTokenBeforeTheOldOneExpires) {
  serve(R"({"token":"abc","expires_in":1})");
  const auto registry = client();
  EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon()));
  const auto until = Clock::system().steady() + milliseconds(1000);
  Clock::system().wait_until(until, {});
  fake.take_requests();
  EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon()));
  EXPECT_EQ(FakeRegistry::count(fake.take_requests(), "HEAD"), 1U) << "no request with the expired token";
}

TEST_F(TokenRegistry, SaysWhichEntryWasRefused) {
  serve(R"({"token":"abc"})");
  refuse_tokens = true;
  auto with = options();
  with.auth_file =
      folder.write("auth.json", R"({"auths":{")" + fake.address() + R"(":{"auth":"dXNlcjpwYXNz"}}})");
  const auto refused = client(with)->resolve(repository().with_tag("t"), soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
  EXPECT_CONTAINS(refused.error().message, "auth.json");
  EXPECT_CONTAINS(refused.error().message, "the entry \"" + fake.address() + "\"");
  EXPECT_EQ(refused.error().message.find("pass"), std::string::npos);

  refuse_tokens = false;
  good_token = "another";
  const auto useless = client()->resolve(repository().with_tag("t"), soon());
  ASSERT_FALSE(useless);
  EXPECT_EQ(useless.error().code, ErrorCode::unauthenticated);
}

TEST_F(TokenRegistry, RefusesTokensThatWouldBreakAHeader) {
  for (const std::string reply : {R"({"token":"a\r\nX: y"})", R"({"token":""})", "{}", "x"}) {
    serve(reply);
    EXPECT_FALSE(client()->resolve(repository().with_tag("t"), soon())) << reply;
  }
}

TEST_F(RegistryClient, SaysWhatIsForbiddenAndForWhom) {
  fake.set_fault([](const http::Request&) {
    return std::optional(
        http::Response::json(403, R"({"errors":[{"code":"DENIED","message":"not yours"}]})"));
  });
  const auto tags = client()->tags(repository(), soon());
  ASSERT_FALSE(tags);
  EXPECT_EQ(tags.error().code, ErrorCode::forbidden);
  EXPECT_CONTAINS(tags.error().message, "not yours");
  EXPECT_CONTAINS(tags.error().message, "--auth-file");
}

TEST_F(RegistryClient, SaysHowToAllowPlainHttp) {
  auto with = options();
  with.plain_http = false;
  with.retries = 0;
  const auto tags = client(with)->tags(repository(), soon());
  ASSERT_FALSE(tags);
  EXPECT_EQ(tags.error().code, ErrorCode::unavailable);
  EXPECT_CONTAINS(tags.error().message, "--registry-plain-http");
}

TEST_F(RegistryClient, SaysHowToTrustACa) {
  const TempDirectory folder;
  const auto key = (folder / "key.pem").string(), certificate = (folder / "certificate.pem").string();
  ASSERT_EQ(
      std::system(
          ("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test "
           "-addext subjectAltName=IP:127.0.0.1 -keyout " +
           key + " -out " + certificate + " >/dev/null 2>&1")
              .c_str()),
      0);
  FakeRegistry secure(http::TlsServerOptions{.certificate_file = certificate, .key_file = key});
  secure.tag("t", release_image("4.0.0"));
  const Reference reference{secure.address(), "r", "t", ""};
  auto with = options();
  with.plain_http = false;
  with.retries = 0;
  const auto unknown = client(with)->resolve(reference, soon());
  ASSERT_FALSE(unknown);
  EXPECT_CONTAINS(unknown.error().message, "--ca-file");
  with.ca_files = {certificate};
  const auto trusted = client(with)->resolve(reference, soon());
  EXPECT_TRUE(trusted) << trusted.error().message;
}

TEST_F(RegistryClient, EndsAtTheDeadlineAndWhenStopped) {
  std::stop_source stop;
  fake.set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    Clock::system().wait_until(Clock::system().steady() + milliseconds(3000), request.cancelled);
    return http::Response::text(503, "late");
  });
  const auto late = client()->tags(repository(), soon(milliseconds(100)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded) << late.error().message;

  std::jthread stopper([&] {
    Clock::system().wait_until(Clock::system().steady() + milliseconds(50), {});
    stop.request_stop();
  });
  const auto stopped =
      client()->tags(repository(), {Clock::system().steady() + milliseconds(20'000), stop.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled) << stopped.error().message;
}

TEST_F(RegistryClient, KeepsToItsConcurrency) {
  fake.tag("t", release_image("4.0.0"));
  std::atomic<int> now{0}, most{0};
  fake.set_fault([&](const http::Request&) -> std::optional<http::Response> {
    const int running = ++now;
    for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {
    }
    Clock::system().wait_until(Clock::system().steady() + milliseconds(20), {});
    --now;
    return std::nullopt;
  });
  auto with = options();
  with.concurrency = 2;
  const auto registry = client(with);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon())); });
  }
  threads.clear();
  EXPECT_LE(most, 2);
}

TEST(RetrySchedule, DoublesAndLeavesToChanceBetweenHalfAndAll) {
  const BackoffSchedule schedule = retry_schedule(milliseconds(500));
  EXPECT_EQ(schedule.pause(1, 1), milliseconds(500));
  EXPECT_EQ(schedule.pause(1, 0), milliseconds(250));
  EXPECT_EQ(schedule.pause(3, 1), milliseconds(2000));
  EXPECT_EQ(schedule.pause(51, 1), milliseconds(30'000));
  EXPECT_EQ(schedule.pause(51, 0), milliseconds(15'000));
}

}  // namespace
}  // namespace fairway::oci
