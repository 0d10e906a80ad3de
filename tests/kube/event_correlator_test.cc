// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/event_correlator.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

k8s::Event event_about(const std::string& name, const std::string& message,
                       const std::string& reason = "Failed", const std::string& component = "widgets") {
  k8s::Dynamic object;
  object.set("apiVersion", "widgets.example.com/v1");
  object.set("kind", "Widget");
  object.set_name(name);
  object.set_namespace_name("a");
  object.set("metadata.uid", "uid-of-" + name);
  k8s::Event event;
  event.set_resource(k8s::Event::resource);
  event.set_namespace_name("a");
  event.set_involved_object(object);
  event.set_type("Warning");
  event.set_reason(reason);
  event.set_message(message);
  event.set_component(component, "host-1");
  return event;
}

class EventCorrelatorTest : public ::testing::Test {
 protected:
  std::optional<EventCorrelator::Sending> send(k8s::Event event) {
    auto sending = correlator_.correlate(std::move(event));
    if (sending) correlator_.written(sending->key);
    return sending;
  }

  FakeClock clock_{parse_time("2026-01-02T03:04:05Z").value()};
  EventCorrelator correlator_{{}, clock_};
};

TEST_F(EventCorrelatorTest, CountsWhatIsRepeated) {
  const auto first = send(event_about("w", "no paint"));
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->is_update);
  EXPECT_EQ(first->event.count(), 1);
  EXPECT_EQ(first->event.time_text("firstTimestamp"), "2026-01-02T03:04:05Z");
  clock_.advance(seconds(60));
  const auto second = send(event_about("w", "no paint"));
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->is_update);
  EXPECT_EQ(second->event.name(), first->event.name());
  EXPECT_EQ(second->event.count(), 2);
  EXPECT_EQ(second->event.time_text("firstTimestamp"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(second->event.time_text("lastTimestamp"), "2026-01-02T03:05:05Z");
}

TEST_F(EventCorrelatorTest, KeepsDifferentThingsApart) {
  const auto first = send(event_about("w", "no paint"));
  clock_.advance(seconds(1));
  for (const k8s::Event& other :
       {event_about("w", "no brush"), event_about("w", "no paint", "Waiting"), event_about("v", "no paint"),
        event_about("w", "no paint", "Failed", "gadgets")}) {
    const auto sending = send(other);
    ASSERT_TRUE(sending);
    EXPECT_FALSE(sending->is_update);
    EXPECT_EQ(sending->event.count(), 1);
    EXPECT_NE(sending->event.key(), first->event.key());
    clock_.advance(seconds(1));
  }
}

TEST_F(EventCorrelatorTest, MakesAnewWhatWasNeverWritten) {
  ASSERT_TRUE(correlator_.correlate(event_about("w", "no paint")));
  const auto again = correlator_.correlate(event_about("w", "no paint"));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->is_update);
  EXPECT_EQ(again->event.count(), 2);
}

TEST_F(EventCorrelatorTest, JoinsMessagesThatDifferFromTheTenth) {
  for (int i = 1; i <= 9; ++i) {
    const auto sending = send(event_about("w", "try " + std::to_string(i)));
    ASSERT_TRUE(sending);
    EXPECT_EQ(sending->event.message(), "try " + std::to_string(i));
  }
  const auto tenth = send(event_about("w", "try 10"));
  ASSERT_TRUE(tenth);
  EXPECT_EQ(tenth->event.message(), "(combined from similar events): try 10");
  EXPECT_FALSE(tenth->is_update);
  const auto eleventh = send(event_about("w", "try 11"));
  ASSERT_TRUE(eleventh);
  EXPECT_TRUE(eleventh->is_update);
  EXPECT_EQ(eleventh->event.name(), tenth->event.name());
  EXPECT_EQ(eleventh->event.count(), 2);
  EXPECT_EQ(eleventh->event.message(), "(combined from similar events): try 11");
  const auto known = send(event_about("w", "try 3"));
  ASSERT_TRUE(known);
  EXPECT_EQ(known->event.message(), "try 3");
  EXPECT_EQ(known->event.count(), 2);
  // Ten minutes later it begins anew.
  clock_.advance(minutes(11));
  const auto later = send(event_about("w", "try 12"));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->event.message(), "try 12");
}

TEST_F(EventCorrelatorTest, LetsTwentyFiveOfAnObjectThroughAndOneInFiveMinutes) {
  int sent = 0;
  for (int i = 0; i < 200; ++i) sent += send(event_about("w", "no paint")) ? 1 : 0;
  EXPECT_EQ(sent, 25);
  EXPECT_TRUE(send(event_about("v", "no paint"))) << "of another object";
  EXPECT_TRUE(send(event_about("w", "no paint", "Failed", "gadgets"))) << "of another source";
  clock_.advance(minutes(5));
  const auto next = send(event_about("w", "no paint"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->event.count(), 201) << "what was not sent is counted";
  EXPECT_FALSE(send(event_about("w", "no paint")));
}

TEST_F(EventCorrelatorTest, NamesEventsAsServersAllow) {
  const auto usual = send(event_about("w", "m"));
  EXPECT_TRUE(usual->event.name().starts_with("w."));
  const auto strange = send(event_about("system:node", "m"));
  EXPECT_TRUE(strange->event.name().starts_with("event."));
  const auto longest = send(event_about(std::string(253, 'x'), "m"));
  EXPECT_LE(longest->event.name().size(), 253);
  EXPECT_NE(usual->event.name().substr(2), strange->event.name().substr(6)) << "no name twice";
}

TEST_F(EventCorrelatorTest, RemembersNoMoreThanItMay) {
  EventLimits limits;
  limits.remembered = 10;
  EventCorrelator small(limits, clock_);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(small.correlate(event_about("w" + std::to_string(i), "m")));
  const auto forgotten = small.correlate(event_about("w0", "m"));
  ASSERT_TRUE(forgotten);
  EXPECT_EQ(forgotten->event.count(), 1);
}

}  // namespace
}  // namespace fairway::kube
