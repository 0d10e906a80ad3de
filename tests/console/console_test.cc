// SPDX-License-Identifier: Apache-2.0

// The console as a server on loopback serves it.
#include "console/console.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/digest.h"
#include "base/text.h"
#include "console/internal/assets.h"
#include "http/compress.h"
#include "http/raw_client.h"

namespace fairway::console {
namespace {

struct Reply {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< headers by their names in lower case
  std::string body;
};

class Console : public ::testing::Test {
 protected:
  void start(Options options = {.api_prefix = "/api/upgrades_info", .version = "1.2.3"}) {
    http::Router router;
    const auto added = add_routes(router, std::move(options));
    ASSERT_TRUE(added) << added.error().message;
    auto started = http::Server::start({.listen = "127.0.0.1:0"}, std::move(router));
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }

  Reply get(const std::string& target, const std::string& more = "", const std::string& host = "127.0.0.1",
            const std::string& method = "GET") const {
    http::RawClient client(server->port());
    client.send(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + more +
                "\r\n");
    const std::string raw = client.read_to_end();
    Reply reply;
    const std::size_t end = raw.find("\r\n\r\n");
    if (end == std::string::npos) return reply;
    reply.status = static_cast<int>(std::strtol(raw.c_str() + 9, nullptr, 10));
    reply.body = raw.substr(end + 4);
    for (const std::string_view line : split(std::string_view(raw).substr(0, end), '\n')) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string_view::npos)
        reply.headers[to_lower(line.substr(0, colon))] = std::string(trim(line.substr(colon + 2)));
    }
    return reply;
  }

