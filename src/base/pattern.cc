// SPDX-License-Identifier: Apache-2.0

#include "base/pattern.h"

#include <re2/re2.h>

#include "base/text.h"

namespace fairway {

struct Pattern::Compiled {
  Compiled(std::string_view text, const re2::RE2::Options& options)
      : text(text), expression(re2::StringPiece(text.data(), text.size()), options) {}
  std::string text;
  re2::RE2 expression;
};

Result<Pattern> Pattern::compile(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 18);
  auto compiled = std::make_shared<Compiled>(text, options);
  if (!compiled->expression.ok()) {
    std::string why = compiled->expression.error();
    // Repetition in a short text may exceed the limit while the text is still being parsed.
    const bool too_large = compiled->expression.error_code() == re2::RE2::ErrorPatternTooLarge ||
                           compiled->expression.error_code() == re2::RE2::ErrorRepeatSize;
    if (compiled->expression.error_code() == re2::RE2::ErrorPatternTooLarge) why = "it is too large";
    return fail(too_large ? ErrorCode::too_large : ErrorCode::invalid,
                "'" + printable(text, 120) + "' is not a regular expression (RE2 syntax): " + why);
  }
  Pattern pattern;
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

bool Pattern::search(std::string_view subject) const {
  return re2::RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), compiled_->expression);
}

bool Pattern::matches(std::string_view subject) const {
  return re2::RE2::FullMatch(re2::StringPiece(subject.data(), subject.size()), compiled_->expression);
}

std::size_t Pattern::program_size() const {
  return static_cast<std::size_t>(compiled_->expression.ProgramSize());
}

const std::string& Pattern::text() const {
  return compiled_->text;
}

}  // namespace fairway
