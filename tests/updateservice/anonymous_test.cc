#include "updateservice/internal/anonymous.h"

#include <gtest/gtest.h>

namespace fairway::updateservice {
namespace {

TEST(Anonymous, ReadsNothingOfWhereThingsComeFrom) {
  EXPECT_EQ(without_places("reading /srv/data/releases.json: Permission denied"),
            "reading (a path): Permission denied");
  EXPECT_EQ(without_places("GET https://git.internal:8443/x?a=b: status 500; 'git+file:///srv/x#main'"),
            "GET (a URL): status 500; '(a URL)'");
  EXPECT_EQ(without_places("oci://registry.internal/r:tag, (/etc/passwd)."), "(a URL), ((a path)).");
  EXPECT_EQ(without_places("blocked-edges/4.7.4.yaml: 4.7.4 / 4.7.5 and 1/2"),
            "blocked-edges/4.7.4.yaml: 4.7.4 / 4.7.5 and 1/2");
}

TEST(Anonymous, ReadsTheNamesOfFilesWithinTheGraphDataOnly) {
  const auto shown = [](const char* file) {
    return for_anonymous(
               graph::Problem{.kind = "graph-data", .place = {.file = file, .line = 3}, .message = "x"})
        .place.to_string();
  };
  EXPECT_EQ(shown("blocked-edges/4.7.4.yaml"), "blocked-edges/4.7.4.yaml:3");
  EXPECT_EQ(shown("channels/stable-4.7.yaml"), "channels/stable-4.7.yaml:3");
  EXPECT_EQ(shown("raw/metadata.json"), "raw/metadata.json:3");
  EXPECT_EQ(shown("/srv/releases.json"), "");
  EXPECT_EQ(shown("releases.json"), "");
  EXPECT_EQ(shown("oci://registry.internal/releases:4.7.4-x86_64"), "");
  EXPECT_EQ(for_anonymous(graph::Problem{.message = "all", .public_message = "less"}).message, "less");
}

}  // namespace
}  // namespace fairway::updateservice
