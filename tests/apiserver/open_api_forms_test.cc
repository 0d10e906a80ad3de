// SPDX-License-Identifier: Apache-2.0

// The forms of OpenAPI documents over HTTP: media types, hashes, times and compression.
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/rest/open_api_form.h"
#include "apiserver/raw_client.h"
#include "base/http_date.h"
#include "base/protobuf_wire.h"
#include "http/message.h"
#include "support/table.h"

namespace fairway::apiserver::testing {
namespace {

constexpr const char* v2 = "/openapi/v2";
constexpr const char* apps = "/openapi/v3/apis/apps/v1";
const std::string protobuf_v2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const std::string protobuf_v3 = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

/// Returns the values of a field of bytes in a message.
std::vector<std::string_view> values_of(std::string_view message, std::uint32_t number) {
  std::vector<std::string_view> values;
  wire::Reader reader(message);
  while (!reader.at_end()) {
    const auto entry = reader.next();
    if (!entry) throw std::runtime_error(std::string(reader.problem()));
    if (entry->number == number && entry->type == wire::Type::bytes) values.push_back(entry->bytes);
  }
  return values;
}

class OpenApiForms : public OnServer {
 protected:
  http::Reply ask(const std::string& path, http::Headers headers = {}) const {
    return raw.send("GET", path, std::move(headers));
  }
  http::Reply ask_as(const std::string& path, const std::string& accept) const {
    return ask(path, {{"Accept", accept}});
  }
  static std::string header(const http::Reply& reply, std::string_view name) {
    return std::string(reply.headers.find(name).value_or(""));
  }

  RawClient raw{*server, &server->admin()};
};

TEST(OpenApiForm, IsChosenAsKubeApiserverChooses) {
  const auto shown = [](std::string_view accept, openapi::Dialect dialect) -> std::string {
    const auto form = rest::choose_open_api_form(accept, dialect);
    return !form ? "406" : form == rest::OpenApiForm::json ? "json" : "protobuf";
  };
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/open_api_accepts.tsv")) {
    EXPECT_EQ(shown(row.at(0), openapi::Dialect::v2), row.at(1)) << "line " << row.line << ", version 2";
    EXPECT_EQ(shown(row.at(0), openapi::Dialect::v3), row.at(2)) << "line " << row.line << ", version 3";
  }
}

TEST_F(OpenApiForms, OfVersion2HaveEverythingInProtobuf) {
  for (const char* accept : {"application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
                             "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}) {
    const http::Reply reply = ask_as(v2, accept);
    ASSERT_EQ(reply.status, 200);
    EXPECT_EQ(header(reply, "Content-Type"), protobuf_v2);
    EXPECT_EQ(values_of(reply.body, 1), std::vector<std::string_view>{"2.0"});
    const auto definitions = values_of(reply.body, 9);
    ASSERT_EQ(definitions.size(), 1U);
    const auto document = parsed(ask_as(v2, "application/json").body);
    EXPECT_EQ(values_of(definitions[0], 1).size(), document.at("definitions").as_object().size());
  }
}

TEST_F(OpenApiForms, OfVersion3AreOfTheirGroupVersion) {
  const http::Reply reply = ask_as(apps, "application/com.github.proto-openapi.spec.v3@v1.0+protobuf");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(header(reply, "Content-Type"), protobuf_v3);
  EXPECT_EQ(values_of(reply.body, 1), std::vector<std::string_view>{"3.0.0"});
  const auto components = values_of(reply.body, 5);
  ASSERT_EQ(components.size(), 1U);
  const auto schemas = values_of(components[0], 1);
  ASSERT_EQ(schemas.size(), 1U);
  const auto document = parsed(ask_as(apps, "application/json").body);
  EXPECT_EQ(values_of(schemas[0], 1).size(), document.at("components").at("schemas").as_object().size());
}

TEST_F(OpenApiForms, ShareTheirHashAndTime) {
  for (const char* path : {v2, apps}) {
    const std::string media_type = path == v2 ? protobuf_v2 : protobuf_v3;
    const http::Reply json = ask(path), protobuf = ask_as(path, media_type);
    EXPECT_NE(header(json, "ETag"), "");
    EXPECT_EQ(header(json, "ETag"), header(protobuf, "ETag"));
    EXPECT_TRUE(parse_http_date(header(json, "Last-Modified"))) << header(json, "Last-Modified");
    EXPECT_EQ(header(json, "Last-Modified"), header(protobuf, "Last-Modified"));
    EXPECT_EQ(header(json, "Cache-Control"), "no-cache, private");
    const std::string time = header(json, "Last-Modified");
    const http::Reply same = ask(path, {{"Accept", media_type}, {"If-None-Match", header(json, "ETag")}});
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(header(same, "ETag"), header(json, "ETag"));
    EXPECT_EQ(ask(path, {{"If-None-Match", "\"x\""}, {"If-Modified-Since", time}}).status, 200);
    EXPECT_EQ(ask(path, {{"If-Modified-Since", time}}).status, 304);
    EXPECT_EQ(ask(path, {{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}).status, 200);
  }
}

TEST_F(OpenApiForms, AreCompressedInVersion2) {
  const http::Reply plain = ask(v2), packed = ask(v2, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(plain.headers.find_all("Vary"), (std::vector<std::string_view>{"Accept-Encoding", "Accept"}));
  EXPECT_EQ(header(plain, "Content-Encoding"), "");
  EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
  const http::Reply of_group = ask(apps, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(of_group.headers.find_all("Vary"), std::vector<std::string_view>{"Accept"});
  EXPECT_EQ(header(of_group, "Content-Encoding"), "");
}

TEST_F(OpenApiForms, UnderTheirHashAreCachedForAYear) {
  const std::string tag = header(ask(apps), "ETag"), hash = tag.substr(1, tag.size() - 2);
  const http::Reply hit = ask_as(std::string(apps) + "?hash=" + hash, protobuf_v3);
  EXPECT_EQ(hit.status, 200);
  EXPECT_EQ(header(hit, "Cache-Control"), "public, immutable");
  const auto expires = parse_http_date(header(hit, "Expires"));
  ASSERT_TRUE(expires) << header(hit, "Expires");
  EXPECT_GT(*expires, Clock::system().now() + std::chrono::days(360));
  const http::Reply miss = ask(std::string(apps) + "?hash=old");
  EXPECT_EQ(miss.status, 301);
  EXPECT_EQ(header(miss, "Location"), std::string(apps) + "?hash=" + hash);
}

TEST_F(OpenApiForms, ThatThereAreNotAreRefusedWithoutABody) {
  for (const char* path : {v2, apps}) {
    const http::Reply reply = ask_as(path, "application/yaml");
    EXPECT_EQ(reply.status, 406);
    EXPECT_EQ(reply.body, "");
  }
  // The index is in JSON only. Clients ask for it with whatever they take of resources.
  const http::Reply index = ask_as("/openapi/v3", "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(header(index, "Content-Type"), "text/plain; charset=utf-8");
  EXPECT_NE(json::find(parsed(index.body), "paths"), nullptr);
}

}  // namespace
}  // namespace fairway::apiserver::testing
