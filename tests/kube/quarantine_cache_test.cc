// SPDX-License-Identifier: Apache-2.0

// Quarantined objects in the cache of an informer that leaves them out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "kube/informer/informer.h"
#include "kube/internal/informer/informer_cache.h"
#include "kube/internal/informer/left_out_log.h"
#include "kube/quarantined_widgets.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using testing::Record;
using testing::sent;
using testing::Texts;
using testing::Widget;

class QuarantineCache : public ::testing::Test {
 protected:
  explicit QuarantineCache(bool include = false)
      : cache({.transform = {.name = "noting",
                             .apply =
                                 [this](k8s::Dynamic& object) { transformed.push_back(look_for(object)); }},
               .leaves_out = include ? IsQuarantined() : IsQuarantined(k8s::has_only_marks),
               .on_left_out = [this](const k8s::Key& key) { left_out.push_back(key.name); }},
              ObjectType::of<Widget>(), 1, metrics_) {
    cache.add_handler({.added = [this](const auto& object, bool) { told_.add("+" + text(*object)); },
                       .updated = [this](const auto& before,
                                         const auto& now) { told_.add(text(*before) + ">" + text(*now)); },
                       .deleted = [this](const auto& last) { told_.add("-" + text(*last)); }});
  }

  void list(std::vector<k8s::Dynamic> objects) {
    Listed listed{.made_as = cache.type()};
    for (k8s::Dynamic& object : objects) cache.add_to(listed, std::move(object));
    cache.replace("", std::move(listed), std::exchange(first_, false));
  }
  /// Delivers what is due, and checks all that was told so far.
  void expect_told(const Texts& expected) {
    // The end of it: handlers are called in order.
    cache.put(sent("end", ++ends_, "red"));
    const std::string end =
        ends_ == 1 ? "+end1red"
                   : "end" + std::to_string(ends_ - 1) + "red>end" + std::to_string(ends_) + "red";
    std::jthread delivering([this](const std::stop_token& stop) { cache.deliveries().run(stop); });
    EXPECT_TRUE(eventually([&] { return told_.count(end) == 1; }));
    Texts told = told_.told();
    std::erase_if(told, [](const std::string& one) { return one.contains("end"); });
    EXPECT_EQ(told, expected);
  }
  bool quarantined(const std::string& name) const { return cache.is_quarantined({"a", name}); }
  SharedObject known(const std::string& name) const { return cache.store().find({"a", name}); }
  /// Returns what a reader is told of an object at this moment.
  std::string look_for(const k8s::Dynamic& object) const {
    const auto found = cache.find(object.key());
    return std::string(object.name()) + (found.quarantined ? " is quarantined"
                                         : found.object    ? " is there"
                                                           : " is not there");
  }

 private:
  static std::string text(const k8s::Dynamic& object) {
    return std::string(object.name()) + std::string(object.resource_version()) +
           std::string(object.text("spec.color", "?"));
  }

  InformerMetrics metrics_{nullptr, {}};
  bool first_ = true;
  int ends_ = 0;
  Record told_;

 protected:
  Texts left_out, transformed;
  InformerCache cache;
};

TEST_F(QuarantineCache, LeavesOutWhatItNeverKnew) {
  list({sent("w", 1, "red"), sent("q", 2, "")});
  EXPECT_TRUE(quarantined("q"));
  EXPECT_FALSE(quarantined("w"));
  EXPECT_EQ(known("q"), nullptr);
  cache.put(sent("q", 3, ""));
  cache.put(sent("r", 4, ""));
  EXPECT_EQ(cache.quarantined(), 2);
  cache.erase(sent("r", 5, ""));
  EXPECT_EQ(cache.quarantined(), 1);
  cache.put(sent("q", 6, "blue"));
  EXPECT_FALSE(quarantined("q"));
  expect_told({"+w1red", "+q6blue"});
  EXPECT_EQ(left_out, (Texts{"q", "r"}));
}

