// SPDX-License-Identifier: Apache-2.0

#include "adm/recommend/recommend.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "adm/internal/columns.h"
#include "adm/internal/recommend/candidates.h"
#include "adm/internal/release_version.h"
#include "adm/internal/texts.h"
#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;

constexpr std::string_view no_issues = "no known issues relevant to this cluster";
constexpr std::string_view conditional_risk = "ConditionalUpdateRisk";
/// Number of releases of a minor version that are shown without --show-outdated-releases.
constexpr std::size_t newest = 2;

std::string minor_text(const Candidates::key_type& minor) {
  return std::to_string(minor.first) + "." + std::to_string(minor.second);
}

/// A run of the command: the issues that were found, and the answer.
class Recommendation {
 public:
  Recommendation(const RecommendFlags& flags, const ClusterVersion& cluster)
      : flags_(flags), cluster_(cluster) {}

  CommandResult make(const Result<std::vector<Precheck>>& prechecks) {
    add_state();
    add_prechecks(prechecks);
    add_retrieval();
    if (!flags_.quiet) answer_.out += channel_lines(cluster_, "Upstream update service");
    candidates_ = find_candidates(cluster_, flags_.quiet, answer_);
    add_data(prechecks);
    if (flags_.version.empty()) {
      list();
    } else {
      show_version();
    }
    return std::move(answer_);
  }

 private:
  bool accepts(std::string_view issue) const { return flags_.accept.contains(std::string(issue)); }
  std::string accepted(std::string_view issue) const { return accepts(issue) ? "accepted " : ""; }
  void say(const std::string& text) {
    if (!flags_.quiet) answer_.out += text;
  }
  void warn(const std::string& text) {
    if (!flags_.quiet) answer_.err += text;
  }

  void add_state() {
    const auto failing = cluster_.condition("Failing");
    if (!failing) {
      warn(accepted("Failing") + "warning: No current Failing info, " + flags_.caller.describe_hint() +
           ".\n");
    } else if (!failing->is_false()) {
      say(accepted("Failing") + "Failing=" + std::string(status_of(*failing)) + ":\n" + explain(*failing) +
          "\n\n");
    }
    if (!failing || !failing->is_false()) issues_.insert("Failing");
    const auto progressing = cluster_.condition("Progressing");
    if (!progressing || !progressing->is_true() || progressing->message().empty()) return;
    say(accepted("Progressing") +
        "info: An update is in progress.  You may wish to let this update complete before requesting a new "
        "update.\n  " +
        indented(progressing->message()) + "\n\n");
    issues_.insert("Progressing");
  }

  void add_prechecks(const Result<std::vector<Precheck>>& prechecks) {
    if (!prechecks) {
      say("Failed to check for at least some preconditions: " + prechecks.error().message + "\n");
      issues_.insert("FailedToCompletePrecheck");
      return;
    }
    std::vector<std::string> fine, accepted_ones, bad;
    for (const Precheck& check : *prechecks) {
      if (check.status == "True") {
        fine.push_back(check.type + " (" + check.reason + ")");
        continue;
      }
      issues_.insert(check.issue);
      (accepts(check.issue) ? accepted_ones : bad).push_back(check.type);
    }
    const auto list = [&](std::vector<std::string>& types, std::string_view what) {
      if (types.empty()) return;
      std::ranges::sort(types);
      say("The following conditions found " + std::string(what) + ": " + join(types, ", ") + "\n\n");
    };
    list(fine, "no cause for concern in updating this cluster to later releases");
    list(accepted_ones,
         "cause for concern in updating this cluster to later releases, but were explicitly accepted via "
         "--accept");
    list(bad, "cause for concern in updating this cluster to later releases");
    if (bad.empty()) return;
    for (const Precheck& check : *prechecks)
      if (check.status != "True")
        say(check.type + "=" + check.status + ":\n\n  Reason: " + check.reason +
            "\n  Message: " + indented(check.message) + "\n\n");
  }

  void add_retrieval() {
    const auto retrieved = cluster_.condition("RetrievedUpdates");
    if (!retrieved || retrieved->is_true()) return;
    warn("warning: Cannot refresh available updates:" + explain(*retrieved) + "\n\n");
    issues_.insert("CannotRetrieveUpdates");
  }

  void show_version() {
    const auto version = read_version(flags_.version);
    const std::string wanted = version->to_string(),
                      context = "so cannot display context for the requested release";
    const auto minor = candidates_.find({version->major(), version->minor()});
    if (minor == candidates_.end()) {
      const bool major = std::ranges::any_of(
          candidates_, [&](const auto& one) { return one.first.first == version->major(); });
      const std::string what = candidates_.empty() ? "no updates available"
                               : !major ? "no updates to " + std::to_string(version->major()) + " available"
                                        : "no updates to " + version->minor_text() + " available";
      answer_.fail(what + ", " + context + " " + wanted);
      return;
    }
    const auto found = std::ranges::find(minor->second, wanted, &Candidate::version);
    if (found == minor->second.end()) {
      answer_.fail("no update to " + wanted + " available, " + context);
      return;
    }
    show_candidate(*found);
    const std::vector<std::string> issues(issues_.begin(), issues_.end());
    std::vector<std::string> unaccepted;
    std::ranges::copy_if(issues, std::back_inserter(unaccepted),
                         [&](const std::string& issue) { return !accepts(issue); });
    if (!unaccepted.empty()) {
      answer_.fail("issues that apply to this cluster but which were not included in --accept: " +
                   join(unaccepted, ","));
    } else if (!issues.empty()) {
      say("Update to " + wanted + " has no known issues relevant to this cluster other than the accepted " +
          join(issues, ",") + ".\n");
    }
  }

