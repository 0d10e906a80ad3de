// SPDX-License-Identifier: Apache-2.0

// Help, completion and manual are made of the same model: nothing that one of them knows is missing in
// another.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/text.h"

namespace fairway {
namespace {

std::string output_of(const std::string& arguments) {
  std::string text;
  FILE* pipe = popen(("'" FAIRWAY_BINARY "' " + arguments).c_str(), "r");
  std::array<char, 4096> buffer{};
  std::size_t got = 0;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) text.append(buffer.data(), got);
  EXPECT_EQ(pclose(pipe), 0) << arguments;
  return text;
}

/// Returns the first words of the lines of a section of a help text.
std::vector<std::string> words_below(const std::string& help, std::string_view title) {
  std::vector<std::string> words;
  bool inside = false;
  for (const std::string_view line : split(help, '\n')) {
    if (!line.starts_with(' ')) {
      inside = line == title;
    } else if (inside && line.size() > 2 && line[2] != ' ') {
      words.emplace_back(split(line.substr(2), ' ').front());
    }
  }
  return words;
}

std::set<std::string> long_flags(const std::string& help) {
  std::set<std::string> flags;
  for (const std::string_view line : split(help, '\n')) {
    if (!line.starts_with("  -")) continue;
    for (std::string_view word : split(line, ' ')) {
      if (word.ends_with(',')) word.remove_suffix(1);
      if (word.starts_with("--")) flags.emplace(word);
      if (!word.empty() && !word.starts_with('-')) break;
    }
  }
  return flags;
}

/// Returns every command that runs something ("graph show"), as the help texts list them: one that has others
/// below runs something itself where its help has "[SUBCOMMAND]".
std::vector<std::string> commands(const std::string& prefix = "") {
  const std::string help = output_of(prefix + " --help");
  std::vector<std::string> all;
  const auto below = words_below(help, "Subcommands:");
  if (below.empty() || help.contains(" [SUBCOMMAND]\n")) all.push_back(prefix);
  for (const std::string& name : below) {
    for (std::string& command : commands(prefix.empty() ? name : prefix + " " + name))
      all.push_back(std::move(command));
  }
  return all;
}

std::string as_roff(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

/// Returns the part of the manual that is about a command: of a page about several commands, its section.
std::string manual_of(const std::string& command) {
  std::string page = output_of("man " + command.substr(0, command.find(' ')));
  if (!page.contains("\n.SH COMMANDS\n")) return page;
  const std::size_t section = page.find("\n.SS " + as_roff("fairway " + command) + "\n");
  EXPECT_NE(section, std::string::npos) << command;
  if (section == std::string::npos) return "";
  return page.substr(section, page.find("\n.S", section + 1) - section);
}

/// Returns the words, one a line, that completion offers at the end of a line.
std::string offered(const std::string& line) {
  return "\n" + output_of("completion candidates -- " + line);
}

/// Returns whether completion offers a word, with words about it.
bool is_offered(const std::string& offers, const std::string& word) {
  return offers.contains("\n" + word + "\t");
}

TEST(Help, HasEveryCommandAndFlagInTheManualAndInCompletion) {
  const std::string overview = output_of("man");
  const auto all = commands();
  EXPECT_GE(all.size(), 40U);
  for (const std::string& command : all) {
    EXPECT_NE(overview.find("\n\\fBfairway " + as_roff(command) + "\\fR\n"), std::string::npos) << command;
    const std::string name = " " + command, above = "fairway" + name.substr(0, name.rfind(' ') + 1);
    EXPECT_TRUE(is_offered(offered(above + "''"), name.substr(name.rfind(' ') + 1))) << command;
    const auto flags = long_flags(output_of(command + " --help"));
    EXPECT_TRUE(flags.contains("--help"));
    const std::string manual = manual_of(command), offers = offered("fairway " + command + " --");
    for (const std::string& flag : flags) {
      EXPECT_NE(manual.find(as_roff(flag)), std::string::npos) << command << " " << flag;
      EXPECT_TRUE(is_offered(offers, flag)) << command << " " << flag;
    }
  }
}

TEST(Help, EndsWithAnExampleForEveryCommand) {
  for (const std::string& command : commands()) {
    EXPECT_NE(output_of(command + " --help").find("\nExample: "), std::string::npos) << command;
  }
}

TEST(Help, NamesTheSameLimitsForBothServers) {
  const auto service = words_below(output_of("serve --help"), "Limits:");
  auto api = words_below(output_of("apiserver --help"), "Limits:");
  EXPECT_GE(api.size(), 15U);
  // Requests in flight are cut off at the API server's end, as its watches are.
  api.emplace_back("--drain");
  EXPECT_EQ(std::set(service.begin(), service.end()), std::set(api.begin(), api.end()));
}

TEST(Manual, HasNoLineThatRoffDoesNotKnow) {
  const auto request = Pattern::compile(R"(^\.(\\"|TH|SH|SS|TP|PP|br|EX|EE|RS|RE|nh|ad)( |$))");
  ASSERT_TRUE(request.has_value());
  for (const std::string topic : {"", "adm", "apiserver", "gateway", "lint", "risk", "serve"}) {
    const std::string manual = output_of("man " + topic);
    for (const std::string_view line : split(manual, '\n')) {
      if (line.starts_with('.')) {
        EXPECT_TRUE(request->search(line)) << topic << ": " << line;
      }
      EXPECT_FALSE(line.starts_with('\'')) << topic << ": " << line;
    }
  }
}

}  // namespace
}  // namespace fairway
