// SPDX-License-Identifier: Apache-2.0

#include "testing/internal/format_text.h"

#include <algorithm>
#include <iterator>

namespace fairway::testing {

namespace {

/// A format without dashes, which do not count, and a pattern all of whose texts are of it.
struct Format {
  std::string_view name, pattern;
};

constexpr Format formats[] = {
    {"bsonobjectid", "[0-9a-f]{24}"},
    {"byte", "(AAEC|aGk=|)"},
    {"cidr", R"(10\.[1-9]\.0\.0/16|2001:db8:[1-9]::/48)"},
    {"creditcard", "4111111111111111"},
    {"date", "2026-02-0[1-9]"},
    {"datetime", R"(2026-02-0[1-9]T0[0-9]:00:00(Z|\.5Z|\+01:00))"},
    {"duration", "[1-9](s|m|h)"},
    {"email", R"([a-z]{3}@example\.(com|org))"},
    {"hexcolor", "#[0-9a-f]{6}"},
    {"hostname", R"([a-z]{2,5}\.example)"},
    {"ipv4", R"(10\.[1-9]\.[1-9]\.[1-9])"},
    {"ipv6", "2001:db8::[1-9a-f]"},
    {"isbn", "9780306406157"},
    {"isbn10", "0306406152"},
    {"isbn13", "9780306406157"},
    {"k8slongname", R"([a-z]{2,5}(\.[a-z]{2})?)"},
    {"k8sshortname", "[a-z]{2,5}(-[0-9])?"},
    {"mac", "([0-9a-f]{2}:){5}[0-9a-f]{2}"},
    {"password", "[a-z0-9]{4,8}"},
    {"rgbcolor", R"(rgb\([1-9],[1-9],[1-9]\))"},
    {"ssn", "[1-6][0-9]{2}-[1-9][0-9]-[1-9][0-9]{3}"},
    {"uri", R"(https://[a-z]{3}\.example/[a-z]{0,3})"},
    {"uuid", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"},
    {"uuid3", "[0-9a-f]{8}-[0-9a-f]{4}-3[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"},
    {"uuid4", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"},
    {"uuid5", "[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"},
};

}  // namespace

std::optional<std::string> text_of_format(std::string_view format, const Below& below) {
  std::string plain(format);
  std::erase(plain, '-');
  const auto* found = std::ranges::find(formats, plain, &Format::name);
  return found == std::end(formats) ? std::nullopt : text_of_pattern(found->pattern, below);
}

}  // namespace fairway::testing
