// SPDX-License-Identifier: Apache-2.0

// Random objects of all built-in kinds, written by Kubernetes's Go code: what is read of their protobuf must
// be Go's JSON.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/internal/protobuf/request_body.h"
#include "base/base64.h"
#include "base/file.h"
#include "conformance/apiserver/programs.h"
#include "k8s/equality.h"

namespace fairway::apiserver {
namespace {

/// Judges one case: returns the difference, or empty if it passes.
std::string compare(const json::Value& test, std::map<std::string, int>& counts) {
  const std::string what(json::find_string(test, "what").value_or(""));
  const auto body = base64_decode(json::find_string(test, "protobuf").value_or(""));
  if (!body) return "the case cannot be read";
  const auto read = protobuf::read_protobuf(*body);
  const json::Value* expected = json::find(test, "json");
  if (expected == nullptr) {
    ++counts[what + ": refused by Go"];
    if (read) {
      return "Go refuses it: " + std::string(json::find_string(test, "error").value_or("")) + ", " +
             std::string(json::find_string(test, "protobuf").value_or("")) + " " +
             json::to_text(read->document);
    }
    return {};
  }
  const std::string wanted = json::to_text(*expected);
  if (!read) {
    // Text that is not UTF-8 is stored by Go, and written with replacement characters: refused here.
    if (read.error().message.find("UTF-8") != std::string::npos &&
        wanted.find("\xEF\xBF\xBD") != std::string::npos) {
      ++counts[what + ": text that is not UTF-8"];
      return {};
    }
    // Go overlooks some broken tags, and wire types within maps.
    if (what == "changed") {
      ++counts[what + ": refused here only"];
      return {};
    }
    return "refused: " + read.error().message;
  }
  const std::string made = json::to_text(read->document);
  if (made != wanted) return conformance::first_difference(made, wanted);
  ++counts[what + ": equal"];
  const auto written = protobuf::to_message(read->document.get_object(), read->kind);
  if (!written) return written.error().message;
  const auto wanted_bytes = base64_decode(json::find_string(test, "written").value_or(""));
  if (protobuf::enveloped(read->kind, *written) != wanted_bytes) {
    return "its protobuf differs: " + base64_encode(protobuf::enveloped(read->kind, *written));
  }
  ++counts[what + ": written as by Go"];
  return {};
}

TEST(Protobuf, IsReadAsKubernetesReadsIt) {
  auto [counts, differences] = conformance::compare_cases(
      "kinds-random", {std::to_string(conformance::seed()), conformance::everything() ? "200" : "20"},
      {"kind", "what"}, compare);
  EXPECT_EQ(differences, 0);
  EXPECT_GT(counts["random: equal"], 2000);
  EXPECT_GT(counts["random: written as by Go"], 2000);
}

/// The group version of a file's name, such as apps.v1.Deployment.pb or rbac.authorization.k8s.io.v1.Role.pb.
k8s::GroupVersionKind kind_of(const std::string& stem) {
  const std::size_t dot = stem.rfind('.'), before = stem.rfind('.', dot - 1);
  const std::string group = stem.substr(0, before);
  return {group == "core" ? "" : group, stem.substr(before + 1, dot - before - 1), stem.substr(dot + 1)};
}

TEST(Protobuf, OfKubernetesOwnTestDataIsItsJson) {
  const char* folder = std::getenv("FAIRWAY_API_TESTDATA");
  ASSERT_NE(folder, nullptr) << "start this by ./dev conformance apiserver";
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "HEAD")) {
    if (entry.path().extension() != ".pb") continue;
    const k8s::GroupVersionKind kind = kind_of(entry.path().stem());
    if (kinds::Kinds::find(kind) == nullptr) continue;
    const auto read = protobuf::read_protobuf(*read_file(entry.path()));
    ASSERT_TRUE(read) << entry.path() << ": " << read.error().message;
    EXPECT_EQ(read->kind, kind);
    EXPECT_TRUE(read->unknown_fields.empty());
    const auto wanted =
        json::parse(*read_file(std::filesystem::path(entry.path()).replace_extension(".json")));
    ASSERT_TRUE(wanted);
    EXPECT_TRUE(k8s::equal(read->document, *wanted)) << entry.path() << "\n"
                                                     << json::to_pretty_text(read->document);
    ++compared;
  }
  std::printf("%7d files of k8s.io/api/testdata\n", compared);
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace fairway::apiserver
