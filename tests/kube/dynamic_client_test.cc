// SPDX-License-Identifier: Apache-2.0

#include "kube/client/dynamic_client.h"

#include <gtest/gtest.h>

#include <atomic>

#include "kube/fake_discovery.h"
#include "kube/memory_api.h"

namespace fairway::kube {
namespace {

using k8s::ApiResource;
using k8s::Dynamic;
using k8s::Scope;
using testing::FakeDiscovery;
using testing::MemoryApi;

const ApiResource widgets{{"widgets.example.com", "v1", "Widget"}, "widgets", Scope::namespaced};
const ApiResource planets{{"widgets.example.com", "v1", "Planet"}, "planets", Scope::cluster};

Dynamic document(const std::string& text) {
  return Dynamic::parse(text).value();
}

class DynamicClientTest : public ::testing::Test {
 protected:
  DynamicClientTest() {
    server_.respond([this](const http::Request& request) {
      ++requests_;
      return discovery_.answer(request);
    });
    discovery_.serve(widgets);
    discovery_.serve(planets);
  }

  FakeDiscovery discovery_;
  MemoryApi server_;
  FakeClock clock_;
  std::shared_ptr<Client> client_ = server_.client(&clock_);
  std::shared_ptr<ResourceMapper> mapper_ = std::make_shared<ResourceMapper>(client_);
  DynamicClient objects_{client_, mapper_};
  std::atomic<int> requests_ = 0;
};

TEST_F(DynamicClientTest, AppliesADocumentToWhereItsKindLives) {
  const auto widget = objects_.apply(
      document(
          R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"a"},"spec":{"n":1}})"),
      {.field_manager = "test"});
  ASSERT_TRUE(widget) << widget.error().message;
  EXPECT_EQ(widget->integer("spec.n"), 1);
  const auto planet = objects_.apply(
      document(R"({"apiVersion":"widgets.example.com/v1","kind":"Planet","metadata":{"name":"p"}})"),
      {.field_manager = "test"});
  ASSERT_TRUE(planet) << planet.error().message;
  // The same objects by other ways.
  EXPECT_EQ(client_->get(widgets.group_version_resource(), {"a", "w"})->uid(), widget->uid());
  EXPECT_EQ(client_->get(planets.group_version_resource(), {"", "p"})->uid(), planet->uid());
  EXPECT_EQ(objects_.get(widgets.kind, {"a", "w"})->uid(), widget->uid());
  EXPECT_EQ(objects_.get(planets.kind, {"", "p"})->uid(), planet->uid());
  std::vector<std::string> events;
  ASSERT_FALSE(objects_.watch(widgets.kind, "a", {.resource_version = "0"},
                              [&](const WatchEvent& event) -> Result<void> {
                                events.emplace_back(event.object.name());
                                return fail(ErrorCode::cancelled, "enough");
                              },
                              {}));
  EXPECT_EQ(events, std::vector<std::string>{"w"});
  ASSERT_TRUE(objects_.remove(*widget));
  ASSERT_TRUE(objects_.remove(*planet));
  EXPECT_TRUE(objects_.get(planets.kind, {"", "p"}).error().is_not_found());
  EXPECT_EQ(discovery_.asked("/apis"), 1);
}

TEST_F(DynamicClientTest, TakesTheNamespaceOfTheClientWhereAnObjectHasNone) {
  const auto text = R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w"}})";
  const auto widget = objects_.apply(document(text), {.field_manager = "test"});
  ASSERT_TRUE(widget) << widget.error().message;
  EXPECT_EQ(widget->namespace_name(), "default");
  EXPECT_EQ(objects_.get(widgets.kind, {"", "w"})->uid(), widget->uid());
  const DynamicClient elsewhere(client_, mapper_, "b");
  EXPECT_EQ(elsewhere.apply(document(text), {.field_manager = "test"})->namespace_name(), "b");
  EXPECT_EQ(elsewhere.api(widgets.kind)->list()->items.size(), 1);
  EXPECT_EQ(elsewhere.api(widgets.kind, "")->list()->items.size(), 2) << "all namespaces";
  EXPECT_TRUE(elsewhere.api(planets.kind)->list()) << "no namespace where there is none";
}

