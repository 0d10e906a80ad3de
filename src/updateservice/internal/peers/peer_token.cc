#include "updateservice/internal/peers/peer_token.h"

#include <random>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"

namespace fairway::updateservice {
namespace {

constexpr std::size_t max_token_file = 4096, min_token = 16, nonce_digits = 32;

std::string question(std::string_view nonce) {
  return "fairway peer question\n" + std::string(nonce);
}

}  // namespace

Result<std::string> read_peer_token(const std::string& file) {
  const auto text = read_file(file, max_token_file);
  if (!text) return fail(text.error().within("reading the token of the replicas"));
  std::string token(trim(*text));
  if (token.size() < min_token) {
    return fail(ErrorCode::invalid, "reading the token of the replicas: " + file + " has fewer than " +
                                        std::to_string(min_token) +
                                        " characters; make one with: openssl rand -hex 32");
  }
  return token;
}

std::string new_nonce() {
  std::random_device device;
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += std::to_string(device()) + " ";
  return sha256_hex(bytes).substr(0, nonce_digits);
}

std::string prove_question(std::string_view token, std::string_view nonce) {
  return question_scheme + std::string(nonce) + " " + hmac_sha256_hex(token, question(nonce));
}

std::string_view check_question(std::string_view token, std::string_view authorization) {
  if (!authorization.starts_with(question_scheme)) return {};
  const std::string_view words = authorization.substr(std::string_view(question_scheme).size());
  const std::size_t space = words.find(' ');
  if (space != nonce_digits) return {};
  const std::string_view nonce = words.substr(0, space);
  return same_secret(words.substr(space + 1), hmac_sha256_hex(token, question(nonce))) ? nonce
                                                                                       : std::string_view{};
}

std::string prove_answer(std::string_view token, std::string_view nonce, std::string_view body) {
  std::string text = "fairway peer answer\n" + std::string(nonce) + "\n" + sha256_hex(body);
  return hmac_sha256_hex(token, text);
}

}  // namespace fairway::updateservice
