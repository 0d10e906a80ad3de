// SPDX-License-Identifier: Apache-2.0

// A body that is made once and served many times: plain and compressed, under each of its media types, with
// its ETags and ready-made replies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace fairway::updateservice {

/// One representation of a document.
struct Representation {
  std::string etag;  ///< strong, quotes included
  std::shared_ptr<const http::Prepared> full;
  std::shared_ptr<const http::Prepared> not_modified;
};

/// Headers of a document's replies.
struct DocumentHeaders {
  std::vector<std::string> media_types;
  std::string cache_control;
  std::string vary;
  friend bool operator==(const DocumentHeaders&, const DocumentHeaders&) = default;
};

/// A body in all its representations. Immutable. ETags are `"HASH-ENCODING"`; the hash alone identifies the
/// content. The media types of a document share its bytes and so its ETags (RFC 9110, section 8.8.1): a
/// client that has it under one type and asks for another gets 304 with the other's Content-Type.
class Document {
 public:
  /// Makes a document with a gzip form beside the plain one.
  static std::shared_ptr<const Document> compressible(std::string body, const DocumentHeaders& headers);
  /// Makes such a document from an existing gzip form and `hash()` of the body (from disk).
  static std::shared_ptr<const Document> compressed(std::string body, std::string gzip, std::string hash,
                                                    const DocumentHeaders& headers);
  /// Makes a document of one encoding only (a tarball).
  static std::shared_ptr<const Document> opaque(std::string body, const DocumentHeaders& headers);

  /// Returns the first 32 hex digits of the body's SHA-256.
  const std::string& hash() const { return hash_; }
  const http::Bytes& body() const { return body_; }
  /// Returns the gzip form; null for an opaque document.
  const http::Bytes& gzip() const { return gzip_; }
  const DocumentHeaders& headers() const { return headers_; }
  /// Returns a representation; `media_type` is an index into the headers' media types.
  const Representation& representation(std::size_t media_type, bool gzip) const {
    return representations_[media_type * 2 + (gzip && gzip_ ? 1 : 0)];
  }

 private:
  Document(http::Bytes body, http::Bytes gzip, std::string hash, const DocumentHeaders& headers);

  std::string hash_;
  http::Bytes body_, gzip_;
  DocumentHeaders headers_;
  std::vector<Representation> representations_;
};

/// Returns the ETag of a document, quotes included.
std::string etag_of(std::string_view hash, bool gzip);
/// Returns the hash in an ETag of a document, of any encoding; the whole text if it is not such an ETag.
/// Accepts it with or without `W/` and quotes.
std::string_view hash_of_etag(std::string_view etag);
/// Returns Document::hash() of a body.
std::string document_hash(std::string_view body);

}  // namespace fairway::updateservice
