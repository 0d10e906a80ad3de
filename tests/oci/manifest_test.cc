// SPDX-License-Identifier: Apache-2.0

#include "oci/manifest.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::oci {
namespace {

const std::string digest_a = "sha256:" + std::string(64, 'a');
const std::string digest_b = "sha256:" + std::string(64, 'b');

std::string descriptor(const std::string& digest, const std::string& more = "") {
  return R"({"mediaType":"x","digest":")" + digest + R"(","size":12)" + more + "}";
}

std::string entry(const std::string& digest, const std::string& os, const std::string& architecture) {
  return descriptor(digest, R"(,"platform":{"os":")" + os + R"(","architecture":")" + architecture + R"("})");
}

std::string image(const std::string& more = "") {
  return R"({"schemaVersion":2,"config":)" + descriptor(digest_a) + R"(,"layers":[)" + descriptor(digest_b) +
         "]" + more + "}";
}

std::string index(const std::string& entries) {
  return R"({"schemaVersion":2,"manifests":[)" + entries + "]}";
}

TEST(Manifest, ReadsImagesOfBothKinds) {
  for (const auto* type : {media_type::docker_manifest, media_type::oci_manifest}) {
    const auto manifest = parse_manifest(image(), type);
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_FALSE(manifest->is_index());
    EXPECT_EQ(manifest->config.digest, digest_a);
    ASSERT_EQ(manifest->layers.size(), 1U);
    EXPECT_EQ(manifest->layers[0].size, 12U);
  }
  EXPECT_EQ(parse_manifest(image(), "")->media_type, media_type::oci_manifest);
  EXPECT_EQ(parse_manifest(image(), "application/json")->media_type, media_type::oci_manifest);
  EXPECT_EQ(parse_manifest(image(), std::string(media_type::docker_manifest) + "; charset=utf-8")->media_type,
            media_type::docker_manifest);
}

TEST(Manifest, ReadsIndexesOfBothKinds) {
  for (const auto* type : {media_type::docker_list, media_type::oci_index}) {
    const auto manifest = parse_manifest(index(entry(digest_a, "linux", "arm64")), type);
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_TRUE(manifest->is_index());
    EXPECT_EQ(manifest->manifests.at(0).platform, (Platform{"arm64", "linux"}));
  }
  EXPECT_TRUE(parse_manifest(index(""), media_type::oci_index)->is_index());
}

TEST(Manifest, CountsArchitecturesWithoutAttestations) {
  const auto manifest =
      parse_manifest(index(entry(digest_a, "linux", "arm64") + "," + entry(digest_b, "unknown", "unknown") +
                           "," + entry(digest_b, "linux", "amd64")),
                     media_type::oci_index);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(architectures(*manifest), (std::set<std::string>{"amd64", "arm64"}));
  EXPECT_EQ(representative(*manifest)->digest, digest_b);

  const auto attested =
      parse_manifest(index(entry(digest_b, "unknown", "unknown") + "," + entry(digest_a, "linux", "s390x")),
                     media_type::oci_index);
  ASSERT_TRUE(attested);
  EXPECT_EQ(architectures(*attested), std::set<std::string>{"s390x"});
  EXPECT_EQ(representative(*attested)->digest, digest_a);
  EXPECT_EQ(representative(*parse_manifest(index(""), "")), nullptr);
}

TEST(Manifest, RefusesWhatIsNotUnderstood) {
  struct Case {
    std::string text, type;
    ErrorCode code;
  };
  const Case cases[] = {
      {"", "", ErrorCode::invalid},
      {"[]", "", ErrorCode::invalid},
      {"{", "", ErrorCode::invalid},
      {R"({"schemaVersion":2})", "", ErrorCode::invalid},
      {R"({"schemaVersion":1,"fsLayers":[]})", "", ErrorCode::unsupported},
      {"{}", "application/vnd.docker.distribution.manifest.v1+prettyjws", ErrorCode::unsupported},
      {image(R"(,"mediaType":"application/x")"), "", ErrorCode::unsupported},
      {image(R"(,"mediaType":7)"), "", ErrorCode::invalid},
      {image(R"(,"manifests":[])"), "", ErrorCode::invalid},
      {image(R"(,"mediaType":"application/vnd.oci.image.index.v1+json")"), media_type::oci_manifest,
       ErrorCode::invalid},
      {image(), media_type::oci_index, ErrorCode::invalid},
      {index(""), media_type::oci_manifest, ErrorCode::invalid},
      {index(R"({"digest":"sha256:abc","size":1})"), "", ErrorCode::invalid},
      {index(R"({"digest":"sha512:abc","size":1})"), "", ErrorCode::unsupported},
      {index(R"({"digest":")" + digest_a + R"(","size":-1})"), "", ErrorCode::invalid},
      {index(R"({"digest":")" + digest_a + R"("})"), "", ErrorCode::invalid},
      {index("7"), "", ErrorCode::invalid},
      // A key twice: other readers take the other one.
      {image(R"(,"schemaVersion":2)"), "", ErrorCode::invalid},
      {index(R"({"digest":")" + digest_a + R"(","size":1,"size":2})"), "", ErrorCode::invalid},
      {std::string(max_manifest_bytes + 1, ' '), "", ErrorCode::too_large},
  };
  for (const auto& c : cases) {
    const auto manifest = parse_manifest(c.text, c.type);
    ASSERT_FALSE(manifest) << c.text.substr(0, 200);
    EXPECT_EQ(manifest.error().code, c.code) << c.text.substr(0, 200) << ": " << manifest.error().message;
  }
}

TEST(Config, NamesTheArchitecture) {
  EXPECT_EQ(parse_config(R"({"architecture":"ppc64le","os":"linux"})").value(),
            (Platform{"ppc64le", "linux"}));
  for (const char* text : {"", "[]", "{}", R"({"architecture":""})", R"({"architecture":7})",
                           R"({"architecture":"amd64","architecture":"arm64"})"}) {
    EXPECT_FALSE(parse_config(text)) << text;
  }
}

}  // namespace
}  // namespace fairway::oci
