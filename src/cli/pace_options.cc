// SPDX-License-Identifier: Apache-2.0

#include "cli/pace_options.h"

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/text.h"

namespace fairway::cli {

void add_pace_flags(CLI::App& command, conversion::MigrationPace& pace) {
  constexpr const char* group = "Pace";
  command.add_option("--workers", pace.workers, "Concurrent writes")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 64).description(""))
      ->capture_default_str()
      ->group(group);
  command.add_option("--rate", pace.objects_per_second, "Writes in a second, at most; 0: as fast as it goes")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group(group);
  command.add_option("--page-size", pace.page_size, "Objects listed at a time")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 10'000).description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option_function<std::string>(
          "--settle",
          [&pace](const std::string& text) {
            const auto settle = parse_duration(text);
            if (!settle || *settle < settle->zero() || *settle > std::chrono::hours(24)) {
              throw CLI::ValidationError(
                  "--settle", printable(text, 40) + " has to be a duration up to 24h, like 60s; 0s: none");
            }
            pace.settle = *settle;
          },
          "How long --to has to have been seen as the storage version before all objects are written: the "
          "API server's --request-timeout (default: 60s)")
      ->type_name("DURATION")
      ->group(group);
}

}  // namespace fairway::cli
