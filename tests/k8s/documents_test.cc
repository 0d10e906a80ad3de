// Files of objects: what kubectl makes of their scalars was seen with kubectl 1.36 (`create
// --dry-run=client`).
#include "k8s/documents.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace fairway::k8s {
namespace {

std::string read(const std::string& text) {
  const auto documents = read_documents(text);
  if (!documents) return "error: " + documents.error().message;
  std::string out;
  for (const Document& document : *documents) {
    if (!out.empty()) out += '\n';
    out += std::to_string(document.line) + ' ' + json::to_text(document.value);
  }
  return out;
}

TEST(Documents, HaveTheScalarsThatKubectlReads) {
  for (const auto& [plain, expected] :
       std::vector<std::pair<std::string, std::string>>{{"017", "15"},
                                                        {"0644", "420"},
                                                        {"0x1F", "31"},
                                                        {"0o17", "15"},
                                                        {"0b101", "5"},
                                                        {"-0x10", "-16"},
                                                        {"+12", "12"},
                                                        {"1_000", "1000"},
                                                        {"08", "8.0"},
                                                        {"1e3", "1000.0"},
                                                        {"1.50", "1.5"},
                                                        {".5", "0.5"},
                                                        {"9223372036854775807", "9223372036854775807"},
                                                        {"-9223372036854775808", "-9223372036854775808"},
                                                        {"18446744073709551615", "18446744073709551615"},
                                                        {"on", "true"},
                                                        {"yes", "true"},
                                                        {"y", "true"},
                                                        {"NO", "false"},
                                                        {"off", "false"},
                                                        {"True", "true"},
                                                        {"yEs", R"("yEs")"},
                                                        {"~", "null"},
                                                        {"2026-11-22", R"("2026-11-22")"},
                                                        {"1.2.3", R"("1.2.3")"},
                                                        {"0x", R"("0x")"},
                                                        {"0xg", R"("0xg")"},
                                                        {"1e999", R"("1e999")"},
                                                        {".inf", R"(".inf")"},
                                                        {"10Gi", R"("10Gi")"},
                                                        {"'017'", R"("017")"},
                                                        {"\"yes\"", R"("yes")"},
                                                        {"!!str 1", R"("1")"}}) {
    EXPECT_EQ(read("a: " + plain + "\n"), "1 {\"a\":" + expected + "}") << plain;
  }
}

TEST(Documents, HaveTheKeysThatKubectlReads) {
  EXPECT_EQ(read("on: 1\n017: 2\n'off': 3\n"), R"(1 {"true":1,"15":2,"off":3})");
  EXPECT_EQ(read("~: 4\n"), "error: line 1: a key must be a text");
  EXPECT_EQ(read("yes: 1\non: 2\n"),
            "error: line 2: 'true' stands here again, and one of them would be lost");
  EXPECT_EQ(read("a: 1\na: 2\n"),
            "error: line 2: 'a' stands here again; it was set at line 1, and one of them would be lost");
  EXPECT_EQ(read("x: &x {a: 1}\ny2:\n  <<: *x\n"),
            "error: line 3: merge keys (<<) are not read: write the fields out, or quote the key");
  EXPECT_EQ(read("'<<': 1\n"), R"(1 {"<<":1})");
}

TEST(Documents, AreYamlOrJson) {
  EXPECT_EQ(read("---\na: 1\n---\n---\nb: [yes]\n"), "2 {\"a\":1}\n5 {\"b\":[true]}");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read(R"({"face":"\ud83d\ude00","del":")" + std::string(1, '\x7f') + "\"}"),
            "1 {\"face\":\"\U0001F600\",\"del\":\"\x7f\"}");
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_EQ(read(deep), "1 " + deep);
  EXPECT_TRUE(read("{\"a\":").starts_with("error: ")) << read("{\"a\":");
  EXPECT_TRUE(read("a: [").starts_with("error: line 2: ")) << read("a: [");
}

}  // namespace
}  // namespace fairway::k8s