TEST_F(DynamicClientTest, RefusesANamespaceThatDoesNotFitTheKind) {
  ASSERT_TRUE(mapper_->refresh());
  requests_ = 0;
  const auto expect_refused = [](const auto& result, std::string_view part) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::invalid);
    EXPECT_FALSE(result.error().is_answer());
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
  };
  const std::string planet =
      R"({"apiVersion":"widgets.example.com/v1","kind":"Planet","metadata":{"name":"p","namespace":"a"}})";
  const std::string widget =
      R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w"}})";
  const char *scoped = "cluster-scoped", *needs = "needs a namespace";
  expect_refused(objects_.apply(document(planet), {.field_manager = "test"}), scoped);
  expect_refused(objects_.get(planets.kind, {"a", "p"}), scoped);
  expect_refused(objects_.remove(document(planet)), scoped);
  expect_refused(objects_.watch(planets.kind, "a", {}, [](auto&&) -> Result<void> { return {}; }, {}),
                 scoped);
  DynamicApi wrong(client_, planets, "a");
  expect_refused(wrong.get("p"), scoped);
  expect_refused(wrong.list(), scoped);
  expect_refused(wrong.merge_patch("p", {}), scoped);
  expect_refused(wrong.remove_all({}), scoped);
  DynamicApi all_planets(client_, planets);
  expect_refused(all_planets.create(document(planet)), scoped);
  expect_refused(all_planets.replace_status(document(planet)), scoped);

  const DynamicClient nowhere(client_, mapper_, "");
  expect_refused(nowhere.apply(document(widget), {.field_manager = "test"}), needs);
  expect_refused(nowhere.get(widgets.kind, {"", "w"}), needs);
  DynamicApi everywhere(client_, widgets, "");
  expect_refused(everywhere.create(document(widget)), needs);
  expect_refused(everywhere.get("w"), needs);
  expect_refused(everywhere.remove("w"), needs);
  expect_refused(everywhere.merge_patch_status("w", {}), needs);

  expect_refused(DynamicApi(client_, planets).create(document(widget)), "Widget");
  expect_refused(objects_.apply(document(R"({"apiVersion":"a/b/c","kind":"Widget"})"), {}), "a/b/c");
  EXPECT_EQ(requests_, 0) << "nothing of it was sent";
}

TEST_F(DynamicClientTest, CompletesANewObjectOfAKnownKind) {
  DynamicApi api(client_, widgets, "a");
  Dynamic object;
  object.set_name("w");
  const auto created = api.create(object);
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_TRUE(created->is(widgets.view()));
  EXPECT_EQ(created->namespace_name(), "a");
  EXPECT_EQ(
      k8s::make(widgets, "w", "a").to_text(),
      R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"a"}})");
}

TEST_F(DynamicClientTest, TellsAKindThatIsNotServedFromAnObjectThatIsNotThere) {
  const auto no_kind = objects_.get({"other.example.com", "v1", "Other"}, {"a", "o"});
  ASSERT_FALSE(no_kind);
  EXPECT_EQ(no_kind.error().code, ErrorCode::not_found);
  EXPECT_FALSE(no_kind.error().is_not_found()) << "no reply about an object";
  const auto no_object = objects_.get(widgets.kind, {"a", "none"});
  ASSERT_FALSE(no_object);
  EXPECT_TRUE(no_object.error().is_not_found());
  discovery_.set_fault("/apis", [](const http::Request&) { return http::Response::text(500, "down"); });
  clock_.advance(std::chrono::minutes(1));
  const auto not_asked = objects_.apply(
      document(R"({"apiVersion":"other.example.com/v1","kind":"Other","metadata":{"name":"o"}})"),
      {.field_manager = "test"});
  ASSERT_FALSE(not_asked);
  EXPECT_EQ(not_asked.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(objects_.apply(
      document(R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w"}})"),
      {.field_manager = "test"}));
}

TEST_F(DynamicClientTest, LooksAgainWhereAKindIsServedNoLonger) {
  const auto text = R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w"}})";
  ASSERT_TRUE(objects_.apply(document(text), {.field_manager = "test"}));
  // Its CRD was deleted, and comes back with another scope and another name.
  const ApiResource now{widgets.kind, "widgetries", Scope::cluster};
  discovery_.serve_no_longer(widgets);
  discovery_.serve(now);
  server_.intercept([](const http::Request& request) {
    return request.path.find("/widgets/") != std::string::npos ? 404 : 0;
  });
  clock_.advance(std::chrono::minutes(1));
  EXPECT_EQ(mapper_->find(widgets.kind), widgets) << "nobody has noticed yet";
  const auto gone = objects_.apply(document(text), {.field_manager = "test"});
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().is_not_found());
  const auto applied = objects_.apply(document(text), {.field_manager = "test"});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(mapper_->find(widgets.kind), now);
}

}  // namespace
}  // namespace fairway::kube
