// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/gateway_metrics.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"

namespace fairway::gateway {
namespace {

using std::chrono_literals::operator""ms;

TEST(GatewayMetrics, CountWhatHappens) {
  metrics::Registry registry;
  GatewayMetrics told(&registry);
  told.passed(true, 20ms);
  told.passed(false, 2ms);
  told.refused(xds::Type::secret);
  told.wrote_status(true);
  told.wrote_status(false);
  const std::string text = registry.text();
  for (const char* line :
       {"fairway_gateway_passes_total{over=\"objects\"} 1",
        "fairway_gateway_passes_total{over=\"answers\"} 1", "fairway_gateway_pass_duration_seconds_count 2",
        "fairway_gateway_xds_refusals_total{type=\"secret\"} 1",
        "fairway_gateway_xds_refusals_total{type=\"route\"} 0",
        "fairway_gateway_status_writes_total{result=\"failed\"} 1", "fairway_gateway_envoys 0"})
    EXPECT_NE(text.find(line), std::string::npos) << line << " in\n" << text;
}

TEST(GatewayMetrics, AreTheOnesThatTheDocumentationLists) {
  metrics::Registry registry;
  const GatewayMetrics told(&registry);
  const auto documentation = read_file(FAIRWAY_SOURCE_DIR "/docs/gateway-operate.md");
  ASSERT_TRUE(documentation);
  const std::string text = registry.text();
  int count = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("# TYPE ")) continue;
    const auto words = split(line, ' ');
    const std::string row = "| `" + std::string(words.at(2)) + "` | " + std::string(words.at(3)) + " |";
    EXPECT_NE(documentation->find(row), std::string::npos) << row;
    ++count;
  }
  EXPECT_EQ(count, 6);
}

TEST(GatewayMetrics, NeedNoRegistry) {
  GatewayMetrics told(nullptr);
  told.passed(true, 1ms);
  told.refused(xds::Type::route);
}

}  // namespace
}  // namespace fairway::gateway
