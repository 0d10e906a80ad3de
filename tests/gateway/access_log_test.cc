// SPDX-License-Identifier: Apache-2.0

// Access logs: each field that may be asked for has a command of Envoy.
#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "gateway/internal/model/access_log.h"
#include "gateway/internal/translation/envoy_access_log.h"

namespace fairway::gateway {
namespace {

TEST(AccessLogs, HaveACommandForEachFieldThatMayBeAskedFor) {
  for (const std::string& field : access_log_fields()) {
    const std::string log = json::to_text(envoy_access_log({.path = "", .fields = {field}}));
    EXPECT_NE(log.find("\"json_format\":{\"" + field + "\":\"%"), std::string::npos) << log;
  }
  const std::string all = json::to_text(envoy_access_log({.path = "", .fields = access_log_fields()}));
  EXPECT_EQ(all.find("null"), std::string::npos) << all;
}

}  // namespace
}  // namespace fairway::gateway
