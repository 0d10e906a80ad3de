// SPDX-License-Identifier: Apache-2.0

#include "cli/convert_program.h"

#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/filter_program.h"
#include "conversion/check/converter.h"

namespace fairway::cli {

namespace {

/// Time for the conversion of a review: a program has to start first.
constexpr std::chrono::seconds program_timeout{120};
constexpr std::size_t longest_shown = 2'000;

/// Returns the last line that is not empty, without what programs of Fairway put before an object's error.
std::string_view last_line(std::string_view text) {
  text = trim(text);
  text = text.substr(text.rfind('\n') + 1);
  for (const std::string_view before : {"error: ", "standard input: ", "the document at line 1: "}) {
    if (text.starts_with(before)) text.remove_prefix(before.size());
  }
  return text;
}

std::string list_of(const k8s::ConversionQuestion& question) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (std::size_t i = 0; i < question.objects.size(); ++i) {
    if (i > 0) text += ',';
    json::append_text(text, *question.objects[i]);
  }
  text += "]}\n";
  return text;
}

Result<std::vector<json::Object>> read_list(std::string_view text) {
  auto document = json::parse(text);
  if (!document) return fail(document.error());
  if (!document->is_object()) return fail(ErrorCode::invalid, "it is no JSON object");
  json::Value* items = document->get_object().if_contains("items");
  if (items == nullptr || !items->is_array()) return fail(ErrorCode::invalid, "it has no list of items");
  std::vector<json::Object> objects;
  for (json::Value& item : items->get_array()) {
    if (!item.is_object()) return fail(ErrorCode::invalid, "an item of its list is no object");
    objects.push_back(std::move(item.get_object()));
  }
  return objects;
}

}  // namespace

conversion::AskConverter ask_program(std::vector<std::string> words, std::stop_token stop) {
  return [words = std::move(words), stop = std::move(stop)](
             const k8s::ConversionQuestion& question) -> std::expected<std::string, conversion::NoAnswer> {
    std::vector<std::string> command = words;
    command.insert(command.end(), {"convert", question.desired.version});
    const std::string name = "`" + join(command, " ") + "`";
    const auto result =
        run_filter(command, list_of(question), Limits::within(Clock::system(), program_timeout, stop));
    if (!result) {
      const bool was_reached = result.error().code == ErrorCode::deadline_exceeded;
      return std::unexpected(conversion::NoAnswer{result.error(), was_reached});
    }
    const std::string why = printable(last_line(result->errors), longest_shown);
    const std::string ended = name + " ended with exit code " + std::to_string(result->exit_code) +
                              (why.empty() ? " and wrote nothing to standard error" : ": " + why);
    if (result->exit_code == 1) return conversion::write_refusal(question, why.empty() ? ended : why);
    if (result->exit_code != 0) {
      return std::unexpected(conversion::NoAnswer{{ErrorCode::unavailable, ended}, result->exit_code > 128});
    }
    const auto objects = read_list(result->output);
    if (!objects) {
      return std::unexpected(
          conversion::NoAnswer{objects.error().within("reading the output of " + name), false});
    }
    return conversion::write_converted(question, *objects);
  };
}

}  // namespace fairway::cli
