// SPDX-License-Identifier: Apache-2.0

#include "base/redact.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace fairway {
namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";
/// The characters in which a URL may be enclosed. Such a character in a URL may be part of a password or a
/// token: it ends the URL only if one stands before it, too.
constexpr std::string_view openers = "\"'<`";
constexpr std::array<std::string_view, 2> shown_keys{"channel", "arch"};
/// The end of texts that were cut (base/text.h, printable).
constexpr std::string_view cut_off = "…";
/// The ends of schemes: the correct one, with a slash missing, and percent-encoded (in a query of another
/// URL).
constexpr std::array<std::string_view, 3> scheme_ends{"://", ":/", "%3a%2f%2f"};

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_key_character(char c) {
  return is_letter_or_digit(c) || std::string_view("-_.~[]%$+:").find(c) != std::string_view::npos;
}

bool is_scheme_character(char c) {
  return is_letter_or_digit(c) || std::string_view("+.-").find(c) != std::string_view::npos;
}

bool ends_word(char c) {
  return blanks.find(c) != std::string_view::npos;
}

/// Returns whether a query with a key stands behind the `?` at `at`.
bool begins_query(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_key_character(text[end])) ++end;
  return end > at + 1 && end < text.size() && text[end] == '=';
}

/// Returns the character that closes the quote or bracket before `at`; none if nothing is opened there.
char closing(std::string_view text, std::size_t at) {
  if (at == 0 || openers.find(text[at - 1]) == std::string_view::npos) return '\0';
  return text[at - 1] == '<' ? '>' : text[at - 1];
}

