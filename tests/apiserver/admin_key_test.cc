// SPDX-License-Identifier: Apache-2.0

// The administrator's key: of the type that is asked for, and the same one as long as the data.
#include <filesystem>
#include <string>

#include "apiserver/key_type.h"
#include "apiserver/server_case.h"
#include "base/base64.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

/// An RSA key of 2048 bits in PKCS #8 takes some 1,200 bytes in DER, one of P-256 some 140.
bool is_rsa(const std::string& key) {
  return key.size() > 1600;
}

std::string key_in(const std::string& kubeconfig) {
  constexpr std::string_view member = "client-key-data: ";
  const std::size_t at = kubeconfig.find(member) + member.size();
  return base64_decode(kubeconfig.substr(at, kubeconfig.find('\n', at) - at)).value();
}

TEST(AdminKey, IsOfTheTypeThatIsAskedForAndWorks) {
  for (const KeyType type : {KeyType::ec, KeyType::rsa}) {
    const auto server = start_server({.admin_key = type});
    EXPECT_EQ(is_rsa(server->admin().key), type == KeyType::rsa);
    EXPECT_EQ(key_in(server->kubeconfig()), server->admin().key);
    ASSERT_OK(client_of(*server)->list(config_maps, "default"));
  }
}

TEST(AdminKey, OfRsaIsMadeOnceForAFolder) {
  const fairway::testing::TempDirectory folder;
  const auto start = [&](KeyType type) {
    const auto server = start_server({.data = folder.path(), .admin_key = type});
    EXPECT_TRUE(client_of(*server)->list(config_maps, "default"));
    return server->admin();
  };
  const auto first = start(KeyType::rsa), other = start(KeyType::ec), second = start(KeyType::rsa);
  EXPECT_TRUE(is_rsa(first.key));
  EXPECT_FALSE(is_rsa(other.key));
  EXPECT_EQ(second.key, first.key);
  EXPECT_NE(second.certificate, first.certificate);
}

TEST(AdminKey, HasATypeByItsName) {
  EXPECT_EQ(parse_key_type("ec"), KeyType::ec);
  EXPECT_EQ(parse_key_type("rsa"), KeyType::rsa);
  const auto other = parse_key_type("RSA 4096");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "there is no type of keys 'RSA 4096': write rsa or ec");
}

}  // namespace
}  // namespace fairway::apiserver::testing
