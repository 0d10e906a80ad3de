// SPDX-License-Identifier: Apache-2.0

#include "http/negotiate.h"

#include <gtest/gtest.h>

#include <sstream>

#include "http/table.h"

namespace fairway::http {
namespace {

TEST(Accept, ChoosesAsTheTableSays) {
  for (const TableRow& row : read_table("accept.tsv")) {
    std::vector<std::string> names;
    std::istringstream words(row.at(1));
    for (std::string word; words >> word;) names.push_back(word);
    const std::vector<std::string_view> offers(names.begin(), names.end());
    std::optional<std::string_view> header;
    const std::string text = row.at(0);
    if (text != "-") header = text;
    const auto chosen = choose_media_type(header, offers);
    EXPECT_EQ(chosen ? names[*chosen] : "none", row.at(2)) << "accept.tsv:" << row.line;
  }
}

TEST(Accept, OffersNothingWhereThereIsNothing) {
  EXPECT_FALSE(choose_media_type("*/*", {}));
}

TEST(AcceptEncoding, PrefersGzipAsTheTableSays) {
  for (const TableRow& row : read_table("accept_encoding.tsv")) {
    EXPECT_EQ(accepts_gzip(row.at(0)) ? "gzip" : "identity", row.at(1)) << "accept_encoding.tsv:" << row.line;
  }
}

TEST(AcceptEncoding, MayForbidWhatIsNotCoded) {
  for (const char* text :
       {"", "gzip", "identity", "gzip, *", "*;q=0, identity", "identity;q=0.001", "br;q=0"})
    EXPECT_TRUE(accepts_identity(text)) << text;
  for (const char* text :
       {"identity;q=0", "gzip, identity;q=0", "*;q=0", "gzip, *;q=0.000", "identity;q=0, *"})
    EXPECT_FALSE(accepts_identity(text)) << text;
}

TEST(IfNoneMatch, MatchesAsTheTableSays) {
  for (const TableRow& row : read_table("if_none_match.tsv")) {
    EXPECT_EQ(etag_matches(row.at(0), row.at(1)) ? "yes" : "no", row.at(2))
        << "if_none_match.tsv:" << row.line;
  }
}

}  // namespace
}  // namespace fairway::http
