#include "updateservice/internal/anonymous.h"

#include <algorithm>
#include <array>
#include <utility>

#include "graphdata/load.h"

namespace fairway::updateservice {
namespace {

constexpr std::string_view ends = " \t\r\n\"'<>`,;()";
/// What a path may stand behind: `a/b` is none.
constexpr std::string_view path_begins = " \t\"'`(=:,;";

bool is_scheme_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
         c == '.';
}

/// Where a URL or path that begins at `at` ends; a colon or full stop behind it is the sentence's.
std::size_t end_of(std::string_view text, std::size_t at) {
  std::size_t end = std::min(text.find_first_of(ends, at), text.size());
  while (end > at + 1 && (text[end - 1] == ':' || text[end - 1] == '.')) --end;
  return end;
}

bool is_within_graph_data(std::string_view file) {
  constexpr std::array<std::string_view, 3> folders{"blocked-edges", "channels", "signatures"};
  return graphdata::counts(file) || std::ranges::find(folders, file) != folders.end();
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
  if (!problem.public_message.empty()) problem.message = problem.public_message;
  show_less(problem.place, problem.message);
  return problem;
}

graph::Explanation for_anonymous(graph::Explanation explanation) {
  for (graph::Reason& reason : explanation.reasons) show_less(reason.place, reason.message);
  return explanation;
}

}  // namespace fairway::updateservice
