// SPDX-License-Identifier: Apache-2.0

#include "base/redact_url.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace fairway {
namespace {

TEST(RedactUrl, LeavesOutWhatMayBeSecretAlsoWithoutAScheme) {
  constexpr std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"https://u:p@h/x?token=t", "https://h/x?token=REDACTED"},
      {"//u:p@h/x", "//h/x"},
      {"u:p@h/x?token=t&channel=c", "h/x?token=REDACTED&channel=c"},
      {"u@h:8080/x", "h:8080/x"},
      {"u:p/w@h/x", "h/x"},
      {"https:u:p@h", "h"},
      {"https:/u:p@h/x", "h/x"},
      {"h/x", "h/x"},
      {"h:8080", "h:8080"},
      {"/a/path?k=v", "/a/path?k=REDACTED"},
      {"u:p@h/graph?next=http://x", "h/graph?next=REDACTED"},
      {" u:p@h/x\n", "h/x"},
      {"https://u:p w@h/x?a=b", "h/x REDACTED"},
      {"h/x?t=SEC RET", "h/x REDACTED"},
      {"http://a b/x", "http://a b/x"},
      {"https://h/x y?SECRET", "https://h/x REDACTED"},
      {"u:p://w@h/x", "h/x"},
      {"http:///u:p@h/x", "http:///h/x"},
      {"http://", "http://"},
      {" ", ""},
  };
  for (const auto& [url, shown] : cases) EXPECT_EQ(redact_url(url), shown) << url;
}

}  // namespace
}  // namespace fairway
