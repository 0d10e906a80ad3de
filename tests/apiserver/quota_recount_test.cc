// SPDX-License-Identifier: Apache-2.0

// When what is used of ResourceQuotas is counted anew, beside writers that never pause.
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "apiserver/definition_case.h"
#include "apiserver/internal/controllers/controllers.h"
#include "apiserver/objects_case.h"
#include "apiserver/server_case.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::eventually;

const k8s::GroupVersionResource quotas{"", "v1", "resourcequotas"}, pods{"", "v1", "pods"};

k8s::Dynamic quota_of(const std::string& hard) {
  return object_of(
      R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q","namespace":"default"},)"
      R"("spec":{"hard":)" +
      hard + "}}");
}

/// Threads that create and delete ConfigMaps in `default` until the test ends.
class Writers {
 public:
  Writers(int count, std::function<void(const std::string& name)> write) : write_(std::move(write)) {
    for (int thread = 0; thread < count; ++thread) {
      threads_.emplace_back([this, thread](const std::stop_token& stop) {
        for (int i = 0; !stop.stop_requested(); ++i) {
          write_("w" + std::to_string(thread) + "-" + std::to_string(i));
          ++written_;
        }
      });
    }
  }
  int written() const { return written_; }

 private:
  std::function<void(const std::string& name)> write_;
  std::atomic<int> written_ = 0;
  std::vector<std::jthread> threads_;
};

class ObjectsWithQuotas : public WithObjects {
 protected:
  ~ObjectsWithQuotas() override { controllers.reset(); }

  std::optional<apiserver::controllers::Controllers> controllers;
};

TEST_F(ObjectsWithQuotas, ChargeAndCountWithoutConflicts) {
  ASSERT_TRUE(objects.create(*find("resourcequotas"), quota_of(R"({"configmaps":"999"})"), {}));
  controllers.emplace(objects, controllers::ControllerOptions{.namespace_defaults = false}, "");
  const auto used = [&] {
    const auto quota = stored("resourcequotas", "q");
    return quota ? std::string(quota->map("status.used").find("configmaps").value_or("-")) : "none";
  };
  ASSERT_TRUE(eventually([&] { return used() == "0"; }));
  make("configmaps", "stays");
  {
    const Writers writers(4, [&](const std::string& name) {
      make("configmaps", name);
      remove("configmaps", name);
    });
    EXPECT_TRUE(eventually([&] { return writers.written() > 400; }));
  }
  EXPECT_EQ(hooked.conflicts(), 0);
  EXPECT_TRUE(eventually([&] { return used() == "1"; })) << used();
}

TEST_F(ObjectsWithQuotas, TakeOtherLimitsBesideWritersThatNeverPause) {
  ASSERT_TRUE(objects.create(*find("resourcequotas"), quota_of(R"({"configmaps":"999"})"), {}));
  controllers.emplace(objects, controllers::ControllerOptions{.namespace_defaults = false}, "");
  const auto has = [&](std::string_view list, std::string_view amount) {
    const auto quota = stored("resourcequotas", "q");
    return quota && quota->map("status." + std::string(list)).find("configmaps") == amount;
  };
  ASSERT_TRUE(eventually([&] { return has("hard", "999"); }));
  std::atomic<int> refused = 0;
  {
    const Writers writers(2, [&](const std::string& name) {
      k8s::Dynamic object;
      object.set("kind", "ConfigMap");
      object.set("apiVersion", "v1");
      object.set_name(name);
      object.set_namespace_name("default");
      if (objects.create(*find("configmaps"), std::move(object), {}))
        remove("configmaps", name);
      else
        ++refused;
    });
    ASSERT_TRUE(eventually([&] { return writers.written() > 20; }));
    // Charges may be faster than all attempts of the one who writes.
    ASSERT_TRUE(eventually([&] {
      return objects
          .update(*find("resourcequotas"),
                  {.key = {"default", "q"},
                   .transform =
                       [](const k8s::Dynamic* current) {
                         k8s::Dynamic changed = *current;
                         changed.set("spec.hard", parsed(R"({"configmaps":"0"})"));
                         return changed;
                       }},
                  {})
          .has_value();
    }));
    EXPECT_TRUE(eventually([&] { return has("hard", "0") && refused > 0; }));
  }
  EXPECT_TRUE(eventually([&] { return has("used", "0"); }));
}

