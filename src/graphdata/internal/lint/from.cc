// SPDX-License-Identifier: Apache-2.0

// Lint: the expressions of `from`, and what they meet.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "graphdata/internal/lint/context.h"

namespace fairway::graphdata {

namespace {

// Without a list of releases, what channels list is taken to exist on each of these.
constexpr std::string_view usual_architectures[] = {"amd64", "arm64", "multi", "ppc64le", "s390x"};

// Everything that `from` may be searched in: VERSION+ARCHITECTURE.
std::vector<std::string> all_sources(const LintContext& context) {
  std::set<std::string> sources;
  for (const graph::Release& release : context.inputs.releases)
    sources.insert(release.version.to_string() + "+" + release.arch);
  if (sources.empty()) {
    for (const ChannelFile& file : context.channels) {
      for (const graph::ChannelVersion& listed : file.channel.versions) {
        const std::string version = listed.version.to_string();
        if (!listed.version.build().empty()) {
          sources.insert(version);
          continue;
        }
        for (const std::string_view arch : usual_architectures)
          sources.insert(version + "+" + std::string(arch));
      }
    }
  }
  return {sources.begin(), sources.end()};
}

bool is_known_architecture(const LintContext& context, std::string_view arch) {
  return std::ranges::find(usual_architectures, arch) != std::end(usual_architectures) ||
         std::ranges::find(context.inputs.releases, arch, &graph::Release::arch) !=
             context.inputs.releases.end();
}

std::string_view without_build(std::string_view source) {
  return source.substr(0, source.find('+'));
}

// Offsets of dots that stand for any character, though numbers stand beside them.
std::vector<std::size_t> unescaped_dots(std::string_view pattern) {
  std::vector<std::size_t> dots;
  bool in_class = false;
  const auto is_digit = [&](std::size_t at) {
    return at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9';
  };
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\') {
      ++at;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      if (at + 1 < pattern.size() && pattern[at + 1] == '^') ++at;
      if (at + 1 < pattern.size() && pattern[at + 1] == ']') ++at;
    } else if (c == '.') {
      const bool repeated = at + 1 < pattern.size() && std::string_view("*+?{").contains(pattern[at + 1]);
      if (!repeated && ((at > 0 && is_digit(at - 1)) || is_digit(at + 1))) dots.push_back(at);
    }
  }
  return dots;
}

std::string with_escaped(std::string_view pattern, const std::vector<std::size_t>& dots) {
  std::string escaped;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (std::ranges::find(dots, at) != dots.end()) {
      escaped += "[.]";
    } else {
      escaped += pattern[at];
    }
  }
  return escaped;
}

// Where a character of a scalar stands, if the scalar is written on one line as it reads; else where it
// begins.
graph::Place place_within(const LintContext& context, const BlockedEdgeFile& file, const yaml::Node& scalar,
                          std::size_t offset) {
  graph::Place place = place_at(file.file, scalar.mark);
  const std::vector<std::string_view> lines = split(context.inputs.files.at(file.file), '\n');
  const auto line = static_cast<std::size_t>(place.line - 1);
  const auto column = static_cast<std::size_t>(place.column - 1);
  if (line >= lines.size() || column >= lines[line].size()) return place;
  for (const std::size_t quote : {std::size_t{0}, std::size_t{1}}) {
    if (lines[line].substr(std::min(column + quote, lines[line].size())).starts_with(scalar.scalar)) {
      place.column += static_cast<int>(quote + offset);
      return place;
    }
  }
  return place;
}

/// The sources that an expression matches.
struct Matches {
  std::vector<bool> sources;
  bool any = false;
  /// The first source that it would match without the architecture, if it matches none.
  const std::string* bare = nullptr;
};

Matches find_matches(const Pattern& pattern, const std::vector<std::string>& sources) {
  Matches found;
  found.sources.reserve(sources.size());
  for (const std::string& source : sources) {
    found.sources.push_back(pattern.search(source));
    found.any = found.any || found.sources.back();
  }
  if (found.any) return found;
  const auto bare = std::ranges::find_if(
      sources, [&](const std::string& source) { return pattern.search(without_build(source)); });
  if (bare != sources.end()) found.bare = &*bare;
  return found;
}

/// Cache of the matches of each expression, by its text: many files share one.
class MatchesByText {
 public:
  explicit MatchesByText(std::vector<std::string> sources) : sources_(std::move(sources)) {}

  const std::vector<std::string>& sources() const { return sources_; }
  const Matches& of(const Pattern& pattern) {
    const auto found = cache_.find(pattern.text());
    return found != cache_.end()
               ? found->second
               : cache_.emplace(pattern.text(), find_matches(pattern, sources_)).first->second;
  }

 private:
  const std::vector<std::string> sources_;
  std::map<std::string, Matches, std::less<>> cache_;
};

