// SPDX-License-Identifier: Apache-2.0

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
      // Passwords that nobody has encoded.
      {"reading https://ci:ab/cd@git.corp/x: no", "reading https://git.corp/x: no"},
      {"https://ci:a?b@h/x", "https://h/x"},
      {"http://u:p/w@SECRET@host/x", "http://host/x"},
      {"http://u:p@w/SECRET@host/x", "http://host/x"},
      {"http://u:p@host/x?mail=a@b", "http://host/x?mail=REDACTED"},
      {"hTTp://u:p@host/x", "hTTp://host/x"},
      {"'h/x?token=t' and http://u:p@h/x,http://u:q@h/y", "'h/x?token=REDACTED' and http://h/x,http://h/y"},
      {"https://ci:it's@host:8x/", "https://host:8x/"},
      {"https://ci:a\"b|c{d}^e\\f<g>`h@host/x", "https://host/x"},
      {"'https://ci:ab/cd@git.corp/x'", "'https://git.corp/x'"},
      {"https://h/x?private_token=ab'cd", "https://h/x?private_token=REDACTED"},
      {"https://h/x?private_token=a|b{c}\"d", "https://h/x?private_token=REDACTED"},
      {"see <https://h/x?t=a> and `https://h/x?t=b`",
       "see <https://h/x?t=REDACTED> and `https://h/x?t=REDACTED`"},
      // Cut off before the `@`.
      {"reading https://ci:eyJhbGciOi…", "reading https://…"},
      {"https://host:8443/a-long-pa… or so", "https://… or so"},
      // Digests are no hosts.
      {"oci://h:5000/r@sha256:0b", "oci://h:5000/r@sha256:0b"},
      {"oci://HOST[:PORT]/REPOSITORY[:TAG|@DIGEST]", "oci://HOST[:PORT]/REPOSITORY[:TAG|@DIGEST]"},
      {"oci://u:p@h:5000/r@sha256:0b", "oci://h:5000/r@sha256:0b"},
      {"https://u:p@DIGEST.example.com/", "https://DIGEST.example.com/"},
      // Other forms.
      {"https://h/x#access_token=t&state=s", "https://h/x#access_token=REDACTED&state=REDACTED"},
      {"git+https://h/x?t=1#main", "git+https://h/x?t=REDACTED#main"},
      {"//user:pw@host/x", "//host/x"},
      {"https:/user:pw@host/x", "https:/host/x"},
      {"https%3A%2F%2Fuser:pw@host", "https%3A%2F%2Fhost"},
      {"a//b and C:/x@y", "a//b and C:/x@y"},
  };
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(redact_urls(text), shown);
    EXPECT_EQ(redact_urls(shown), shown) << "what is redacted stays so";
  }
}

}  // namespace
}  // namespace fairway
