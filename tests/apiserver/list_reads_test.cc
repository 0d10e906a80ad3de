// SPDX-License-Identifier: Apache-2.0

// How much a list reads.
#include "apiserver/internal/rest/api.h"
#include "apiserver/objects_case.h"

namespace fairway::apiserver::testing {
namespace {

class ListReads : public WithObjects {
 protected:
  json::Value list(const std::string& query) {
    const std::string path = "/api/v1/configmaps";
    const auto response =
        api.handle({.method = "GET", .target = {}, .path = path, .query = query, .peer = &admin});
    return json::parse(*response.body).value();
  }
  watch::WatchHub watches{Clock::system()};
  rest::Api api{objects, watches, {}};
  const http::Peer admin{.address = "127.0.0.1:1",
                         .tls = true,
                         .certificate_digest = "",
                         .certificate_subject = "CN=a,O=system:masters"};
};

TEST_F(ListReads, AreFewWhereASelectorMatchesLittle) {
  constexpr int count = 1000;
  for (int i = 0; i < count; ++i) make("configmaps", "m" + std::to_string(i));
  const int before = hooked.lists();
  const json::Value none = list("limit=1&labelSelector=none%3Dx");
  EXPECT_EQ(none.at("items").get_array().size(), 0U);
  EXPECT_LE(hooked.lists() - before, 16);
  const json::Value one = list("limit=1&fieldSelector=metadata.name%3Dm999");
  EXPECT_EQ(one.at("items").get_array().size(), 1U);
}

/// A page ends where it is full, although more was read, and the next one begins there.
TEST_F(ListReads, PagesOfWhatIsSelectedMissNothing) {
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) make("configmaps", "m" + std::to_string(i));
  int seen = 0;
  std::string next;
  do {
    const json::Value page =
        list("limit=3&labelSelector=%21none" + (next.empty() ? "" : "&continue=" + next));
    seen += static_cast<int>(page.at("items").get_array().size());
    next = json::find_string(page.at("metadata"), "continue").value_or("");
  } while (!next.empty());
  EXPECT_EQ(seen, count);
}

}  // namespace
}  // namespace fairway::apiserver::testing