std::string redact_query(std::string_view query) {
  std::string shown;
  while (true) {
    const std::size_t end = std::min(query.find_first_of("&;"), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = pair.find('=');
    const std::string_view key = pair.substr(0, equals);
    if (equals == std::string_view::npos) {
      // A value alone may be a token.
      shown += pair.empty() ? "" : redacted_value;
    } else if (std::ranges::find(shown_keys, key) != shown_keys.end()) {
      shown += pair;
    } else {
      shown += std::string(key) + "=" + std::string(pair.size() > equals + 1 ? redacted_value : "");
    }
    if (end == query.size()) return shown;
    shown += query[end];
    query.remove_prefix(end + 1);
  }
}

class Redactor {
 public:
  explicit Redactor(std::string_view text) : text_(text), lower_(to_lower(text)) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (const std::size_t size = scheme_end(); size > 0) {
        begin_url(size);
        continue;
      }
      const char c = text_[at_];
      if (c == '?' && (in_url_ || begins_query(text_, at_))) {
        if (!in_url_) closing_ = closing(text_, beginning_of_word());
        show_query();
        continue;
      }
      if (c == '#' && in_url_ && text_.substr(at_, end_of_url() - at_).contains('=')) {
        show_query();
        continue;
      }
      if (ends_word(c) || (closing_ != '\0' && c == closing_)) in_url_ = false;
      shown_ += c;
      ++at_;
    }
    return std::move(shown_);
  }

 private:
  /// Returns the size of the end of a scheme here, or of the `//` that a word begins with; 0 for anything
  /// else.
  std::size_t scheme_end() const {
    const std::string_view rest = std::string_view(lower_).substr(at_);
    for (const std::string_view end : scheme_ends) {
      if (!rest.starts_with(end)) continue;
      std::size_t scheme = at_;
      while (scheme > 0 && is_scheme_character(text_[scheme - 1])) --scheme;
      // `C:/` and `4:/` are none.
      if (end != "://" && at_ - scheme < 3) return 0;
      return end.size();
    }
    if (!rest.starts_with("//")) return 0;
    const bool begins = at_ == 0 || ends_word(text_[at_ - 1]) || closing(text_, at_) != '\0';
    return begins ? 2 : 0;
  }

  std::size_t beginning_of_word() const {
    std::size_t begin = at_;
    while (begin > 0 && !ends_word(text_[begin - 1]) && openers.find(text_[begin - 1]) == openers.npos)
      --begin;
    return begin;
  }

  /// Returns the end of the word. It is searched once for each word, which may hold thousands of marks.
  std::size_t end_of_word() {
    if (at_ >= word_end_) word_end_ = std::min(text_.find_first_of(blanks, at_), text_.size());
    return word_end_;
  }

  std::size_t end_of_url() {
    const std::size_t word = end_of_word();
    return closing_ == '\0' ? word : std::min(text_.substr(0, word).find(closing_, at_), word);
  }

  void begin_url(std::size_t size) {
    // A URL within another URL's query ends where the outer one does.
    if (!in_url_) {
      std::size_t scheme = at_;
      while (scheme > 0 && is_scheme_character(text_[scheme - 1])) --scheme;
      closing_ = closing(text_, scheme);
    }
    shown_ += text_.substr(at_, size);
    at_ += size;
    in_url_ = true;
    const std::string_view word = text_.substr(at_, end_of_word() - at_);
    const std::string_view authority = word.substr(0, word.find_first_of("/?#"));
    const std::string_view rest = authority.find(':') == std::string_view::npos ? authority : word;
    if (const std::size_t user = end_of_user(rest); user != std::string_view::npos) {
      at_ += user + 1;
    } else if (authority.find(':') != std::string_view::npos && word.ends_with(cut_off)) {
      at_ += word.size() - cut_off.size();
    }
  }

  /// Returns the index of the last `@` behind a user and a password, in which a slash, an `@` or a quote may
  /// stand unencoded. An `@` before the digest of an image (`@sha256:`) does not count. If an `@` stands in
  /// the authority, the password is taken to continue up to the last `@` before the end of the URL or its
  /// query.
  std::size_t end_of_user(std::string_view rest) {
    const std::size_t authority = std::min(rest.find_first_of("/?#"), rest.size());
    const std::size_t proper = last_user_mark(rest.substr(0, authority), rest);
    if (proper == std::string_view::npos) return last_user_mark(rest, rest);
    if (rest.substr(0, proper).find(':') == std::string_view::npos) return proper;
    const std::string_view url = rest.substr(0, std::min(end_of_url() - at_, rest.find_first_of("?#,")));
    const std::size_t last = last_user_mark(url, rest);
    return last == std::string_view::npos ? proper : std::max(proper, last);
  }

  /// Returns the last `@` of `part`, the beginning of `whole`, that is not followed by a digest in `whole`.
  static std::size_t last_user_mark(std::string_view part, std::string_view whole) {
    std::size_t at = part.rfind('@');
    while (at != std::string_view::npos && is_digest(whole, at))
      at = at == 0 ? at - 1 : part.rfind('@', at - 1);
    return at;
  }

  static bool is_digest(std::string_view text, std::size_t at) {
    const std::string_view host = text.substr(at + 1);
    // Or the word for one, in what a flag takes: HOST[:PORT]/REPOSITORY[@DIGEST].
    return host.starts_with("sha256:") || host.starts_with("sha512:") || host.starts_with("DIGEST]");
  }

  /// Appends the rest from a `?` or `#` on, with the values of the query left out.
  void show_query() {
    const std::size_t stop = end_of_url();
    const std::size_t hash = text_[at_] == '#' ? stop : std::min(text_.find('#', at_), stop);
    std::string_view query = text_.substr(at_ + 1, hash - at_ - 1);
    // Punctuation of the sentence.
    std::size_t size = query.size();
    while (size > 0 && std::string_view(",.:;)").find(query[size - 1]) != std::string_view::npos) --size;
    const std::string_view tail = hash == stop ? query.substr(size) : std::string_view{};
    if (hash == stop) query = query.substr(0, size);
    shown_ += text_[at_] + redact_query(query) + std::string(tail);
    // The fragment still belongs to the URL, and is no query of its own.
    if (hash < stop) in_url_ = true;
    at_ = hash;
  }

  std::string_view text_;
  const std::string lower_;
  std::string shown_;
  std::size_t at_ = 0, word_end_ = 0;
  bool in_url_ = false;  ///< behind the scheme, up to the end of the URL
  char closing_ = '\0';  ///< the character that ends the URL beside blanks
};

}  // namespace

std::string redact_urls(std::string_view text) {
  if (text.find_first_of("?/%") == std::string_view::npos) return std::string(text);
  return Redactor(text).run();
}

}  // namespace fairway
