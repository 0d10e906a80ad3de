#include "base/redact.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace fairway {
namespace {

TEST(Redact, LeavesOutWhatMayBeSecretInUrls) {
  constexpr std::pair<std::string_view, std::string_view> cases[] = {
      {"nothing to hide", "nothing to hide"},
      {"asking https://git.example.com/g.tar.gz?private_token=glpat-1: refused",
       "asking https://git.example.com/g.tar.gz?private_token=REDACTED: refused"},
      {"https://u:p@h/x, http://t@h:81/y.", "https://h/x, http://h:81/y."},
      {"git+https://u:p%40@h/x#main", "git+https://h/x#main"},
      {"https://b.s3/x?X-Amz-Credential=A%2Fb&X-Amz-Signature=0f#f",
       "https://b.s3/x?X-Amz-Credential=REDACTED&X-Amz-Signature=REDACTED#f"},
      {"https://h/graph?channel=stable-4.7&arch=amd64&token=t",
       "https://h/graph?channel=stable-4.7&arch=amd64&token=REDACTED"},
      {"Location: /x?sig=abc; next", "Location: /x?sig=REDACTED; next"},
      {"'https://h/x?secret' and \"https://h/y?a=\"", "'https://h/x?REDACTED' and \"https://h/y?a=\""},
      {"https://h/x?a=b=c&&d=e;f=g", "https://h/x?a=REDACTED&&d=REDACTED;f=REDACTED"},
      {"https://user:p@ss@h/", "https://h/"},
      {"cut off: https://u:pas", "cut off: https://u:pas"},
      {"max(x{type=~\"https?\"}) or why? yes", "max(x{type=~\"https?\"}) or why? yes"},
      {"https://h/a?t=1 https://h/b?t=2", "https://h/a?t=REDACTED https://h/b?t=REDACTED"},
      {"https://h/a?redirect=https://u:p@h/b?t=2", "https://h/a?redirect=REDACTED"},
  };
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(redact_urls(text), shown);
    EXPECT_EQ(redact_urls(shown), shown) << "what is redacted stays so";
  }
}

}  // namespace
}  // namespace fairway
