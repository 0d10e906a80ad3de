// SPDX-License-Identifier: Apache-2.0

// Each file of tests/gateway/translation_faults with a running controller and a real Envoy: the conditions
// are those that `check` says, the answers are those of the file, and 20 good routes beside it go on
// changing, also after a restart of Envoy and of the controller.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "gateway/check.h"
#include "support/gateway_fault.h"
#include "support/gateway_rig.h"
#include "support/taken_port.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using k8s::View;
using testing::ask;
using testing::eventually;
using testing::GatewayFault;

const std::filesystem::path folder = FAIRWAY_SOURCE_DIR "/tests/gateway/translation_faults";
constexpr int good_routes = 20;

/// Returns the conditions in the order of their types, each as "Accepted=True Accepted".
std::string text_of(const View& owner) {
  std::vector<std::string> lines;
  for (const k8s::Condition& one : owner.items<k8s::Condition>("conditions")) {
    lines.push_back(testing::text_of(one));
  }
  std::ranges::sort(lines);
  return join(lines, ", ");
}

/// Returns all conditions of a status, by the part that they are about.
std::map<std::string, std::string> conditions_of_status(const View& status) {
  std::map<std::string, std::string> found{{"itself", text_of(status)}};
  for (const View& one : status.items("listeners"))
    found["listener " + std::string(one.text("name"))] = text_of(one);
  for (const char* list : {"parents", "ancestors"}) {
    for (const View& one : status.items(list)) {
      const char* ref = std::string_view(list) == "parents" ? "parentRef" : "ancestorRef";
      found[json::to_text(one.at(ref).json())] = text_of(one);
    }
  }
  return found;
}

class FaultsTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    for (const char* port : {"8080", "8443", "18080"})
      ports_[port] = std::to_string(testing::free_loopback_port());
    ports_["3001"] = std::to_string(a_->port());
    ports_["3002"] = std::to_string(b_->port());
    rig_ = std::make_unique<testing::GatewayRig>(
        (std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
        testing::envoy_program());
  }

  GatewayFault read(const std::string& name) const {
    return testing::read_gateway_fault(folder, name, ports_);
  }

  void apply_good(int number, const std::string& backend) {
    const std::string name = "good-" + std::to_string(number);
    rig_->apply("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
                ", namespace: shop}, spec: {parentRefs: [{name: web, sectionName: http}], hostnames: [" +
                name + ".example.com], rules: [{backendRefs: [{name: " + backend + ", port: 80}]}]}}");
  }
  std::string ask_good(int number) const {
    return ask(std::stoi(ports_.at("8080")), "good-" + std::to_string(number) + ".example.com").body;
  }
  /// Changes the good routes one after the other, and expects the new answer as soon as the status is
  /// current.
  void expect_changes(const std::string& backend) {
    for (int number = 1; number <= good_routes; ++number) {
      apply_good(number, backend);
      const std::string name = "good-" + std::to_string(number);
      ASSERT_TRUE(rig_->wait_until_current("HTTPRoute", name)) << name << "\n" << rig_->log();
      ASSERT_EQ(ask_good(number), backend) << name << "\n" << rig_->log();
    }
  }
  void expect_good(const std::string& backend) {
    for (int number = 1; number <= good_routes; ++number) {
      ASSERT_TRUE(eventually([&] { return ask_good(number) == backend; }))
          << number << ": " << ask_good(number) << "\n"
          << rig_->log();
    }
  }
  /// Expects the conditions that `check` returns on each object.
  void expect_conditions(const std::vector<SourceText>& sources) {
    const auto checked = check(sources, Clock::system().now(),
                               {.addresses = testing::loopback_addresses, .endpoint_cidrs = "127.0.0.1"});
    ASSERT_TRUE(checked) << checked.error().message;
    for (const View& item : View(checked->list.get_object()).items("items")) {
      const std::string kind(item.text("kind")), name(item.text("metadata.name"));
      const auto want = conditions_of_status(item.at("status"));
      std::map<std::string, std::string> got;
      EXPECT_TRUE(eventually([&] {
        const auto object = rig_->get(kind, name);
        if (object) got = conditions_of_status(object->at("status"));
        return got == want;
      })) << kind
          << " " << name << ": " << ::testing::PrintToString(got) << " instead of "
          << ::testing::PrintToString(want) << "\n"
          << rig_->log();
    }
  }
  void expect_answers(const std::vector<std::string>& answers) {
    for (const std::string& line : answers) {
      const auto words = split(line, ' ');
      ASSERT_GE(words.size(), 4U) << line;
      const int port = std::stoi(ports_.at(std::string(words[0])));
      const auto answer = ask(port, words[1], words[2]);
      EXPECT_EQ(std::to_string(answer.status), words[3]) << line;
      const std::string rest = join({words.begin() + 4, words.end()}, " ");
      EXPECT_NE((answer.head + answer.body).find(rest), std::string::npos) << line << ": " << answer.head;
    }
  }
  void expect_all(const GatewayFault& fault) {
    expect_conditions(fault.sources);
    expect_answers(fault.answers);
  }

  const std::unique_ptr<http::Server> a_ = testing::named_backend("a"), b_ = testing::named_backend("b");
  testing::PortsOfFiles ports_;
  std::unique_ptr<testing::GatewayRig> rig_;
};