class QuotaCounts : public OnServer {
 protected:
  void limit(const std::string& hard) {
    ASSERT_OK(client->create(quotas, quota_of(hard)));
    ASSERT_TRUE(eventually([&] { return status("hard") == parsed(hard); }));
  }
  json::Value status(const std::string& member) const {
    const auto seen = client->get(quotas, key("q"));
    const json::Value* found = seen ? seen->find("status." + member) : nullptr;
    return found != nullptr ? *found : json::Value();
  }
};

TEST_F(QuotaCounts, BeginWhereADefinitionComesAndComesBack) {
  limit(R"({"count/widgets.example.com":"2"})");
  const DefinitionCase definitions(*server);
  const std::string definition = definition_of(version_of("v1", true, ""));
  const auto make = [&](const std::string& name) {
    return client
        ->create(widgets, object_of(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" +
                                    name + R"(","namespace":"default"}})"))
        .has_value();
  };
  for (int round = 0; round < 2; ++round) {
    definitions.define(definition);
    EXPECT_TRUE(eventually([&] { return make("a"); })) << round;
    // What was counted of the definition before stays until the controllers have seen that it went.
    EXPECT_TRUE(eventually([&] { return status("used") == parsed(R"({"count/widgets.example.com":"1"})"); }))
        << round;
    ASSERT_OK(client->remove(definitions_resource, {"", "widgets.example.com"}));
    ASSERT_TRUE(eventually([&] {
      const auto found = client->get(definitions_resource, {"", "widgets.example.com"});
      return !found && found.error().status.is_failure(k8s::reason::not_found);
    }));
  }
}

class QuotasInTime : public ::testing::Test {
 protected:
  bool has_used(const std::string& used) const {
    const auto seen = client->get(quotas, {"default", "q"});
    return seen && seen->has("status.used") && *seen->find("status.used") == parsed(used);
  }

  FakeClock clock{parse_time("2026-06-01T00:00:00Z").value()};
  std::unique_ptr<EmbeddedServer> server = start_server({.clock = &clock, .namespace_defaults = false});
  std::shared_ptr<kube::Client> client = client_of(*server, {.max_retries = 0});
};

TEST_F(QuotasInTime, LosePodsWhoseTimeToEndHasPassed) {
  ASSERT_OK(client->create(quotas, quota_of(R"({"pods":"5"})")));
  ASSERT_TRUE(eventually([&] { return has_used(R"({"pods":"0"})"); }));
  ASSERT_OK(client->create(
      pods, object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},)"
                      R"("spec":{"nodeName":"n","terminationGracePeriodSeconds":30,"containers":[)"
                      R"({"name":"c","image":"i"}]}})")));
  ASSERT_OK(client->remove(pods, {"default", "p"}));
  ASSERT_TRUE(client->get(pods, {"default", "p"})) << "no kubelet ends it";
  ASSERT_TRUE(has_used(R"({"pods":"1"})"));
  clock.advance(std::chrono::minutes(6));
  EXPECT_TRUE(eventually([&] { return has_used(R"({"pods":"0"})"); }));
}

TEST_F(QuotasInTime, ComeBackWhenSomebodyHasWrittenAnotherCount) {
  ASSERT_OK(client->create(quotas, quota_of(R"({"services":"5"})")));
  ASSERT_TRUE(eventually([&] { return has_used(R"({"services":"1"})"); }));
  auto quota = client->get(quotas, {"default", "q"});
  ASSERT_OK(quota);
  quota->set("status.used", parsed(R"({"services":"0"})"));
  ASSERT_OK(client->replace(quotas, *quota, "status"));
  clock.advance(std::chrono::minutes(6));
  EXPECT_TRUE(eventually([&] { return has_used(R"({"services":"1"})"); }));
}

}  // namespace
}  // namespace fairway::apiserver::testing