  static void expect_safe(const Reply& reply, const std::string& what) {
    const auto header = [&](const char* name) {
      const auto found = reply.headers.find(name);
      return found == reply.headers.end() ? std::string() : found->second;
    };
    const std::string policy = header("content-security-policy");
    EXPECT_EQ(policy.find("unsafe-"), std::string::npos) << what;
    for (const char* part :
         {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"})
      EXPECT_NE(policy.find(part), std::string::npos) << what << " " << part;
    EXPECT_EQ(header("x-content-type-options"), "nosniff") << what;
    EXPECT_EQ(header("referrer-policy"), "no-referrer") << what;
    for (const auto& [name, value] : reply.headers) {
      EXPECT_FALSE(name.starts_with("access-control-")) << what << " " << name;
      EXPECT_NE(name, "set-cookie") << what;
    }
  }

  std::unique_ptr<http::Server> server;
};

/// Tests of what is served, where the build has it.
class BuiltConsole : public Console {
 protected:
  void SetUp() override {
    if (!is_built_in()) GTEST_SKIP() << "this build has no console: Node.js was missing";
    start();
  }
};

TEST_F(BuiltConsole, SaysWhichPartOfFairwayItIsOf) {
  EXPECT_NE(get("/console/").body.find(R"(name="fairway-part" content="service")"), std::string::npos);
  start({.part = Part::cluster, .version = "1.2.3"});
  const std::string page = get("/console/").body;
  EXPECT_NE(page.find(R"(name="fairway-part" content="cluster")"), std::string::npos) << page;
  EXPECT_NE(page.find(R"(name="fairway-api" content="..")"), std::string::npos) << page;
}

TEST_F(BuiltConsole, ServesItsPageAndLeadsToIt) {
  const Reply page = get("/console/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.at("cache-control"), "no-cache");
  EXPECT_NE(page.body.find(R"(content="../api/upgrades_info")"), std::string::npos) << page.body;
  EXPECT_NE(page.body.find(R"(content="1.2.3")"), std::string::npos) << page.body;
  EXPECT_EQ(page.body.find("{{"), std::string::npos) << page.body;
  expect_safe(page, "page");
  EXPECT_EQ(get("/console/index.html").body, page.body);
  const Reply moved = get("/console");
  EXPECT_EQ(moved.status, 308);
  EXPECT_EQ(moved.headers.at("location"), "console/");
  expect_safe(moved, "moved");
  const Reply head = get("/console/", "", "127.0.0.1", "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.headers.at("etag"), page.headers.at("etag"));
}

TEST_F(BuiltConsole, ServesEachFileUnderANameForEver) {
  const std::string page = get("/console/").body;
  for (const Asset& asset : embedded_assets()) {
    if (asset.path == "index.html") continue;
    const std::string path = "/console/" + std::string(asset.path);
    EXPECT_NE(page.find(asset.path), std::string::npos) << "the page does not name " << path;
    const Reply plain = get(path), packed = get(path, "Accept-Encoding: br, gzip\r\n");
    EXPECT_EQ(plain.status, 200) << path;
    EXPECT_EQ(plain.headers.at("content-type"), asset.media_type);
    EXPECT_EQ(plain.headers.at("cache-control"), "public, max-age=31536000, immutable");
    EXPECT_EQ(plain.headers.count("content-encoding"), 0U);
    EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
    EXPECT_EQ(http::gunzip(packed.body).value(), plain.body);
    EXPECT_EQ(sha256_hex(plain.body).substr(0, 32), asset.hash);
    EXPECT_NE(plain.headers.at("etag"), packed.headers.at("etag"));
    for (const Reply* reply : {&plain, &packed}) {
      expect_safe(*reply, path);
      EXPECT_EQ(reply->headers.at("vary"), "Accept-Encoding");
      const std::string more = reply == &packed ? "Accept-Encoding: gzip\r\n" : "";
      const Reply known = get(path, more + "If-None-Match: " + reply->headers.at("etag") + "\r\n");
      EXPECT_EQ(known.status, 304) << path;
      EXPECT_EQ(known.body, "");
      expect_safe(known, path + " known");
    }
  }
}

TEST_F(BuiltConsole, CarriesTheLicencesOfWhatItIsMadeOf) {
  const std::string page = get("/console/").body;
  const std::size_t at = page.find("assets/licences-");
  ASSERT_NE(at, std::string::npos) << page;
  const std::string text = get("/console/" + page.substr(at, page.find('"', at) - at)).body;
  EXPECT_NE(text.find("preact"), std::string::npos) << text;
  EXPECT_NE(text.find("Permission is hereby granted"), std::string::npos) << text;
}

TEST_F(BuiltConsole, AsksForNothingElse) {
  std::size_t bytes = 0;
  for (const Asset& asset : embedded_assets()) {
    bytes += asset.gzip.size();
    const std::string text = get("/console/" + std::string(asset.path)).body;
    // Names of namespaces of XML are no addresses, though they look like some.
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 1)) {
      const std::string_view address = std::string_view(text).substr(at + 3, 10);
      EXPECT_TRUE(address.starts_with("www.w3.org")) << asset.path << ": " << address;
    }
    EXPECT_EQ(text.find("@import"), std::string::npos) << asset.path;
    // Of an image or a font; url(#id) is a part of the page.
    for (std::size_t at = text.find("url("); at != std::string::npos; at = text.find("url(", at + 1))
      EXPECT_EQ(text[at + 4], '#') << asset.path << ": " << text.substr(at, 40);
  }
  EXPECT_LT(bytes, 250U * 1024);
}

TEST_F(BuiltConsole, RefusesWhatIsNotThere) {
  for (const char* path : {"/console/x", "/console/assets/", "/console/assets/app.js",
                           "/console/../console/index.html", "/console/assets/..%2findex.html"}) {
    const Reply reply = get(path);
    EXPECT_EQ(reply.status, 404) << path;
    expect_safe(reply, path);
  }
  EXPECT_EQ(get("/console/", "", "127.0.0.1", "POST").status, 405);
  EXPECT_EQ(get("/consoles").status, 404);
}

TEST_F(BuiltConsole, AnswersToItsOwnNamesOnly) {
  start({.hosts = {"updates.example.com"}, .name_advice = "start it with --public-url https://NAME"});
  for (const char* path : {"/console", "/console/"}) {
    const Reply other = get(path, "", "evil.example");
    EXPECT_EQ(other.status, 421) << path;
    EXPECT_NE(other.body.find("--public-url"), std::string::npos) << other.body;
    expect_safe(other, path);
    EXPECT_NE(get(path, "", "updates.example.com:8443").status, 421) << path;
  }
}

TEST_F(BuiltConsole, TakesTheSettingsOfThePageForText) {
  start({.api_prefix = "/\"><script>", .version = "<b>&\""});
  const std::string page = get("/console/").body;
  EXPECT_NE(page.find(R"(content="../&quot;>&lt;script>")"), std::string::npos) << page;
  EXPECT_NE(page.find(R"(content="&lt;b>&amp;&quot;")"), std::string::npos) << page;
}

TEST_F(BuiltConsole, IsSwitchedForEachRequest) {
  bool on = false;
  start({.is_on = [&on] { return on; }});
  const Reply off = get("/console/");
  EXPECT_EQ(off.status, 404);
  EXPECT_NE(off.body.find("--console"), std::string::npos) << off.body;
  expect_safe(off, "off");
  on = true;
  EXPECT_EQ(get("/console/").status, 200);
}

TEST_F(Console, SaysWhereItIsLeftOut) {
  if (is_built_in()) GTEST_SKIP() << "this build has the console";
  start();
  for (const char* path : {"/console", "/console/", "/console/assets/app.js"}) {
    const Reply reply = get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_NE(reply.body.find("Node.js"), std::string::npos) << reply.body;
  }
}

TEST(ConsolePaths, AreThoseBelowConsole) {
  for (const char* path : {"/console", "/console/", "/console/assets/x"}) EXPECT_TRUE(owns(path)) << path;
  for (const char* path : {"/", "/consoles", "/api/console", ""}) EXPECT_FALSE(owns(path)) << path;
}

TEST(Guarded, IsOpenToTheRequestsThatTheConsoleIsOpenTo) {
  bool on = true;
  http::Router router;
  router.immediate(
      "/status", "GET",
      guarded([](const http::Request&) { return http::Response::json(200, "{}"); },
              {.part = Part::cluster, .hosts = {"known.example.com"}, .is_on = [&on] { return on; }}));
  auto server = http::Server::start({.listen = "127.0.0.1:0"}, std::move(router));
  ASSERT_TRUE(server) << server.error().message;
  const auto ask = [&](const std::string& host) {
    http::RawClient client((*server)->port());
    client.send("GET /status HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    return client.read_to_end();
  };
  for (const char* host : {"127.0.0.1", "localhost:8081", "known.example.com"}) {
    const std::string reply = ask(host);
    EXPECT_EQ(http::status_of(reply), 200) << reply;
    EXPECT_NE(reply.find("Cross-Origin-Resource-Policy: same-origin\r\n"), std::string::npos) << reply;
    EXPECT_NE(reply.find("X-Content-Type-Options: nosniff\r\n"), std::string::npos) << reply;
    EXPECT_EQ(reply.find("Access-Control-"), std::string::npos) << reply;
  }
  const std::string other = ask("evil.example");
  EXPECT_EQ(http::status_of(other), 421) << other;
  EXPECT_NE(other.find("use the server's address or localhost\n"), std::string::npos) << other;
  on = false;
  const std::string off = ask("127.0.0.1");
  EXPECT_EQ(http::status_of(off), 404) << off;
  EXPECT_NE(off.find("--console turns it on"), std::string::npos) << off;
}

}  // namespace
}  // namespace fairway::console
