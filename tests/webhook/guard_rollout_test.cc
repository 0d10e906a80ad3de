// SPDX-License-Identifier: Apache-2.0

// Replicas that need the guard of a kind beside others that do not.
#include <gtest/gtest.h>

#include "base/file.h"
#include "kube/object_shelf.h"
#include "webhook/crd_registration.h"
#include "webhook/internal/registrar.h"

namespace fairway::webhook {
namespace {

using namespace std::chrono_literals;

k8s::CustomResourceDefinition definition() {
  const std::string file = FAIRWAY_SOURCE_DIR "/tests/conversion/data/widgets-crd.yaml";
  return read_definitions(read_file(file).value(), file).value().front();
}

/// One API server, on which time stands still, and replicas of a program.
class GuardRollout : public ::testing::Test {
 protected:
  GuardRollout() {
    k8s::CustomResourceDefinition established = definition();
    for (const char* type : {"NamesAccepted", "Established"}) {
      k8s::Editor condition = established.append("status.conditions");
      condition.set("type", type);
      condition.set("status", "True");
    }
    shelf.put("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.widgets.example.com",
              established);
  }

  /// A replica that quarantines widgets, or not; `effective` is told of the guard.
  std::unique_ptr<Registrar> replica(bool quarantines, bool* effective = nullptr) {
    Conversion conversion;
    conversion.converts = [](std::string_view, std::string_view kind) { return kind == "Widget"; };
    conversion.reaches = [](const k8s::CustomResourceDefinition&) { return Result<void>(); };
    if (quarantines) conversion.guarded = {{"widgets.example.com", "Widget"}};
    conversion.on_guard = [effective](const k8s::GroupKind&, bool now) {
      if (effective != nullptr) *effective = now;
    };
    const auto answer = [](const http::Request&) { return http::Response::json(200, "{}"); };
    std::vector<Handler> handlers{{.path = "/convert", .answer = answer, .conversion = conversion}};
    AdmissionWebhook validating;
    validating.name = "widgets.widgets.example.com";
    validating.group = "widgets.example.com";
    validating.versions = {"v1"};
    validating.resources = {"widgets"};
    handlers.push_back({.path = "/validate", .answer = answer, .webhooks = {validating}});
    if (quarantines) {
      AdmissionWebhook guard = validating;
      guard.name = guard_name(definition());
      guard.versions = {"*"};
      guard.resources = {"widgets", "widgets/status"};
      guard.guards_conversion = true;
      handlers.push_back({.path = "/quarantine", .answer = answer, .webhooks = {guard}});
    }
    auto made = Registrar::create(client, {definition()}, handlers, {.url = "https://127.0.0.1:9"},
                                  Version::parse("1.0.0").value());
    if (!made) throw std::runtime_error(made.error().message);
    if (auto done = (*made)->register_all("", {}); !done) throw std::runtime_error(done.error().message);
    return *std::move(made);
  }
  k8s::Dynamic guard() const { return shelf.get(path); }
  std::string sign() const { return std::string(guard().annotation(guarded_annotation)); }
  bool is_there() const { return !guard().name().empty(); }

