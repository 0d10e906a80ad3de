// SPDX-License-Identifier: Apache-2.0

// The values of --quarantine.
#include <gtest/gtest.h>

#include "program/internal/kinds.h"

namespace fairway::program {
namespace {

constexpr const char* definitions = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions:
  - {name: v1, served: true, storage: true}
  - {name: v1beta1, served: true, storage: false}
)";

/// Returns whether Gadgets are quarantined with a value of the flag, "yes" or "no", or the error.
std::string quarantined(const std::string& flag, bool by_program) {
  Operator parts;
  parts.name = "tiny";
  parts.definitions = definitions;
  parts.kinds = [&](conversion::Converters& converters) {
    auto& kind = converters.kind("example.com", "Gadget").same("v1beta1", "v1");
    if (by_program) kind.quarantine();
  };
  const auto kinds = kinds_of(parts, flag);
  if (!kinds) return kinds.error().message;
  return kinds->converters->find("example.com", "Gadget")->quarantines() ? "yes" : "no";
}

TEST(QuarantineFlag, SaysWhichKindsAreQuarantined) {
  for (const bool by_program : {false, true}) {
    EXPECT_EQ(quarantined("", by_program), by_program ? "yes" : "no");
    for (const char* all : {"true", "Gadget.example.com", " Gadget.example.com "})
      EXPECT_EQ(quarantined(all, by_program), "yes") << all;
    EXPECT_EQ(quarantined("false", by_program), "no");
  }
}

TEST(QuarantineFlag, HasNoEmptyNames) {
  for (const std::string flag : {",", "Gadget.example.com,", ",Gadget.example.com", " "}) {
    EXPECT_EQ(quarantined(flag, false), "--quarantine '" + flag +
                                            "': a kind is missing before or behind a comma; there are "
                                            "Gadget.example.com");
  }
  for (const std::string word : {"false", "true"}) {
    const std::string flag = word + ",Gadget.example.com";
    EXPECT_EQ(quarantined(flag, false),
              "--quarantine '" + flag + "': " + word + " stands alone; leave it out, or the kinds beside it");
  }
  EXPECT_EQ(quarantined("Gizmo.example.com", false),
            "--quarantine Gizmo.example.com: there is no such kind; there are Gadget.example.com");
}

}  // namespace
}  // namespace fairway::program