  void show_candidate(const Candidate& candidate) {
    const std::string links = "Image: " + candidate.image + "\nRelease URL: " + candidate.url + "\n";
    if (!candidate.concern) {
      say("\nUpdate to " + candidate.version + " has no known issues relevant to this cluster.\n" + links);
      return;
    }
    const Concern& concern = *candidate.concern;
    const std::string reason = accepts(conditional_risk)
                                   ? "accepted " + concern.reason + " via " + std::string(conditional_risk)
                                   : concern.reason;
    say("\nUpdate to " + candidate.version + " Recommended=" + concern.status + ":\n" + links +
        "Reason: " + reason + "\nMessage: " + indented(concern.message) + "\n");
    issues_.emplace(conditional_risk);
  }

  void list() {
    if (candidates_.empty()) {
      answer_.out +=
          "No updates available. You may still upgrade to a specific release image with --to-image or wait "
          "for "
          "new updates to be available.\n";
      return;
    }
    for (const auto& [minor, list] : candidates_) {
      answer_.out += "\nUpdates to " + minor_text(minor) + ":\n";
      if (flags_.show_outdated_releases) {
        list_all(list);
      } else {
        list_newest(minor_text(minor), list);
      }
    }
  }

  static std::string table(const std::string& rows) {
    return lay_out_columns(rows, {.min_width = 14, .padding = 1});
  }

  void list_all(const std::vector<Candidate>& list) {
    std::string rows = "  VERSION\tISSUES\n";
    for (const Candidate& one : list)
      rows += "  " + one.version + "\t" + (one.concern ? one.concern->reason : std::string(no_issues)) + "\n";
    answer_.out += table(rows);
  }

  /// Shows the newest releases: a line each in a table, or a paragraph for one with issues.
  void list_newest(const std::string& minor, const std::vector<Candidate>& list) {
    bool in_table = false, after_paragraph = false;
    for (const Candidate& one : list | std::views::take(newest)) {
      if (after_paragraph || one.concern) answer_.out += '\n';
      after_paragraph = one.concern.has_value();
      if (one.concern) {
        answer_.out += "  Version: " + one.version + "\n  Image: " + one.image +
                       "\n  Reason: " + one.concern->reason +
                       "\n  Message: " + indented(trim(one.concern->message)) + "\n";
        in_table = false;
        continue;
      }
      answer_.out += table((in_table ? "  " : "  VERSION\tISSUES\n  ") + one.version + "\t" +
                           std::string(no_issues) + "\n");
      in_table = true;
    }
    if (list.size() <= newest) return;
    if (after_paragraph || list[newest].concern) answer_.out += '\n';
    answer_.out += "And " + std::to_string(list.size() - newest) + " older " + minor +
                   " updates you can see with '--show-outdated-releases' or '--version VERSION'.\n";
  }

  void add_data(const Result<std::vector<Precheck>>& prechecks) {
    json::Array checks, updates;
    for (const Precheck& check : prechecks.value_or(std::vector<Precheck>{}))
      checks.push_back(json::Object{{"type", check.type},
                                    {"status", check.status},
                                    {"reason", check.reason},
                                    {"message", check.message}});
    for (const auto& [minor, list] : candidates_) {
      for (const Candidate& one : list) {
        if (!flags_.version.empty() && one.version != flags_.version) continue;
        json::Object update{{"version", one.version}, {"image", one.image}, {"url", one.url}};
        if (one.concern)
          update["concern"] = json::Object{{"recommended", one.concern->status},
                                           {"reason", one.concern->reason},
                                           {"message", one.concern->message}};
        updates.emplace_back(std::move(update));
      }
    }
    answer_.data = {{"prechecks", std::move(checks)}, {"updates", std::move(updates)}};
  }

  const RecommendFlags& flags_;
  const ClusterVersion& cluster_;
  CommandResult answer_;
  std::set<std::string> issues_;
  Candidates candidates_;
};

}  // namespace

CommandResult check(const RecommendFlags& flags) {
  CommandResult answer;
  if (flags.version.empty()) {
    if (flags.quiet) answer.fail("--quiet can only be set when --version is set");
  } else if (flags.show_outdated_releases) {
    answer.fail("when --version is set, --show-outdated-releases is unnecessary");
  } else if (const auto version = read_version(flags.version); !version) {
    answer.fail("cannot parse SemVer target " + quote(flags.version) + ": " + version.error().message);
  }
  return answer;
}

CommandResult recommend(const RecommendFlags& flags, const ClusterVersion& cluster,
                        const Result<std::vector<Precheck>>& prechecks) {
  return Recommendation(flags, cluster).make(prechecks);
}

}  // namespace fairway::adm
