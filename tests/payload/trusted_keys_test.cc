// SPDX-License-Identifier: Apache-2.0

#include "payload/trusted_keys.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "payload/manifests.h"

namespace fairway::payload {
namespace {

constexpr const char* place = "the ConfigMap a/keys";

/// Returns "names of keys; stores", or the error.
std::string outcome(const Result<TrustedKeys>& keys) {
  if (!keys) return keys.error().message;
  std::string text;
  for (const oci::PublicKey& key : keys->keys) text += key.name + "=" + key.bytes + " ";
  for (const std::string& store : keys->stores) text += "; " + store;
  return text;
}

std::string read(const std::string& config_map) {
  const auto document = json::parse(config_map);
  return outcome(read_trusted_keys(k8s::View(document.value().get_object()), place));
}

TEST(TrustedKeys, AreReadOfAConfigMap) {
  EXPECT_EQ(
      read(R"({"data":{"verifier-public-key-a":"A","store-a":" https://example.com/s \n","note":"x"}})"),
      "the ConfigMap a/keys, verifier-public-key-a=A ; https://example.com/s");
  EXPECT_EQ(read(R"({"data":{"store-a":"http://example.com"},"binaryData":{"verifier-public-key-b":")" +
                 base64_encode("\x99 binary") + R"("}})"),
            "the ConfigMap a/keys, verifier-public-key-b=\x99 "
            "binary ; http://example.com");
}

TEST(TrustedKeys, AreNeverFewerWithoutAnError) {
  struct Row {
    std::string config_map, error;
  };
  const std::string begin = "reading the keys of releases in the ConfigMap a/keys: ";
  for (const auto& [config_map, error] : std::vector<Row>{
           {"{}", "there is no verifier-public-key-NAME"},
           {R"({"data":null})", "there is no verifier-public-key-NAME"},
           {R"({"data":{"verifier-public-kay-a":"A"}})", "there is no verifier-public-key-NAME"},
           {R"({"data":[]})", "data is no object"},
           {R"({"data":{"verifier-public-key-a":"A","verifier-public-key-b":1}})",
            "verifier-public-key-b is no text"},
           {R"({"binaryData":{"verifier-public-key-a":"%"}})", "verifier-public-key-a is no base64"},
           {R"({"data":{"verifier-public-key-a":"A","store-a":"file:///etc"}})",
            "store-a is no signature store"},
           {R"({"data":{"verifier-public-key-a":"A","store-a":"example.com"}})",
            "store-a is no signature store"}}) {
    EXPECT_TRUE(read(config_map).starts_with(begin + error)) << config_map << "\n" << read(config_map);
  }
}

TEST(TrustedKeys, OfAReleaseAreInTheConfigMapsThatAreMarkedAndForThisCluster) {
  const auto of = [](const std::string& annotations, const std::string& data,
                     const char* kind = "ConfigMap") {
    return std::string("apiVersion: v1\nkind: ") + kind +
           "\nmetadata: {name: keys, namespace: a, annotations: {" + annotations + "}}\ndata: {" + data +
           "}\n";
  };
  const std::string mark = "release.openshift.io/verification-config-map: ''",
                    key = "verifier-public-key-a: A";
  struct Row {
    std::string manifest, outcome;
  };
  for (const auto& [manifest, expected] :
       std::vector<Row>{{of(mark, key),
                         "the release 4.7.4, 0000_90_k.yaml, document 1 (line 1), verifier-public-key-a=A "},
                        {of("", key), ""},
                        {of(mark, key, "Secret"), ""},
                        {of(mark + ", release.openshift.io/delete: 'true'", key), ""},
                        {of(mark + ", include.release.openshift.io/other: 'true'", key), ""},
                        {of(mark, "other: A"),
                         "reading the keys of releases in the release 4.7.4, 0000_90_k.yaml, document "
                         "1 (line 1): there is no verifier-public-key-NAME; put an OpenPGP public key "
                         "there"}}) {
    const auto manifests = read_manifests({{"0000_90_k.yaml", manifest}});
    ASSERT_TRUE(manifests) << manifests.error().message;
    EXPECT_EQ(outcome(keys_of_release(*manifests, {}, "4.7.4")), expected) << manifest;
  }
}

}  // namespace
}  // namespace fairway::payload
