// The secret that the replicas of a service share. It proves who asks and who answers, and is never sent.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::updateservice {

/// The header that proves that the asker has the token: "Fairway-Peer NONCE PROOF".
inline constexpr const char* question_scheme = "Fairway-Peer ";
/// The header that proves the same of whoever made an answer.
inline constexpr const char* proof_header = "Fairway-Peer-Proof";

/// Reads a token, without white space around it. Errors name the file: it cannot be read, or what is in it is
/// shorter than 16 characters.
Result<std::string> read_peer_token(const std::string& file);

/// 32 hex digits that nobody has used before.
std::string new_nonce();

/// The Authorization header of a question.
std::string prove_question(std::string_view token, std::string_view nonce);
/// The nonce of such a header; empty where it does not prove that the asker has the token.
std::string_view check_question(std::string_view token, std::string_view authorization);

/// The proof of an answer: of its body, for this question alone.
std::string prove_answer(std::string_view token, std::string_view nonce, std::string_view body);

}  // namespace fairway::updateservice