TEST_P(FaultsTest, CostNobodyElseAnything) {
  rig_->apply(testing::with_ports(read_file((folder / "good.yaml").string()).value_or(""), ports_));
  for (int number = 1; number <= good_routes; ++number) apply_good(number, "a");
  rig_->start_controller();
  expect_good("a");
  const GatewayFault fault = read(GetParam());
  for (const SourceText& source : fault.sources) rig_->apply(source.text);
  expect_all(fault);
  expect_good("a");
  expect_changes("b");

  rig_->kill_envoy();
  expect_good("b");
  expect_all(fault);
  expect_changes("a");

  rig_->end_controller(SIGTERM);
  rig_->start_controller();
  expect_good("a");
  expect_all(fault);
  expect_changes("b");
}

INSTANTIATE_TEST_SUITE_P(Gateway, FaultsTest, ::testing::ValuesIn(testing::gateway_fault_names(folder)),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

using TakenPortTest = FaultsTest;

/// Tests a fault that no object shows: another process has the port of a listener.
TEST_P(TakenPortTest, CostsNobodyElseAnything) {
  const testing::TakenPort other;
  ports_["18080"] = std::to_string(other.port());

  const GatewayFault fault = read(GetParam());
  for (const SourceText& source : fault.sources) rig_->apply(source.text);
  for (int number = 1; number <= good_routes; ++number) apply_good(number, "a");
  const auto expect_taken = [&] {
    const auto of_listener = [&](const char* name) -> std::string {
      const auto gateway = rig_->get("Gateway", "web");
      if (!gateway) return "no Gateway";
      for (const View& one : gateway->items("status.listeners")) {
        if (one.text("name") == name) return testing::condition_of(one, "Programmed", gateway->generation());
      }
      return "no listener";
    };
    EXPECT_TRUE(eventually([&] { return of_listener("second") == "False Invalid"; }))
        << of_listener("second");
    EXPECT_TRUE(eventually([&] { return of_listener("http") == "True Programmed"; })) << of_listener("http");
    EXPECT_EQ(rig_->programmed("web"), "False Invalid");
  };
  rig_->start_controller();
  expect_good("a");
  expect_taken();
  expect_changes("b");
  rig_->kill_envoy();
  expect_good("b");
  expect_taken();
  expect_changes("a");
  rig_->end_controller(SIGTERM);
  rig_->start_controller();
  expect_good("a");
  expect_taken();
  expect_changes("b");
}

INSTANTIATE_TEST_SUITE_P(Gateway, TakenPortTest, ::testing::Values("ports-ten-thousand-apart"),
                         [](const auto&) { return std::string("second_listener"); });

}  // namespace
}  // namespace fairway::gateway
