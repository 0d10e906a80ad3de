// Lint: the expressions of `from`, and what they meet.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "graphdata/lint/internal/context.h"

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

void check_match(LintContext& context, const BlockedEdgeFile& file, const yaml::Entry& from,
                 const std::vector<std::string>& sources) {
  const Severity severity = context.is_new(file.file) ? Severity::error : Severity::warning;
  const Pattern& pattern = *file.block.from;
  const graph::Place place = place_of_value(file.file, from);
  const auto bare = std::ranges::find_if(
      sources, [&](const std::string& source) { return pattern.search(without_build(source)); });
  const std::string known = context.inputs.releases.empty() ? "version in the channels" : "release";
  if (bare != sources.end()) {
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

void check_overridden(LintContext& context, const BlockedEdgeFile& file, const BlockedEdgeFile& removing,
                      const std::vector<std::string>& sources) {
  const auto met = std::ranges::find_if(sources, [&](const std::string& source) {
    return file.block.from->search(source) && removing.block.from->search(source);
  });
  if (met == sources.end()) return;
  context.add("block-overridden", file.block.place, file.block.to.to_string(),
              removing.file + " removes the update from " + std::string(without_build(*met)) +
                  " to this target: nobody is told this risk of it",
              "remove one of the files, or let their 'from' meet different releases");
}

bool same_block(const BlockedEdgeFile& a, const BlockedEdgeFile& b) {
  return a.block.to == b.block.to && a.block.effect == b.block.effect &&
         a.block.from->text() == b.block.from->text() && a.block.risk.body() == b.block.risk.body();
}

}  // namespace

void lint_from(LintContext& context) {
  const std::vector<std::string> sources = all_sources(context);
  std::map<std::string, bool> matches;
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    const yaml::Entry* from = from_of(file);
    if (from == nullptr) continue;
    const std::string& text = file.block.from->text();
    if (const std::vector<std::size_t> dots = unescaped_dots(text); !dots.empty()) {
      context.add("from-dot", place_within(context, file, from->value, dots.front()),
                  text.substr(dots.front(), 1), "this dot stands for any character, not for a dot",
                  "write " + with_escaped(text, dots));
    }
    const auto [known, is_new] = matches.emplace(text, false);
    if (is_new) {
      known->second = std::ranges::any_of(
          sources, [&](const std::string& source) { return file.block.from->search(source); });
    }
    if (!known->second && !sources.empty()) check_match(context, file, *from, sources);
  }
}

void lint_targets(LintContext& context) {
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    for (const Target& target : file.targets) {
      if (const std::string& arch = target.to.build();
          !arch.empty() && !is_known_architecture(context, arch)) {
        context.add("block-meets-nothing", target.place, target.to.to_string(),
                    "no release is for the architecture " + arch + ": the file blocks nothing",
                    "fix the architecture behind the +",
                    context.is_new(file.file) ? Severity::error : Severity::warning);
      }
      const bool listed = std::ranges::any_of(context.channels, [&](const ChannelFile& channel) {
        return std::ranges::any_of(channel.channel.versions, [&](const graph::ChannelVersion& version) {
          return overlaps(version.version, target.to);
        });
      });
      if (listed) continue;
      context.add("to-in-no-channel", target.place, target.to.to_string(),
                  "no channel lists this target: nobody is offered it, and the file does nothing",
                  "fix 'to', or remove the file",
                  context.is_new(file.file) ? Severity::error : Severity::warning);
    }
  }

  const std::vector<std::string> sources = all_sources(context);
  std::map<std::string, std::vector<const BlockedEdgeFile*>> by_target;
  for (const BlockedEdgeFile* file : understood(context))
    by_target[file->block.to.with_build("").to_string()].push_back(file);
  for (const auto& [target, files] : by_target) {
    for (auto file = files.begin(); file != files.end(); ++file) {
      const auto twin = std::find_if(
          files.begin(), file, [&](const BlockedEdgeFile* other) { return same_block(*other, **file); });
      if (twin != file) {
        context.add("block-repeated", (*file)->block.place, (*file)->block.to.to_string(),
                    (*twin)->file + " says the same", "remove one of the files");
      }
      if ((*file)->block.effect != graph::Block::Effect::conditional) continue;
      for (const BlockedEdgeFile* other : files) {
        if (other->block.effect == graph::Block::Effect::removed &&
            overlaps(other->block.to, (*file)->block.to))
          check_overridden(context, **file, *other, sources);
      }
    }
  }
}

}  // namespace fairway::graphdata
