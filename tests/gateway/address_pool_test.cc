// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/address_pool.h"

#include "gateway/internal/attachment/assigned_addresses.h"

#include <gtest/gtest.h>

#include "k8s/documents.h"

namespace fairway::gateway {
namespace {

k8s::Dynamic gateway(const std::string& name, const std::string& rest = "") {
  const auto documents = k8s::read_documents(
      "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: " + name +
      ", namespace: shop}\n" + rest);
  return *k8s::Dynamic::from(documents->at(0).value);
}

TEST(AddressPool, HasTheAddressesOfItsRangeButNetworkAndBroadcast) {
  const auto pool = AddressPool::parse("198.51.100.9/29");
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_FALSE(pool->contains("198.51.100.8"));
  EXPECT_TRUE(pool->contains("198.51.100.9"));
  EXPECT_TRUE(pool->contains("198.51.100.14"));
  EXPECT_FALSE(pool->contains("198.51.100.15"));
  EXPECT_FALSE(pool->contains("nonsense"));
  EXPECT_EQ(pool->first_free({"198.51.100.9", "198.51.100.10"}), "198.51.100.11");
}

TEST(AddressPool, MayBeOneAddressOrNone) {
  const auto one = AddressPool::parse("198.51.100.9");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->first_free({}), "198.51.100.9");
  EXPECT_EQ(one->first_free({"198.51.100.9"}), std::nullopt);
  const auto last = AddressPool::parse("255.255.255.255");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->first_free({"255.255.255.255"}), std::nullopt);
  EXPECT_EQ(AddressPool().first_free({}), std::nullopt);
}

TEST(AddressPool, MayBeSeveralRanges) {
  const auto pool = AddressPool::parse("198.51.100.9,127.0.0.0/30");
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_TRUE(pool->contains("198.51.100.9"));
  EXPECT_TRUE(pool->contains("127.0.0.1"));
  EXPECT_FALSE(pool->contains("127.0.0.4"));
  EXPECT_EQ(pool->first_free({"198.51.100.9", "127.0.0.1"}), "127.0.0.2");
  for (const char* text : {"198.51.100.9,", ",127.0.0.1", "127.0.0.1, 127.0.0.2", "127.0.0.1,::1"})
    EXPECT_FALSE(AddressPool::parse(text)) << text;
}

TEST(AddressPool, OtherTextIsRefused) {
  for (const char* text : {"", "198.51.100.0/", "198.51.100.0/33", "198.51.100.0/8", "198.51.100.0/24x",
                           "198.51.100/24", "2001:db8::/120", "198.51.100.0/-1", "a\nb"}) {
    const auto pool = AddressPool::parse(text);
    ASSERT_FALSE(pool) << text;
    EXPECT_EQ(pool.error().message.find('\n'), std::string::npos);
  }
}

TEST(AddressPool, AGatewayKeepsTheAddressThatItHasHad) {
  const auto pool = *AddressPool::parse("198.51.100.0/29");
  const k8s::Dynamic fresh = gateway("fresh"),
                     old = gateway("old", "status: {addresses: [{value: 198.51.100.1}]}\n"),
                     elsewhere = gateway("elsewhere", "status: {addresses: [{value: 203.0.113.1}]}\n"),
                     fixed = gateway("fixed", "spec: {addresses: [{value: 198.51.100.2}]}\n"),
                     mapped = gateway("mapped", "spec: {addresses: [{value: '::ffff:198.51.100.3'}]}\n"),
                     named = gateway("named", "spec: {addresses: [{type: Hostname, value: a.example}]}\n");
  const auto assigned = assign_addresses({&fresh, &old, &elsewhere, &fixed, &mapped, &named}, pool);
  EXPECT_EQ(assigned, (std::map<k8s::Key, std::string>{{{"shop", "old"}, "198.51.100.1"},
                                                       {{"shop", "fresh"}, "198.51.100.4"},
                                                       {{"shop", "elsewhere"}, "198.51.100.5"}}));
}

TEST(AddressPool, WhatWasAssignedStaysWhileNoStatusHasIt) {
  const auto pool = *AddressPool::parse("198.51.100.0/29");
  const k8s::Dynamic first = gateway("a"), second = gateway("b");
  const auto before = assign_addresses({&second}, pool);
  const auto assigned = assign_addresses({&first, &second}, pool, before);
  EXPECT_EQ(assigned, (std::map<k8s::Key, std::string>{{{"shop", "a"}, "198.51.100.2"},
                                                       {{"shop", "b"}, "198.51.100.1"}}));
  // That of a status has precedence, and nobody has what is not of the pool.
  const k8s::Dynamic third = gateway("c", "status: {addresses: [{value: 198.51.100.1}]}\n");
  EXPECT_EQ(assign_addresses({&second, &third}, pool, before).at({"shop", "b"}), "198.51.100.2");
  EXPECT_EQ(assign_addresses({&second}, pool, {{{"shop", "b"}, "203.0.113.1"}}).at({"shop", "b"}),
            "198.51.100.1");
}

TEST(AddressPool, TheOldestGetWhatThereIs) {
  const auto pool = *AddressPool::parse("198.51.100.9/32");
  const k8s::Dynamic first = gateway("b"), second = gateway("a");
  EXPECT_EQ(assign_addresses({&first, &second}, pool),
            (std::map<k8s::Key, std::string>{{{"shop", "b"}, "198.51.100.9"}}));
}

}  // namespace
}  // namespace fairway::gateway
