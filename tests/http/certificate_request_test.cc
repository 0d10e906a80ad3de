// SPDX-License-Identifier: Apache-2.0

// Requests for certificates, made with openssl: `openssl req -new -subj /O=system:masters/CN=somebody`.
#include "http/certificate_request.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"

namespace fairway::http {
namespace {

std::string file(const std::string& name) {
  return read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/" + name).value();
}

TEST(CertificateRequest, NamesTheUserAndTheGroups) {
  const auto read = read_certificate_request(file("request-of-masters.pem"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->common_name, "somebody");
  EXPECT_EQ(read->organizations, std::vector<std::string>{"system:masters"});
}

TEST(CertificateRequest, HasNoGroupsWhereItSaysNone) {
  const auto read = read_certificate_request(file("request.pem"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->common_name, "somebody");
  EXPECT_TRUE(read->organizations.empty());
}

TEST(CertificateRequest, IsRefusedWhereItIsNone) {
  const std::string whole = file("request.pem");
  for (const std::string& text : {std::string(), std::string("text"), whole.substr(0, whole.size() / 2)}) {
    const auto read = read_certificate_request(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid);
  }
}

TEST(CertificateRequest, IsOneBlockSoThatNoReaderTakesAnother) {
  const std::string harmless = file("request.pem"), masters = file("request-of-masters.pem");
  std::string hidden = harmless, other_type = harmless;
  hidden.insert(hidden.find('\n'), "\x01");
  for (std::size_t at = 0; (at = other_type.find("CERTIFICATE REQUEST", at)) != std::string::npos; at += 23)
    other_type.insert(at, "NEW ");
  for (const std::string& text :
       {harmless + masters, hidden + masters, "text\n" + harmless, harmless + "text\n", other_type}) {
    EXPECT_FALSE(read_certificate_request(text)) << text;
  }
  EXPECT_TRUE(read_certificate_request("\n" + harmless + "\n\n"));
}

TEST(CertificateRequest, IsRefusedWhereAnotherKeySignedIt) {
  std::string forged = file("request.pem");
  char& digit = forged[forged.rfind("-----END") - 8];
  digit = digit == 'A' ? 'B' : 'A';
  const auto read = read_certificate_request(forged);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::invalid);
}

}  // namespace
}  // namespace fairway::http
