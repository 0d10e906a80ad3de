// SPDX-License-Identifier: Apache-2.0

#include "cli/new/project_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/new/plural.h"
#include "cli/new/version_order.h"
#include "k8s/names.h"

namespace fairway::cli {

namespace {

constexpr std::size_t longest_label = 63;
constexpr std::string_view namespace_suffix = "-system";

/// Targets that CMake keeps for itself, and the folder of the build that `fairway_embed` writes to.
constexpr std::array<std::string_view, 9> names_of_build{
    "all", "clean", "depend", "embedded", "help", "install", "package", "preinstall", "test"};
/// Words that YAML 1.1, which kubectl reads, takes for booleans and null.
constexpr std::array<std::string_view, 9> words_of_yaml{"y",     "yes", "n",   "no",  "true",
                                                        "false", "on",  "off", "null"};

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}
char capital_of(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

bool is_word_of_yaml(std::string_view text) {
  return std::ranges::find(words_of_yaml, to_lower(text)) != words_of_yaml.end();
}

/// The faults of a request, each with what is checked and what is given.
class NameFaults {
 public:
  void add(std::string_view what, std::string_view given, const std::string& wrong) {
    const std::string doing = "checking " + std::string(what) + " '" + printable(given) + "'";
    errors_.push_back({ErrorCode::invalid, doing + ": " + wrong});
  }
  std::vector<Error> take() { return std::move(errors_); }
  bool empty() const { return errors_.empty(); }

 private:
  std::vector<Error> errors_;
};

/// Returns whether a text has letters that names cannot have, such as "ü". A name without them is not near.
bool has_foreign_letters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// Returns the text with other characters than a label may have as dashes, cut at `longest`; empty if no
/// label is left, or letters would be lost.
std::string nearest_label(std::string_view text, std::size_t longest = longest_label) {
  if (has_foreign_letters(text)) return "";
  std::string label;
  for (const char c : text) {
    if (is_letter_or_digit(c)) {
      label += c;
    } else if (!label.empty() && label.back() != '-') {
      label += '-';
    }
  }
  label.erase(label.begin(), std::ranges::find_if(label, is_letter));
  if (label.size() > longest) label.resize(longest);
  while (label.ends_with('-')) label.pop_back();
  return to_lower(label);
}

/// Returns the words of a text joined as a kind; empty if none is left, or letters would be lost.
std::string nearest_kind(std::string_view text) {
  if (has_foreign_letters(text)) return "";
  std::string kind;
  bool begins_word = true;
  for (const char c : text) {
    if (!is_letter_or_digit(c) || (kind.empty() && !is_letter(c))) {
      begins_word = true;
      continue;
    }
    kind += begins_word ? capital_of(c) : c;
    begins_word = false;
  }
  return kind;
}

/// Returns the advice to give a name that is near; empty if there is none, or if `check` refuses it, too.
template <class Check>
std::string or_else_give(const std::string& nearest, Check check) {
  if (nearest.empty()) return "";
  NameFaults faults;
  check(nearest, faults);
  return faults.empty() ? "; give " + nearest : "";
}

void check_name(std::string_view name, NameFaults& faults) {
  constexpr std::string_view what = "NAME";
  const std::string namespace_name = std::string(name) + std::string(namespace_suffix);
  if (!k8s::check_dns_1035_label(name).empty() && name.size() <= longest_label) {
    faults.add(
        what, name,
        "it names a Service, so it has lower-case letters, digits and dashes, begins with a letter and "
        "does not end with a dash" +
            or_else_give(nearest_label(name, longest_label - namespace_suffix.size()), check_name));
  } else if (namespace_name.size() > longest_label) {
    faults.add(what, name,
               "it has " + std::to_string(name.size()) + " characters; give at most " +
                   std::to_string(longest_label - namespace_suffix.size()) +
                   ", because the operator's namespace is NAME" + std::string(namespace_suffix));
  } else if (std::ranges::find(names_of_build, name) != names_of_build.end()) {
    faults.add(
        what, name,
        "CMake has a target of this name; give another one, such as " + std::string(name) + "-operator");
  } else if (is_word_of_yaml(name)) {
    faults.add(what, name,
               "kubectl reads it in YAML as a boolean or null; give another one, such as " +
                   std::string(name) + "-operator");
  } else if (name == "kube" || name == "fairway") {
    faults.add(what, name,
               "its namespace would be " + namespace_name +
                   ", which others have; give another one, such as " + std::string(name) + "-operator");
  }
}

void check_group(std::string_view group, NameFaults& faults) {
  constexpr std::string_view what = "--group";
  const auto labels = split(group, '.');
  if (!k8s::check_dns_subdomain(group).empty()) {
    faults.add(what, group,
               "a group is a DNS name: lower-case letters, digits and dashes between dots, at most 253 "
               "characters; give one that ends in a domain of yours, such as widgets.example.com");
  } else if (labels.size() < 2) {
    faults.add(what, group,
               "a group of custom kinds has a dot; give one that ends in a domain of yours, such as " +
                   std::string(group) + ".example.com");
  } else if (!is_letter(labels.back().front()) ||
             group.find_first_of("abcdfghijklmnopqrstuvwxyz") == group.npos) {
    faults.add(what, group,
               "it looks like a number, as no domain does, and YAML may take it for one; give one "
               "that ends in a domain of yours, such as widgets.example.com");
  } else if (group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
             group.ends_with(".kubernetes.io")) {
    faults.add(what, group,
               "API servers refuse definitions in the groups of Kubernetes itself without a link to their "
               "approval; give one that ends in a domain of yours, such as widgets.example.com");
  }
}

void check_kind(std::string_view kind, NameFaults& faults) {
  constexpr std::string_view what = "--kind", suffix = "List";
  if (kind.empty() || !is_capital(kind.front()) || !std::ranges::all_of(kind, is_letter_or_digit)) {
    faults.add(what, kind,
               "a kind is a noun in CamelCase, of letters and digits" +
                   or_else_give(nearest_kind(kind), check_kind));
  } else if (kind.size() + suffix.size() > longest_label) {
    faults.add(what, kind,
               "it has " + std::to_string(kind.size()) + " characters; give at most " +
                   std::to_string(longest_label - suffix.size()) + ", because the kind of its lists is KIND" +
                   std::string(suffix));
  } else if (kind.ends_with(suffix)) {
    faults.add(what, kind, "a kind that ends in List is that of a list; give the kind of one object");
  } else if (is_word_of_yaml(kind)) {
    faults.add(what, kind, "kubectl reads it in YAML as a boolean or null; give another noun");
  }
}

void check_plural(std::string_view plural, const ProjectRequest& request, NameFaults& faults) {
  constexpr std::string_view what = "--plural";
  const std::string definition = std::string(plural) + "." + request.group;
  if (!k8s::check_dns_1035_label(plural).empty()) {
    faults.add(
        what, plural,
        "a plural has lower-case letters, digits and dashes, begins with a letter, does not end with a "
        "dash, and has at most 63 characters" +
            or_else_give(nearest_label(plural), [&](std::string_view near, NameFaults& wrong) {
              check_plural(near, request, wrong);
            }));
  } else if (plural == "namespaces") {
    faults.add(what, plural,
               "it stands before a namespace in each path of the API, and servers take it for that; give "
               "another one "
               "by --plural, such as own-namespaces");
  } else if (plural == "watch" || plural == "proxy") {
    // k8s.io/apiserver, RequestInfo: a verb in front of the resource, of the time before `?watch=true`.
    faults.add(what, plural,
               "servers take it for a verb, because it is the first word behind the version in the paths of "
               "the API; give another one by --plural, such as own-" +
                   std::string(plural));
  } else if (is_word_of_yaml(plural)) {
    faults.add(what, plural, "kubectl reads it in YAML as a boolean or null; give another one");
  } else if (!k8s::check_dns_subdomain(definition).empty() &&
             k8s::check_dns_subdomain(request.group).empty()) {
    faults.add(
        what, plural,
        "with the group it names the definition, which has at most 253 characters; give a shorter group");
  }
}

void check_versions(const std::vector<std::string>& versions, NameFaults& faults) {
  constexpr std::string_view what = "--versions";
  const std::string given = join(versions, ",");
  std::vector<KindVersion> parsed;
  for (const std::string& text : versions) {
    const auto version = KindVersion::parse(text);
    if (version) {
      parsed.push_back(*version);
    } else {
      faults.add(what, given,
                 "'" + printable(text) + "' is no version; write v1alpha1, v1beta1, v1, v2 and so on");
    }
  }
  if (versions.empty()) faults.add(what, given, "a kind has at least one version; give v1alpha1");
  if (parsed.size() != versions.size()) return;
  std::set<std::string> seen;
  for (const std::string& text : versions) {
    if (!seen.insert(text).second) {
      faults.add(what, given, text + " is there twice; give each version once");
      return;
    }
  }
  if (std::ranges::is_sorted(parsed)) return;
  std::ranges::sort(parsed);
  std::vector<std::string> sorted;
  for (const KindVersion& version : parsed) sorted.push_back(version.to_string());
  faults.add(what, given,
             "the order is from the oldest to the newest, of which the last one is stored; give " +
                 join(sorted, ","));
}

std::string namespace_of(std::string_view name) {
  std::string identifier;
  for (const char c : name) {
    // Two underscores are the compiler's.
    if (c != '-') identifier += c;
    if (c == '-' && !identifier.ends_with('_')) identifier += '_';
  }
  return identifier.ends_with("_operator") ? identifier : identifier + "_operator";
}

std::string class_of(std::string_view kind) {
  // The base of a view, whose constructors it names.
  if (kind == "Checked") return "CheckedObject";
  const bool like_a_macro = std::ranges::none_of(kind, [](char c) { return c >= 'a' && c <= 'z'; });
  return like_a_macro ? std::string(kind.substr(0, 1)) + to_lower(kind.substr(1)) : std::string(kind);
}

}  // namespace

std::expected<ProjectNames, std::vector<Error>> check_names(const ProjectRequest& request) {
  NameFaults faults;
  const std::string singular = to_lower(request.kind);
  const std::string plural = request.plural.empty() ? plural_of(singular) : request.plural;
  check_name(request.name, faults);
  check_group(request.group, faults);
  check_kind(request.kind, faults);
  // A plural that follows from a wrong kind is wrong, too: that is one fault.
  if (faults.empty() || !request.plural.empty()) check_plural(plural, request, faults);
  check_versions(request.versions, faults);
  if (!faults.empty()) return std::unexpected(faults.take());
  return ProjectNames{.name = request.name,
                      .group = request.group,
                      .kind = request.kind,
                      .plural = plural,
                      .singular = singular,
                      .versions = request.versions,
                      .cpp_namespace = namespace_of(request.name),
                      .cpp_class = class_of(request.kind)};
}

}  // namespace fairway::cli