void check_match(LintContext& context, const BlockedEdgeFile& file, const yaml::Entry& from,
                 const std::string* bare) {
  const Severity severity = context.is_changed(file.file) ? Severity::error : Severity::warning;
  const Pattern& pattern = *file.block.from;
  const graph::Place place = place_of_value(file.file, from);
  const std::string known = context.inputs.releases.empty() ? "version in the channels" : "release";
  if (bare != nullptr) {
    context.add("from-matches-nothing", place, pattern.text(),
                "no " + known + " matches: the expression meets " + std::string(without_build(*bare)) +
                    ", but is searched in " + *bare + ", and blocks nothing",
                "allow for the architecture: [+] where the version ends, in place of $", severity);
  } else {
    context.add("from-matches-nothing", place, pattern.text(),
                "no " + known + " matches: the file blocks nothing", "fix the expression, or remove the file",
                severity);
  }
}

const yaml::Entry* from_of(const BlockedEdgeFile& file) {
  const yaml::Node* mapping = file.mapping();
  if (mapping == nullptr || !file.block.from) return nullptr;
  return find_entry(*mapping, "from");
}

std::vector<const BlockedEdgeFile*> understood(const LintContext& context) {
  std::vector<const BlockedEdgeFile*> files;
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    if (file.faults.empty() && !file.targets.empty()) files.push_back(&file);
  }
  return files;
}

/// Returns whether a file removes updates that `file` has a risk for, and reports that.
bool check_overridden(LintContext& context, const BlockedEdgeFile& file, const BlockedEdgeFile& removing,
                      MatchesByText& matches) {
  const std::vector<bool>& met = matches.of(*file.block.from).sources;
  const std::vector<bool>& removed = matches.of(*removing.block.from).sources;
  std::size_t source = 0;
  while (source < met.size() && !(met[source] && removed[source])) ++source;
  if (source == met.size()) return false;
  context.add("block-overridden", file.block.place, file.block.to.to_string(),
              removing.file + " removes the update from " +
                  std::string(without_build(matches.sources()[source])) +
                  " to this target: nobody is told this risk of it",
              "remove one of the files, or let their 'from' meet different releases");
  return true;
}

/// Most files that are named as removing updates which another has a risk for, and most that are compared.
constexpr int named_overriding = 10, compared_overriding = 1000;

void check_overriding(LintContext& context, const BlockedEdgeFile& file,
                      const std::vector<const BlockedEdgeFile*>& files, MatchesByText& matches) {
  int named = 0, compared = 0;
  for (const BlockedEdgeFile* other : files) {
    if (other->block.effect != graph::Block::Effect::removed || !overlaps(other->block.to, file.block.to))
      continue;
    named += check_overridden(context, file, *other, matches) ? 1 : 0;
    if (named >= named_overriding || ++compared >= compared_overriding) return;
  }
}

/// Returns a text of a file's block: equal texts are equal blocks.
std::string block_text(const BlockedEdgeFile& file) {
  const graph::Block& block = file.block;
  return block.to.to_string() + "\n" + std::to_string(static_cast<int>(block.effect)) + "\n" +
         std::to_string(block.from->text().size()) + block.from->text() + "\n" + block.risk.body();
}

}  // namespace

void lint_from(LintContext& context) {
  MatchesByText matches(all_sources(context));
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    const yaml::Entry* from = from_of(file);
    if (from == nullptr) continue;
    const std::string& text = file.block.from->text();
    if (const std::vector<std::size_t> dots = unescaped_dots(text); !dots.empty()) {
      context.add("from-dot", place_within(context, file, from->value, dots.front()),
                  text.substr(dots.front(), 1), "this dot stands for any character, not for a dot",
                  "write " + with_escaped(text, dots));
    }
    if (const Matches& found = matches.of(*file.block.from); !found.any && !matches.sources().empty())
      check_match(context, file, *from, found.bare);
  }
}

void lint_targets(LintContext& context) {
  WrittenVersions listed;
  for (const ChannelFile& channel : context.channels) {
    for (const graph::ChannelVersion& version : channel.channel.versions) listed.add(version.version);
  }
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    for (const Target& target : file.targets) {
      if (const std::string& arch = target.to.build();
          !arch.empty() && !is_known_architecture(context, arch)) {
        context.add("block-meets-nothing", target.place, target.to.to_string(),
                    "no release is for the architecture " + arch + ": the file blocks nothing",
                    "fix the architecture behind the +",
                    context.is_changed(file.file) ? Severity::error : Severity::warning);
      }
      if (listed.overlap(target.to)) continue;
      context.add("to-in-no-channel", target.place, target.to.to_string(),
                  "no channel lists this target: nobody is offered it, and the file does nothing",
                  "fix 'to', or remove the file",
                  context.is_changed(file.file) ? Severity::error : Severity::warning);
    }
  }

  MatchesByText matches(all_sources(context));
  std::map<std::string, std::vector<const BlockedEdgeFile*>> by_target;
  for (const BlockedEdgeFile* file : understood(context))
    by_target[file->block.to.with_build("").to_string()].push_back(file);
  for (const auto& [target, files] : by_target) {
    std::unordered_map<std::string, const BlockedEdgeFile*> first;
    for (const BlockedEdgeFile* file : files) {
      const auto [twin, is_new] = first.emplace(sha256_hex(block_text(*file)), file);
      if (!is_new) {
        context.add("block-repeated", file->block.place, file->block.to.to_string(),
                    twin->second->file + " says the same", "remove one of the files");
      }
      if (file->block.effect == graph::Block::Effect::conditional)
        check_overriding(context, *file, files, matches);
    }
  }
}

}  // namespace fairway::graphdata
