// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/anonymous.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "graphdata/load.h"

namespace fairway::updateservice {
namespace {

constexpr std::string_view ends = " \t\r\n\"'<>`,;()";
/// Characters that a path may follow: in `a/b` there is none.
constexpr std::string_view path_begins = " \t\"'`(=:,;";

bool is_scheme_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
         c == '.';
}

/// Returns where a URL or path that begins at `at` ends; a colon or full stop at its end belongs to the
/// sentence.
std::size_t end_of(std::string_view text, std::size_t at) {
  std::size_t end = std::min(text.find_first_of(ends, at), text.size());
  while (end > at + 1 && (text[end - 1] == ':' || text[end - 1] == '.')) --end;
  return end;
}

bool is_within_graph_data(std::string_view file) {
  constexpr std::array<std::string_view, 3> folders{"blocked-edges", "channels", "signatures"};
  return graphdata::counts(file) || std::ranges::find(folders, file) != folders.end();
}

/// A text for all callers in place of a problem whose message may quote a server, or say where it is.
struct Summary {
  std::string_view kind, text;
};
constexpr std::array<Summary, 10> summaries{{
    {graph::problem_kind::source_unavailable,
     "a source could not be read again; what was read last stays in force"},
    {graph::problem_kind::upstream, "the answer of another update service is not understood in part"},
    {graph::problem_kind::release_left_out, "a release is left out, or stays as it was"},
    {graph::problem_kind::duplicate_version, "a version is offered twice"},
    {graph::problem_kind::payload_conflict, "a version that was served is offered with another image"},
    {graph::problem_kind::reload_refused, "new settings could not be taken up; the old state stays in force"},
    {graph::problem_kind::graph_data_refused,
     "the newest graph data is refused; what was read before it stays in force until it is fixed"},
    {graph::problem_kind::widening_held,
     "the newest data is held, because it would lift too many blocks at once"},
    {graph::problem_kind::graph_not_compared,
     "there was no earlier graph to compare with: whether this one opens too much is not known"},
    {graph::problem_kind::graph_not_kept, "the last good graph cannot be kept over a restart"},
}};

/// Returns whether messages of a kind are about graph data and versions alone. Every other kind has a
/// summary.
bool may_be_read_by_all(std::string_view kind) {
  constexpr std::array<std::string_view, 7> kinds{graph::problem_kind::blocked_edge_not_understood,
                                                  graph::problem_kind::risk_bodies_differ,
                                                  graph::problem_kind::graph_data,
                                                  graph::problem_kind::edge_left_out,
                                                  graph::problem_kind::release_without_image,
                                                  graph::problem_kind::block_meets_nothing,
                                                  graph::problem_kind::metadata_meets_nothing};
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::string summary_of(std::string_view kind, const std::vector<std::string>& versions) {
  const auto* known = std::ranges::find(summaries, kind, &Summary::kind);
  std::string text(known == summaries.end() ? "something is wrong" : known->text);
  if (!versions.empty()) text += ": " + join(versions, ", ");
  return text + " (the log says why)";
}

void show_less(graph::Place& place, std::string& message) {
  if (!is_within_graph_data(place.file)) place = {};
  message = without_places(message);
}

}  // namespace

std::string without_places(std::string_view text) {
  std::string left;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("://")) {
      while (!left.empty() && is_scheme_character(left.back())) left.pop_back();
      left += "(a URL)";
      at = end_of(text, at);
    } else if (text[at] == '/' && at + 1 < text.size() && ends.find(text[at + 1]) == ends.npos &&
               (at == 0 || path_begins.find(text[at - 1]) != path_begins.npos)) {
      left += "(a path)";
      at = end_of(text, at);
    } else {
      left += text[at++];
    }
  }
  return left;
}

graph::Problem for_anonymous(graph::Problem problem) {
  if (!problem.public_message.empty()) {
    problem.message = problem.public_message;
  } else if (!may_be_read_by_all(problem.kind)) {
    problem.message = summary_of(problem.kind, problem.versions);
  }
  show_less(problem.place, problem.message);
  return problem;
}

graph::Explanation for_anonymous(graph::Explanation explanation) {
  for (graph::Reason& reason : explanation.reasons) {
    if (!reason.problem.empty() && !may_be_read_by_all(reason.problem))
      reason.message = summary_of(reason.problem, {});
    show_less(reason.place, reason.message);
  }
  return explanation;
}

graph::ExplainedUpdates for_anonymous(graph::ExplainedUpdates updates) {
  for (auto& update : updates.updates) update.explanation = for_anonymous(std::move(update.explanation));
  graph::Explanation of_release;
  of_release.reasons = std::move(updates.reasons);
  updates.reasons = for_anonymous(std::move(of_release)).reasons;
  return updates;
}

}  // namespace fairway::updateservice
