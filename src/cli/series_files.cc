#include "cli/series_files.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "promql/exposition.h"
#include "promql/go_text.h"
#include "promql/promqltest.h"

namespace fairway::cli {

namespace {

bool is_script(std::string_view text) {
  return std::ranges::any_of(split(text, '\n'), [](std::string_view line) {
    return line.starts_with("load ") || line.starts_with("load_with_nhcb ");
  });
}

}  // namespace

CLI::Option* add_series_inputs(CLI::App& command, SeriesInputs& inputs) {
  CLI::Option* series =
      command
          .add_option("--series", inputs.files,
                      "Series from a file: exposition text, or a test script with load commands (repeatable)")
          ->type_name("FILE")
          ->check(CLI::ExistingFile.description(""));
  command
      .add_option("--time", inputs.time,
                  "When: seconds since 1970 or RFC 3339 (default: the last sample of a script, or now)")
      ->type_name("TIME");
  return series;
}

Result<std::optional<promql::Timestamp>> parse_query_time(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto seconds = promql::parse_number(text); seconds && std::abs(*seconds) < 1e12)
    return static_cast<promql::Timestamp>(std::round(*seconds * 1000));
  const auto time = parse_time(text);
  if (!time) return fail(time.error().within("reading --time"));
  return std::chrono::duration_cast<std::chrono::milliseconds>(time->time_since_epoch()).count();
}

Result<LoadedSeries> load_series(const std::vector<std::string>& files,
                                 std::optional<promql::Timestamp> time) {
  LoadedSeries loaded;
  const auto within = [](const Error& error, const std::string& file) {
    return fail(error.within("reading the series of " + file));
  };
  std::vector<std::pair<const std::string*, std::string>> texts;
  for (const std::string& file : files) {
    auto text = read_file(file);
    if (!text) return fail(text.error());
    if (is_script(*text)) {
      if (auto read = promql::load_script(*text, loaded.store); !read) return within(read.error(), file);
    } else {
      texts.emplace_back(&file, *std::move(text));
    }
  }
  // Samples without a time of their own stand at the time of evaluation, which a script may decide.
  if (time) {
    loaded.time = *time;
  } else if (loaded.store.point_count() > 0) {
    loaded.time = loaded.store.last_time();
  } else {
    const auto now = Clock::system().now().time_since_epoch();
    loaded.time = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }
  for (const auto& [file, text] : texts) {
    if (auto read = promql::read_exposition(text, loaded.time, loaded.store); !read)
      return within(read.error(), *file);
  }
  return loaded;
}

}  // namespace fairway::cli