TEST_F(QuarantineCache, KeepsWhatItKnewAndMakesUpNoDeletion) {
  list({sent("w", 1, "red"), sent("v", 2, "red")});
  cache.put(sent("w", 3, ""));
  EXPECT_TRUE(quarantined("w"));
  ASSERT_NE(known("w"), nullptr);
  EXPECT_EQ(known("w")->resource_version(), "1");
  // A new list, in which the version is that of before: only the converter has changed.
  list({sent("w", 3, ""), sent("v", 2, "")});
  EXPECT_TRUE(quarantined("v"));
  EXPECT_EQ(known("v")->text("spec.color"), "red");
  list({sent("w", 4, "green"), sent("v", 2, "red")});
  EXPECT_EQ(cache.quarantined(), 0);
  expect_told({"+v2red", "+w1red", "w1red>w4green"});
}

TEST_F(QuarantineCache, TellsOfDeletionsThatHappened) {
  list({sent("w", 1, "red"), sent("v", 2, "red"), sent("u", 3, "red"), sent("q", 4, "")});
  cache.put(sent("w", 5, ""));
  cache.erase(sent("w", 6, ""));  // while it was quarantined
  EXPECT_FALSE(quarantined("w"));
  cache.put(sent("v", 7, "", "2"));  // another one of its name
  EXPECT_TRUE(quarantined("v"));
  EXPECT_EQ(known("v"), nullptr);
  cache.put(sent("u", 8, ""));
  list({sent("v", 7, "", "2")});  // u and q are gone, and nobody knew q
  EXPECT_EQ(cache.quarantined(), 1);
  expect_told({"+u3red", "+v2red", "+w1red", "-w1red", "-v2red", "-u3red"});
}

TEST_F(QuarantineCache, LeavesOutNoObjectWithContent) {
  k8s::Dynamic planted = sent("w", 1, "");
  planted.set("spec.color", "red");
  k8s::Dynamic half = sent("v", 2, "");
  half.remove_annotation(k8s::original_annotation);
  list({planted, half});
  planted.set("spec.color", "blue");
  planted.set_resource_version("3");
  cache.put(planted);
  EXPECT_EQ(cache.quarantined(), 0);
  expect_told({"+v2?", "+w1red", "w1red>w3blue"});
}

TEST_F(QuarantineCache, NeverSaysThatThereIsNoObjectWhileItIsThere) {
  list({sent("q", 1, "")});
  cache.put(sent("q", 2, "blue"));
  EXPECT_EQ(transformed, Texts{"q is quarantined"});
  EXPECT_FALSE(quarantined("q"));
  EXPECT_NE(known("q"), nullptr);
}

TEST_F(QuarantineCache, TransformsTheStateThatItKeptOnce) {
  list({sent("w", 1, "red")});
  cache.put(sent("w", 2, ""));
  cache.erase(sent("w", 3, ""));
  EXPECT_EQ(transformed, Texts{"w is not there"});
}

class IncludingQuarantineCache : public QuarantineCache {
 protected:
  IncludingQuarantineCache() : QuarantineCache(true) {}
};

TEST_F(IncludingQuarantineCache, HasThemIfAskedTo) {
  list({sent("w", 1, "red"), sent("q", 2, "")});
  cache.put(sent("w", 3, ""));
  EXPECT_FALSE(quarantined("q"));
  expect_told({"+q2?", "+w1red", "w1red>w3?"});
}

TEST(LeftOutLog, HasALineAMinute) {
  FakeClock clock;
  LeftOutLog log("v1, Resource=widgets", clock);
  for (int i = 0; i < 3; ++i) log.record({"a", "w"});
  EXPECT_EQ(log.not_logged(), 2);
  clock.advance(std::chrono::minutes(1));
  log.record({"a", "w"});
  EXPECT_EQ(log.not_logged(), 0);
}

}  // namespace
}  // namespace fairway::kube
