// SPDX-License-Identifier: Apache-2.0

#include "conformance/cel/textproto.h"

#include <cctype>

#include "base/quoted_text.h"

namespace fairway::test {

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool message(TextMessage& out, char close) {
    while (true) {
      skip();
      if (at_ >= text_.size()) return close == '\0';
      if (close != '\0' && take(close)) return true;
      TextField field;
      if (take('[')) {
        const std::size_t end = text_.find(']', at_);
        field.name = "[" + std::string(text_.substr(at_, end - at_)) + "]";
        at_ = end + 1;
      } else {
        field.name = word();
      }
      if (field.name.empty()) return false;
      take(':');
      if (take('[')) {
        while (!take(']')) {
          if (!value(field)) return false;
          out.fields.push_back(field);
          take(',');
        }
      } else {
        if (!value(field)) return false;
        out.fields.push_back(std::move(field));
      }
      if (!take(',')) take(';');
    }
  }
  std::size_t place() const { return at_; }

 private:
  void skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }
  bool take(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  std::string word() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    return std::string(text_.substr(from, at_ - from));
  }
  bool value(TextField& field) {
    field.scalar.clear();
    field.message.reset();
    skip();
    if (at_ >= text_.size()) return false;
    if (take('{')) {
      field.message = std::make_shared<TextMessage>();
      return message(*field.message, '}');
    }
    if (take('<')) {
      field.message = std::make_shared<TextMessage>();
      return message(*field.message, '>');
    }
    if (text_[at_] != '"' && text_[at_] != '\'') {
      field.scalar = word();
      return !field.scalar.empty();
    }
    // Strings next to each other are one.
    while (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      quoted(field.scalar, text_[at_++]);
      skip();
    }
    return true;
  }
  void quoted(std::string& out, char quote) {
    while (at_ < text_.size() && text_[at_] != quote) {
      char c = text_[at_++];
      if (c != '\\') {
        out += c;
        continue;
      }
      c = text_[at_++];
      static constexpr std::string_view letters = "abfnrtv";
      static constexpr std::string_view meaning = "\a\b\f\n\r\t\v";
      if (const std::size_t known = letters.find(c); known != std::string_view::npos) {
        out += meaning[known];
      } else if (c == 'x' || c == 'X') {
        out += static_cast<char>(digits(16, 2));
      } else if (c >= '0' && c <= '7') {
        --at_;
        out += static_cast<char>(digits(8, 3));
      } else if (c == 'u' || c == 'U') {
        append_utf8(out, digits(16, c == 'u' ? 4 : 8));
      } else {
        out += c;
      }
    }
    ++at_;
  }
  unsigned digits(int base, int most) {
    unsigned value = 0;
    for (int i = 0; i < most && at_ < text_.size(); ++i, ++at_) {
      const char c = text_[at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : 99;
      if (digit >= base) break;
      value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const TextField* TextMessage::find(std::string_view name) const {
  for (const TextField& field : fields)
    if (field.name == name) return &field;
  return nullptr;
}
std::string TextMessage::text(std::string_view name) const {
  const TextField* field = find(name);
  return field ? field->scalar : "";
}
const TextMessage& TextMessage::message(std::string_view name) const {
  static const TextMessage empty;
  const TextField* field = find(name);
  return field && field->message ? *field->message : empty;
}
std::vector<const TextField*> TextMessage::all(std::string_view name) const {
  std::vector<const TextField*> result;
  for (const TextField& field : fields)
    if (field.name == name) result.push_back(&field);
  return result;
}

Result<TextMessage> parse_textproto(std::string_view text) {
  Reader reader(text);
  TextMessage message;
  if (!reader.message(message, '\0'))
    return fail(ErrorCode::invalid,
                "reading text format: byte " + std::to_string(reader.place()) + " is not understood");
  return message;
}

}  // namespace fairway::test
