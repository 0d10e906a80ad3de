// SPDX-License-Identifier: Apache-2.0

// Reading and writing objects of a real API server.
#include <csignal>
#include <set>

#include "conformance/kube/on_cluster.h"
#include "kube/client/api.h"
#include "kube/client/conflict.h"
#include "kube/client/pages.h"

namespace fairway::conformance {
namespace {

const k8s::GroupVersionResource events{"", "v1", "events"};
const k8s::GroupVersionResource widgets{"widgets.example.com", "v1", "widgets"};

class Objects : public OnCluster {
 protected:
  void make_config_maps(int count, const std::string& label = "x") {
    for (int i = 0; i < count; ++i) {
      k8s::ConfigMap one = config_map("c-" + std::to_string(1000 + i));
      one.set_label("set", label);
      ASSERT_OK(client->create(config_maps, one));
    }
  }
  kube::ListOptions in_pages_of(std::int64_t limit) const {
    kube::ListOptions options;
    options.limit = limit;
    return options;
  }
};

TEST_F(Objects, AreListedPageByPage) {
  make_config_maps(25);
  kube::ListOptions options = in_pages_of(10);
  options.fields = k8s::FieldSelector::parse("metadata.name!=kube-root-ca.crt").value();
  const auto first = client->list(config_maps, namespace_name, options);
  ASSERT_OK(first);
  EXPECT_EQ(first->items.size(), 10U);
  EXPECT_FALSE(first->continue_token.empty());
  EXPECT_FALSE(first->resource_version.empty());
  // The server counts what is left only where no selector is given.
  EXPECT_FALSE(first->remaining.has_value());
  EXPECT_EQ(client->list(config_maps, namespace_name, in_pages_of(10))->remaining, 15);
  // In lists of built-in kinds the server leaves these out.
  EXPECT_EQ(first->items.front().api_version(), "v1");
  EXPECT_EQ(first->items.front().kind(), "ConfigMap");

  // What is written meanwhile does not show: all pages are of one state.
  ASSERT_OK(client->create(config_maps, config_map("c-9999")));
  ASSERT_OK(client->remove(config_maps, key("c-1024")));
  options.continue_token = first->continue_token;
  const auto second = client->list(config_maps, namespace_name, options);
  ASSERT_OK(second);
  EXPECT_EQ(second->resource_version, first->resource_version);
  options.continue_token = second->continue_token;
  const auto third = client->list(config_maps, namespace_name, options);
  ASSERT_OK(third);
  ASSERT_EQ(third->items.size(), 5U);
  EXPECT_EQ(third->items.back().name(), "c-1024");
  EXPECT_EQ(third->continue_token, "");

  const auto whole = kube::list_all(*client, config_maps, namespace_name, in_pages_of(7));
  ASSERT_OK(whole);
  EXPECT_EQ(whole->items.size(), 25U);
}

TEST_F(Objects, AreSelectedByLabelsAndFields) {
  make_config_maps(3, "first");
  k8s::ConfigMap other = config_map("other");
  other.set_label("set", "second");
  ASSERT_OK(client->create(config_maps, other));
  const auto names = [&](const std::string& labels, const std::string& fields) {
    kube::ListOptions options;
    options.labels = k8s::LabelSelector::parse(labels).value();
    options.fields = k8s::FieldSelector::parse(fields).value();
    const auto list = client->list(config_maps, namespace_name, options);
    EXPECT_OK(list);
    std::string names;
    for (const auto& item : list->items) names += std::string(item.name()) + " ";
    return names;
  };
  EXPECT_EQ(names("set=first", ""), "c-1000 c-1001 c-1002 ");
  EXPECT_EQ(names("set in (second,third)", ""), "other ");
  EXPECT_EQ(names("set,set!=first", ""), "other ");
  EXPECT_EQ(names("", "metadata.name=c-1001"), "c-1001 ");
  EXPECT_EQ(names("set=first", "metadata.name!=c-1001"), "c-1000 c-1002 ");
  kube::ListOptions unknown;
  unknown.fields = k8s::FieldSelector::parse("spec.x=1").value();
  const auto refused = client->list(config_maps, namespace_name, unknown);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(k8s::reason::bad_request)) << refused.error().message;
}

// Events are the one kind that the server keeps no copies of: their lists come from etcd, which forgets.
TEST_F(Objects, OfAListThatTheServerHasForgottenAreStillFound) {
  for (int i = 0; i < 12; ++i) {
    k8s::Event event = k8s::make<k8s::Event>("e-" + std::to_string(100 + i), namespace_name);
    event.set_involved_object(config_map("a"));
    event.set("reason", "Tested");
    ASSERT_OK(client->create(events, event));
  }
  kube::ListOptions options = in_pages_of(5);
  const auto first = client->list(events, namespace_name, options);
  ASSERT_OK(first);
  // Only what is older than the newest state is forgotten: something has to change.
  int writes = 0;
  const auto forget = [&] {
    EXPECT_OK(client->create(config_maps, config_map("moves-on-" + std::to_string(++writes))));
    cluster.compact();
  };
  forget();
  options.continue_token = first->continue_token;
  const auto forgotten = client->list(events, namespace_name, options);
  ASSERT_FALSE(forgotten);
  EXPECT_TRUE(forgotten.error().is_expired()) << forgotten.error().message;
  EXPECT_EQ(forgotten.error().status.code(), 410);
  EXPECT_NE(forgotten.error().status.continue_token(), "");

  // The same on the way: page by page every event once, or in one piece.
  std::multiset<std::string> seen;
  const auto take = [&](const kube::ObjectList& page) -> Result<void> {
    if (seen.empty()) forget();
    for (const auto& item : page.items) seen.emplace(item.name());
    return {};
  };
  ASSERT_OK(
      kube::for_each_page(*client, events, namespace_name, in_pages_of(5), kube::OnExpired::resume, take));
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 12U);
  seen.clear();
  const auto strict =
      kube::for_each_page(*client, events, namespace_name, in_pages_of(5), kube::OnExpired::fail, take);
  ASSERT_FALSE(strict);
  EXPECT_TRUE(strict.error().is_expired()) << strict.error().message;
  EXPECT_EQ(seen.size(), 5U);
}

