// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/objects.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/internal/status/status.h"

namespace fairway::gateway {
namespace {

k8s::Dynamic object(std::string_view text) {
  return *k8s::Dynamic::from(json::parse(text).value());
}

k8s::Dynamic slice(const std::string& name, const std::string& service) {
  return object(R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"shop",
    "name":")" + name +
                R"(","labels":{"kubernetes.io/service-name":")" + service + R"("}}})");
}

std::vector<std::string> slices(const Objects& objects, std::string_view service) {
  std::vector<std::string> names;
  for (const k8s::Dynamic* one : objects.slices_of("shop", service)) names.emplace_back(one->name());
  return names;
}

using Names = std::vector<std::string>;

TEST(Objects, AreNotCopiedWhereNothingIsToBeFilledIn) {
  const auto route = std::make_shared<const k8s::Dynamic>(
      object(R"({"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute",
                 "metadata":{"namespace":"shop","name":"cart","generation":3}})"));
  const auto service = std::make_shared<const k8s::Dynamic>(
      object(R"({"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop","name":"cart"}})"));
  Objects objects;
  objects.add(route);
  objects.add(service);
  EXPECT_EQ(objects.find("HTTPRoute", "shop", "cart"), route.get());
  EXPECT_EQ(objects.find("", "Service", "shop", "cart"), service.get());
}

TEST(Objects, AreFilledInWithoutTouchingWhatIsShared) {
  const auto route = std::make_shared<const k8s::Dynamic>(object(
      R"({"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"cart"}})"));
  const auto space = std::make_shared<const k8s::Dynamic>(
      object(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","namespace":"odd"}})"));
  Objects objects;
  objects.add(route);
  objects.add(space);
  const k8s::Dynamic* filled = objects.find("HTTPRoute", "default", "cart");
  ASSERT_NE(filled, nullptr);
  EXPECT_EQ(filled->generation(), 1);
  EXPECT_EQ(route->generation(), 0);
  EXPECT_NE(objects.find("", "Namespace", "", "shop"), nullptr);
}

TEST(Objects, OfOneNameReplaceEachOther) {
  Objects objects;
  objects.add(slice("b", "cart"));
  objects.add(slice("a", "cart"));
  objects.add(slice("c", "till"));
  EXPECT_EQ(slices(objects, "cart"), (Names{"a", "b"}));
  objects.add(slice("b", "till"));
  EXPECT_EQ(slices(objects, "cart"), (Names{"a"}));
  EXPECT_EQ(slices(objects, "till"), (Names{"b", "c"}));
  EXPECT_EQ(slices(objects, ""), Names{});
  EXPECT_EQ(objects.in_order().size(), 3U);
}

TEST(IsWritten, ComparesTheWholeStatus) {
  const FakeClock clock;
  k8s::Dynamic gateway =
      object(R"({"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","spec":{"gatewayClassName":"a"},
                 "metadata":{"namespace":"shop","name":"web","generation":2}})");
  Report report{.object = &gateway, .attached_sets = 0, .addresses = json::Array{}};
  report.own.emplace(Level::gateway);
  EXPECT_FALSE(is_written(report, clock));
  const k8s::Dynamic written = with_status(report, clock);
  report.object = &written;
  EXPECT_TRUE(is_written(report, clock));
  report.addresses = json::Array{json::Object{{"type", "IPAddress"}, {"value", "198.51.100.1"}}};
  EXPECT_FALSE(is_written(report, clock));
}

TEST(Objects, GoAgain) {
  Objects objects;
  objects.add(slice("a", "cart"));
  objects.add(slice("b", "cart"));
  objects.remove(slice("a", "cart"));
  objects.remove(slice("unknown", "cart"));
  EXPECT_EQ(slices(objects, "cart"), Names{"b"});
  EXPECT_EQ(objects.find("discovery.k8s.io", "EndpointSlice", "shop", "a"), nullptr);
  EXPECT_EQ(objects.in_order().size(), 1U);
  objects.add(slice("c", "stock"));
  EXPECT_EQ(slices(objects, "stock"), Names{"c"});
  EXPECT_EQ(slices(objects, "cart"), Names{"b"});
  EXPECT_EQ(objects.in_order().size(), 2U);
}

TEST(Objects, HaveAnotherRevisionOfAKindAfterEachChangeOfIt) {
  Objects objects;
  const auto revision = [](const Objects& of) { return of.revision("discovery.k8s.io", "EndpointSlice"); };
  EXPECT_EQ(revision(objects), 0U);
  objects.add(slice("a", "cart"));
  const auto first = revision(objects);
  objects.add(object(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"cart"}})"));
  EXPECT_EQ(revision(objects), first);
  objects.add(slice("a", "stock"));
  const auto second = revision(objects);
  EXPECT_NE(second, first);
  objects.remove(slice("a", "stock"));
  EXPECT_NE(revision(objects), second);
  // Of another set, though it has had the same.
  Objects others;
  others.add(slice("a", "cart"));
  EXPECT_NE(revision(others), first);
}

}  // namespace
}  // namespace fairway::gateway