  const std::string configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/";
  const std::string path = configurations + "quarantine.widgets.widgets.example.com";
  kube::testing::ObjectShelf shelf;
  FakeClock clock{parse_time("2026-03-01T12:00:00Z").value()};
  const std::shared_ptr<kube::Client> client = shelf.client(clock);
};

TEST_F(GuardRollout, AGuardStaysWhileAReplicaNeedsItWhateverTheOthersRegister) {
  bool effective = false;
  const auto off = replica(false), on = replica(true, &effective);
  for (int second = 0; second < 120; second += 5) {
    const Registrar::Restored without = off->restore({});
    EXPECT_FALSE(without.error) << without.error->message;
    EXPECT_TRUE(without.others_guard);
    ASSERT_FALSE(on->restore({}).error);
    ASSERT_TRUE(is_there()) << second;
    EXPECT_EQ(effective, second > 0) << second;
    const k8s::Dynamic configuration = guard();
    const k8s::View webhook = configuration.items("webhooks").front();
    EXPECT_EQ(webhook.text("clientConfig.url"), "https://127.0.0.1:9/quarantine");
    EXPECT_EQ(webhook.items("rules").front().texts("apiVersions"), std::vector<std::string_view>{"*"});
    // The rules of the validating webhook are the same for both.
    const k8s::Dynamic validating = shelf.get(configurations + "widgets.widgets.example.com");
    const k8s::View other = validating.items("webhooks").front();
    EXPECT_EQ(other.items("rules").front().texts("apiVersions"), std::vector<std::string_view>{"v1"});
    clock.advance(5s);
  }
  // It is renewed every ten seconds.
  EXPECT_GE(sign(), "2026-03-01T12:01:45Z");
  EXPECT_LE(sign(), "2026-03-01T12:01:55Z");
}

TEST_F(GuardRollout, AGuardThatNobodyRenewsIsRemoved) {
  const auto off = replica(false);
  ASSERT_FALSE(off->restore({}).others_guard);
  {
    const auto on = replica(true);
    ASSERT_FALSE(on->restore({}).error);
  }
  EXPECT_EQ(sign(), "2026-03-01T12:00:00Z");
  EXPECT_TRUE(off->restore({}).others_guard);
  clock.advance(59s);
  EXPECT_TRUE(off->restore({}).others_guard);
  EXPECT_TRUE(is_there());
  clock.advance(1s);
  EXPECT_FALSE(off->restore({}).others_guard);
  EXPECT_FALSE(is_there());
}

TEST_F(GuardRollout, AGuardOfSomebodyElseStays) {
  k8s::Dynamic other;
  other.set("apiVersion", "admissionregistration.k8s.io/v1");
  other.set("kind", "ValidatingWebhookConfiguration");
  other.set_name("quarantine.widgets.widgets.example.com");
  shelf.put(path, other);
  const auto off = replica(false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(off->restore({}).others_guard);
    clock.advance(60s);
  }
  EXPECT_TRUE(is_there());
}

TEST_F(GuardRollout, AGuardThatCannotBeRenewedIsNotReliedOnForAsLongAsOthersLeaveIt) {
  bool effective = false;
  const auto off = replica(false), on = replica(true, &effective);
  ASSERT_FALSE(on->restore({}).error);
  shelf.before_write([this](const std::string& written) { return written == path ? 403 : 0; });
  for (int second = 5; second <= 55; second += 5) {
    clock.advance(5s);
    (void)on->restore({});
    EXPECT_EQ(effective, second < 20) << second;
    EXPECT_TRUE(off->restore({}).others_guard);
    EXPECT_TRUE(is_there()) << second;
  }
  shelf.before_write({});
  (void)on->restore({});
  clock.advance(1s);
  (void)on->restore({});
  EXPECT_TRUE(effective);
}

TEST_F(GuardRollout, AGuardIsToldOfAtEachSighting) {
  bool effective = false;
  const auto on = replica(true, &effective);
  ASSERT_FALSE(on->restore({}).error);
  for (int i = 0; i < 3; ++i) {
    clock.advance(5s);
    ASSERT_FALSE(on->restore({}).error);
    // Whoever relies on it counts from then on.
    EXPECT_TRUE(std::exchange(effective, false)) << i;
  }
}

TEST_F(GuardRollout, AReadThatFailsOnceEndsNothing) {
  bool effective = false;
  const auto on = replica(true, &effective);
  ASSERT_FALSE(on->restore({}).error);
  clock.advance(1s);
  ASSERT_FALSE(on->restore({}).error);
  ASSERT_TRUE(effective);
  std::stop_source stopped;
  stopped.request_stop();
  (void)on->restore(stopped.get_token());
  EXPECT_TRUE(effective);
  // What is seen to be wrong does.
  shelf.remove(path);
  (void)on->restore({});
  EXPECT_FALSE(effective);
}

}  // namespace
}  // namespace fairway::webhook