TEST_F(Objects, AreCreatedOnce) {
  const auto made = client->create(config_maps, config_map("a"));
  ASSERT_OK(made);
  EXPECT_NE(made->uid(), "");
  EXPECT_NE(made->resource_version(), "");
  EXPECT_TRUE(made->created().has_value());
  const auto again = client->create(config_maps, config_map("a"));
  ASSERT_FALSE(again);
  EXPECT_TRUE(again.error().is_already_exists()) << again.error().message;
  EXPECT_EQ(again.error().code, ErrorCode::conflict);

  k8s::ConfigMap nameless;
  nameless.set_resource(k8s::ConfigMap::resource);
  nameless.set_namespace_name(namespace_name);
  nameless.set("metadata.generateName", "made-");
  const auto named = client->create(config_maps, nameless);
  ASSERT_OK(named);
  EXPECT_TRUE(named->name().starts_with("made-") && named->name().size() > 5) << named->name();

  const auto dry = client->create(config_maps, config_map("dry"), {.dry_run = true});
  ASSERT_OK(dry);
  EXPECT_TRUE(client->get(config_maps, key("dry")).error().is_not_found());
}

TEST_F(Objects, AreReplacedAtTheVersionThatWasRead) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  const auto read = client->get(config_maps, key("a"));
  ASSERT_OK(read);
  k8s::ConfigMap mine(read->json()), theirs(read->json());
  theirs.set_data("by", "them");
  const auto written = client->replace(config_maps, theirs);
  ASSERT_OK(written);
  EXPECT_NE(written->resource_version(), read->resource_version());
  mine.set_data("by", "me");
  const auto lost = client->replace(config_maps, mine);
  ASSERT_FALSE(lost);
  EXPECT_TRUE(lost.error().is_conflict()) << lost.error().message;

  int attempts = 0;
  const auto at_last = kube::retry_on_conflict(client->clock(), [&]() -> kube::ApiResult<k8s::Dynamic> {
    // The first attempt is made with what is too old.
    if (attempts++ > 0) {
      const auto newest = client->get(config_maps, key("a"));
      if (!newest) return newest;
      mine.set_resource_version(newest->resource_version());
    }
    return client->replace(config_maps, mine);
  });
  ASSERT_OK(at_last);
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(at_last->text("data.by"), "me");

  // The same bytes again are no new version.
  const auto same = client->replace(config_maps, *at_last);
  ASSERT_OK(same);
  EXPECT_EQ(same->resource_version(), at_last->resource_version());
  mine.set_resource_version("");
  mine.set_name("not-there");
  EXPECT_TRUE(client->replace(config_maps, mine).error().is_not_found());
}

TEST_F(Objects, AreDeletedUnderConditions) {
  const auto made = client->create(config_maps, config_map("a"));
  ASSERT_OK(made);
  const auto other_uid =
      client->remove(config_maps, key("a"), {.uid = "00000000-0000-0000-0000-000000000000"});
  ASSERT_FALSE(other_uid);
  EXPECT_TRUE(other_uid.error().is_conflict()) << other_uid.error().message;
  const auto other_version = client->remove(config_maps, key("a"), {.resource_version = "1"});
  ASSERT_FALSE(other_version);
  EXPECT_TRUE(other_version.error().is_conflict()) << other_version.error().message;
  ASSERT_OK(client->remove(config_maps, key("a"), {.dry_run = true}));
  ASSERT_OK(client->get(config_maps, key("a")));
  ASSERT_OK(client->remove(config_maps, key("a"),
                           {.uid = std::string(made->uid()),
                            .resource_version = std::string(made->resource_version()),
                            .propagation = kube::Propagation::background,
                            .grace_period = std::chrono::seconds(0)}));
  EXPECT_TRUE(client->get(config_maps, key("a")).error().is_not_found());
  EXPECT_TRUE(client->remove(config_maps, key("a")).error().is_not_found());
}

