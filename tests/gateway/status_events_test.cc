// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/status_events.h"

#include <gtest/gtest.h>

#include "k8s/documents.h"

namespace fairway::gateway {
namespace {

k8s::Dynamic gateway(const std::string& own, const std::string& listener) {
  const auto condition = [](const std::string& said) {
    return said.empty() ? std::string("[]") : "[{type: Programmed, " + said + "}]";
  };
  const auto documents = k8s::read_documents(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web}, "
      "status: {conditions: " +
      condition(own) + ", listeners: [{name: http, conditions: " + condition(listener) + "}]}}");
  return k8s::Dynamic::from(documents.value().front().value).value();
}

const std::string yes = "status: 'True', reason: Programmed, message: served";
const std::string waiting = "status: 'False', reason: Pending, message: no answer yet";
const std::string refused = "status: 'False', reason: Invalid, message: 'Envoy refuses it: no'";

TEST(StatusEvents, WhatBecomesProgrammedIsTold) {
  EXPECT_EQ(programmed_events(gateway("", ""), gateway(yes, yes)),
            (std::vector<StatusEvent>{{.reason = "Programmed", .message = "served"},
                                      {.reason = "Programmed", .message = "listener http: served"}}));
  EXPECT_EQ(programmed_events(gateway(waiting, yes), gateway(yes, yes)),
            (std::vector<StatusEvent>{{.reason = "Programmed", .message = "served"}}));
  EXPECT_TRUE(programmed_events(gateway(yes, yes), gateway(yes, yes)).empty());
}

TEST(StatusEvents, WhatEnvoyRefusesIsToldOnceInItsWords) {
  const StatusEvent event{.is_warning = true,
                          .reason = "NotProgrammed",
                          .message = "listener http: Invalid: Envoy refuses it: no"};
  EXPECT_EQ(programmed_events(gateway(yes, yes), gateway(yes, refused)), std::vector<StatusEvent>{event});
  EXPECT_TRUE(programmed_events(gateway(yes, refused), gateway(yes, refused)).empty());
}

TEST(StatusEvents, AnAnswerThatIsStillToComeIsNotTold) {
  EXPECT_TRUE(programmed_events(gateway(yes, yes), gateway(waiting, waiting)).empty());
  EXPECT_TRUE(programmed_events(gateway(yes, yes), gateway("", "")).empty());
}

}  // namespace
}  // namespace fairway::gateway
