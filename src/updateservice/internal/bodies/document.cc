// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/document.h"

#include "base/digest.h"
#include "base/text.h"
#include "http/compress.h"

namespace fairway::updateservice {
namespace {

constexpr std::size_t hash_digits = 32;

Representation represent(const std::string& etag, const std::string& media_type, bool gzip,
                         const http::Bytes& body, const DocumentHeaders& headers) {
  const http::Headers validators{{"Content-Type", media_type},
                                 {"ETag", etag},
                                 {"Cache-Control", headers.cache_control},
                                 {"Vary", headers.vary}};
  http::Headers fields = validators;
  if (gzip) fields.add("Content-Encoding", "gzip");
  return {etag, http::Prepared::make(200, fields, body), http::Prepared::make(304, validators, nullptr)};
}

}  // namespace

std::string document_hash(std::string_view body) {
  return sha256_hex(body).substr(0, hash_digits);
}

Document::Document(http::Bytes body, http::Bytes gzip, std::string hash, const DocumentHeaders& headers)
    : hash_(std::move(hash)), body_(std::move(body)), gzip_(std::move(gzip)), headers_(headers) {
  for (const std::string& media_type : headers_.media_types) {
    for (const bool compressed : {false, true}) {
      const http::Bytes& bytes = compressed ? gzip_ : body_;
      if (!bytes) {
        representations_.push_back(representations_.back());
        continue;
      }
      representations_.push_back(
          represent(etag_of(hash_, compressed), media_type, compressed, bytes, headers_));
    }
  }
}

std::shared_ptr<const Document> Document::compressible(std::string body, const DocumentHeaders& headers) {
  std::string gzip = http::gzip(body);
  std::string hash = document_hash(body);
  return compressed(std::move(body), std::move(gzip), std::move(hash), headers);
}

std::shared_ptr<const Document> Document::compressed(std::string body, std::string gzip, std::string hash,
                                                     const DocumentHeaders& headers) {
  return std::shared_ptr<const Document>(new Document(
      http::make_bytes(std::move(body)), http::make_bytes(std::move(gzip)), std::move(hash), headers));
}

std::shared_ptr<const Document> Document::opaque(std::string body, const DocumentHeaders& headers) {
  std::string hash = document_hash(body);
  return std::shared_ptr<const Document>(
      new Document(http::make_bytes(std::move(body)), nullptr, std::move(hash), headers));
}

std::string etag_of(std::string_view hash, bool gzip) {
  return "\"" + std::string(hash) + (gzip ? "-g\"" : "-p\"");
}

std::string_view hash_of_etag(std::string_view etag) {
  std::string_view text = trim(etag);
  if (text.starts_with("W/")) text.remove_prefix(2);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  const std::size_t dash = text.rfind('-');
  return dash == std::string_view::npos ? text : text.substr(0, dash);
}

}  // namespace fairway::updateservice