TEST_F(Objects, StayWhileAFinalizerHoldsThem) {
  k8s::ConfigMap held = config_map("held");
  held.add_finalizer("example.com/hold");
  ASSERT_OK(client->create(config_maps, held));
  const auto deleted = client->remove(config_maps, key("held"));
  ASSERT_OK(deleted);
  auto still = client->get(config_maps, key("held"));
  ASSERT_OK(still);
  EXPECT_TRUE(still->is_being_deleted());
  EXPECT_TRUE(still->deletion_time().has_value());
  ASSERT_TRUE(still->remove_finalizer("example.com/hold"));
  ASSERT_OK(client->replace(config_maps, *still));
  EXPECT_TRUE(client->get(config_maps, key("held")).error().is_not_found());
}

TEST_F(Objects, AreDeletedTogether) {
  make_config_maps(5, "go");
  ASSERT_OK(client->create(config_maps, config_map("stays")));
  kube::ListOptions which;
  which.labels = k8s::LabelSelector::parse("set=go").value();
  ASSERT_OK(client->remove_all(config_maps, namespace_name, which));
  const auto left = client->list(config_maps, namespace_name);
  ASSERT_OK(left);
  ASSERT_EQ(left->items.size(), 1U);
  EXPECT_EQ(left->items.front().name(), "stays");
}

TEST_F(Objects, ThatAreInvalidSayWhyFieldByField) {
  const auto refused = client->create(
      deployments,
      object_of(
          R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":")" +
          namespace_name +
          R"("},"spec":{"replicas":-1,"selector":{"matchLabels":{"a":"b"}},)"
          R"("template":{"metadata":{"labels":{"a":"other"}},"spec":{"containers":[{"name":"c"}]}}}})"));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(k8s::reason::invalid)) << refused.error().message;
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  EXPECT_EQ(refused.error().status.code(), 422);
  EXPECT_EQ(refused.error().status.object_kind(), "Deployment");
  EXPECT_EQ(refused.error().status.object_name(), "d");
  EXPECT_TRUE(refused.error().status.has_cause(k8s::cause::field_value_required));
  std::set<std::string> fields;
  for (const auto& cause : refused.error().status.causes()) fields.emplace(cause.field());
  EXPECT_TRUE(fields.contains("spec.replicas"));
  EXPECT_TRUE(fields.contains("spec.template.spec.containers[0].image"));

  const auto missing = client->get({"no.example.com", "v1", "things"}, key("a"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found) << missing.error().message;
}

TEST_F(Objects, WithUnknownFieldsAreWarnedOfOrRefused) {
  std::vector<std::string> warnings;
  const auto listener =
      cluster.client("admin", {.on_warning = [&](std::string_view text) { warnings.emplace_back(text); }});
  k8s::Dynamic odd = config_map("odd");
  odd.set("spec.x", "y");
  ASSERT_OK(
      listener->create(config_maps, odd, {.dry_run = true, .validation = kube::FieldValidation::ignore}));
  EXPECT_EQ(warnings, std::vector<std::string>{});
  ASSERT_OK(listener->create(config_maps, odd, {.dry_run = true, .validation = kube::FieldValidation::warn}));
  EXPECT_EQ(warnings, std::vector<std::string>{"unknown field \"spec\""});
  warnings.clear();
  const auto refused =
      listener->create(config_maps, odd, {.dry_run = true, .validation = kube::FieldValidation::strict});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(k8s::reason::bad_request));
  EXPECT_NE(refused.error().message.find("strict decoding error: unknown field \"spec\""), std::string::npos)
      << refused.error().message;
}

TEST_F(Objects, HaveAScale) {
  ASSERT_OK(client->create(
      deployments,
      object_of(
          R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":")" +
          namespace_name +
          R"("},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},)"
          R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})")));
  auto scale = client->get(deployments, key("d"), "scale");
  ASSERT_OK(scale);
  EXPECT_EQ(scale->kind(), "Scale");
  EXPECT_EQ(scale->integer("spec.replicas"), 1);
  scale->set("spec.replicas", 3);
  ASSERT_OK(client->replace(deployments, *scale, "scale"));
  EXPECT_EQ(client->get(deployments, key("d"))->integer("spec.replicas"), 3);
  ASSERT_OK(client->patch(deployments, key("d"), kube::PatchType::merge, parsed(R"({"spec":{"replicas":5}})"),
                          "scale"));
  EXPECT_EQ(client->get(deployments, key("d"))->integer("spec.replicas"), 5);
}

TEST_F(Objects, AreStillThereAfterTheServerHasStartedAgain) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  cluster.restart_api_server(SIGKILL);
  // The client's kept connections are dead now, and it does not show.
  EXPECT_OK(client->get(config_maps, key("a")));
}

}  // namespace
}  // namespace fairway::conformance
