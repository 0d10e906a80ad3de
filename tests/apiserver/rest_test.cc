// SPDX-License-Identifier: Apache-2.0

// tests/apiserver/data/rest.json: requests, one after the other on one server, and what is answered. Expected
// members must be there with these values; null means absent; a list must have these items and no others.
#include <map>

#include "apiserver/answers.h"
#include "apiserver/server_case.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

class Rest : public OnServer {
 protected:
  /// Replaces "${name}" by values of earlier replies.
  std::string filled_in(std::string text) const {
    for (const auto& [name, value] : remembered_) {
      const std::string place = "${" + name + "}";
      for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place)) {
        text.replace(at, place.size(), value);
      }
    }
    return text;
  }

  void run(const json::Value& step) {
    kube::ApiRequest request;
    request.method = text_of(step, "method", "GET");
    request.path = filled_in(text_of(step, "path"));
    request.query = filled_in(text_of(step, "query"));
    request.accept = text_of(step, "accept", "application/json");
    request.content_type = text_of(step, "contentType", "application/json");
    if (const json::Value* body = json::find(step, "body")) {
      request.body = filled_in(body->is_string() ? std::string(body->get_string()) : json::to_text(*body));
    }
    SCOPED_TRACE(request.method + " " + request.path + "?" + request.query);
    std::string body;
    const auto sent = client->send(request, body);
    const std::int64_t status = sent ? 200 : sent.error().status.code();
    const json::Value answer =
        sent ? json::parse(body).value_or(json::Value(body)) : json::Value(sent.error().status.json());
    const json::Value* expected_status = json::find(step, "status");
    EXPECT_EQ(status, expected_status != nullptr ? expected_status->to_number<std::int64_t>() : 200)
        << json::to_text(answer);
    if (const json::Value* expected = json::find(step, "answer")) {
      const json::Value filled = parsed(filled_in(json::to_text(*expected)));
      EXPECT_EQ(difference(filled, &answer, ""), "") << json::to_text(answer);
    }
    if (const json::Value* names = json::find(step, "remember")) {
      for (const auto& member : names->as_object()) {
        if (answer.is_object()) {
          remembered_[std::string(member.key())] =
              k8s::View(answer.get_object()).text(std::string(member.value().as_string()));
        }
      }
    }
  }

  std::map<std::string, std::string> remembered_;
};

TEST_F(Rest, AnswersAsTheTableSays) {
  for (const json::Value& row :
       fairway::testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) + "/tests/apiserver/data/rest.json")) {
    SCOPED_TRACE(text_of(row, "case"));
    for (const json::Value& step : row.at("steps").as_array()) run(step);
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
