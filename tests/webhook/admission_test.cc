// SPDX-License-Identifier: Apache-2.0

// Admission lets nothing through that it cannot read.
#include "webhook/admission.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace fairway::webhook {
namespace {

const std::string widget = R"({"apiVersion":"g.io/v1","kind":"Widget","spec":{}})";
const std::string kind = R"({"group":"g.io","version":"v1","kind":"Widget"})";

std::string review(const std::string& request) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)" + request +
         "}}";
}

struct Asked {
  AdmissionReply reply;
  int times = 0;
  std::string message() const {
    const auto body = json::parse(reply.body).value();
    const json::Value* response = json::find(body, "response");
    const json::Value* status = response != nullptr ? json::find(*response, "status") : &body;
    return status == nullptr ? "" : std::string(json::find_string(*status, "message").value_or(""));
  }
};

/// Sends a body to a handler that allows everything.
Asked ask(const std::string& body) {
  Asked asked;
  asked.reply = answer_admission(
      [&](const AdmissionRequest&) {
        ++asked.times;
        return AdmissionAnswer::allow();
      },
      body);
  return asked;
}

TEST(Admission, AllowsWhatTheHandlerHasRead) {
  const std::string about = R"("kind":)" + kind;
  for (const std::string& request :
       {about + R"(,"operation":"CREATE","object":)" + widget,
        about + R"(,"operation":"CREATE","object":)" + widget + R"(,"oldObject":null)",
        about + R"(,"operation":"UPDATE","object":)" + widget + R"(,"oldObject":)" + widget,
        about + R"(,"operation":"DELETE","object":null,"oldObject":)" + widget,
        std::string(R"("kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE",)") +
            R"("object":{"apiVersion":"v1","kind":"Pod"})",
        std::string(R"("kind":{"group":"","version":"v1","kind":"PodExecOptions"},"operation":"CONNECT")")}) {
    const Asked asked = ask(review(request));
    EXPECT_EQ(asked.reply.http_status, 200) << asked.reply.body;
    EXPECT_TRUE(asked.reply.allowed) << request << ": " << asked.message();
    EXPECT_EQ(asked.times, 1);
  }
}

TEST(Admission, DeniesWhatItCannotRead) {
  const std::string about = R"("kind":)" + kind;
  struct Case {
    std::string request, said;
  };
  for (const Case& c : {
           Case{about + R"(,"operation":"CREATE")", "request.object is missing"},
           Case{about + R"(,"operation":"CREATE","object":null)", "request.object is missing"},
           Case{about + R"(,"operation":"UPDATE","oldObject":)" + widget, "request.object is missing"},
           Case{about + R"(,"operation":"CREATE","object":"text")", "request.object is no object"},
           Case{about + R"(,"operation":"CREATE","object":[])", "request.object is no object"},
           Case{about + R"(,"operation":"CREATE","object":)" + widget + R"(,"oldObject":7)",
                "request.oldObject is no object"},
           Case{about + R"(,"operation":"UPDATE","object":)" + widget, "request.oldObject is missing"},
           Case{about + R"(,"operation":"DELETE")", "request.oldObject is missing"},
           Case{about + R"(,"operation":"CREATE","object":{"apiVersion":"g.io/v1","kind":"Gadget"})",
                "request.object is a g.io/v1 Gadget, and request.kind says g.io/v1 Widget"},
           Case{about + R"(,"operation":"CREATE","object":{"apiVersion":"g.io/v2","kind":"Widget"})",
                "request.object is a g.io/v2 Widget"},
           Case{about + R"(,"operation":"CREATE","object":{"spec":{}})", "request.object is a"},
           Case{about + R"(,"operation":"UPDATE","object":)" + widget +
                    R"(,"oldObject":{"apiVersion":"v1","kind":"Pod"})",
                "request.oldObject is a v1 Pod"},
           Case{R"("kind":"Widget","operation":"CREATE","object":)" + widget, "request.kind is no object"},
       }) {
    const Asked asked = ask(review(c.request));
    EXPECT_EQ(asked.reply.http_status, 200) << "a failed call is let through by failurePolicy: Ignore";
    EXPECT_FALSE(asked.reply.allowed) << c.request;
    EXPECT_EQ(asked.times, 0) << c.request;
    EXPECT_TRUE(asked.message().contains(c.said)) << asked.message();
    EXPECT_EQ(json::find_string(json::parse(asked.reply.body)->at("response"), "uid"), "u");
  }
}

TEST(Admission, RefusesAKeyThatStandsTwice) {
  const std::string about = R"("kind":)" + kind + R"(,"operation":"CREATE",)";
  for (const std::string& body :
       {review(about + R"("object":)" + widget + R"(,"object":)" + widget),
        review(about + R"("object":{"apiVersion":"g.io/v1","kind":"Widget","spec":{"a":1,"a":2}})"),
        review(about + R"("uid":"v","object":)" + widget)}) {
    const Asked asked = ask(body);
    EXPECT_EQ(asked.reply.http_status, 400) << body;
    EXPECT_EQ(asked.times, 0);
    EXPECT_TRUE(asked.message().contains("twice")) << asked.message();
  }
}

}  // namespace
}  // namespace fairway::webhook
