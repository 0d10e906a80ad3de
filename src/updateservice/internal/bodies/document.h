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

/// One way in which a document is sent.
struct Representation {
  std::string etag;  ///< strong, quotes included
  std::shared_ptr<const http::Prepared> full;
  std::shared_ptr<const http::Prepared> not_modified;
};

/// What the replies of a document say beside its body.
struct DocumentHeaders {
  std::vector<std::string> media_types;
  std::string cache_control;
  std::string vary;
  friend bool operator==(const DocumentHeaders&, const DocumentHeaders&) = default;
};

/// Immutable. ETags are `"HASH-ENCODING"`; the hash alone says whether two of them stand for the same
/// content. The media types of a document share its bytes, and so they share its ETags (RFC 9110,
/// section 8.8.1): who has it under one type and asks for another gets 304 with the other's Content-Type.
class Document {
 public:
  /// A document with a gzip form beside the plain one.
  static std::shared_ptr<const Document> compressible(std::string body, const DocumentHeaders& headers);
  /// The same with the gzip form and the body's `hash()` at hand (from disk).
  static std::shared_ptr<const Document> compressed(std::string body, std::string gzip, std::string hash,
                                                    const DocumentHeaders& headers);
  /// A document of one encoding only (a tarball).
  static std::shared_ptr<const Document> opaque(std::string body, const DocumentHeaders& headers);

  /// First 32 hex digits of the body's SHA-256.
  const std::string& hash() const { return hash_; }
  const http::Bytes& body() const { return body_; }
  /// Null for an opaque document.
  const http::Bytes& gzip() const { return gzip_; }
  const DocumentHeaders& headers() const { return headers_; }
  /// `media_type` is an index into the headers' media types.
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

/// The ETag of a document, quotes included.
std::string etag_of(std::string_view hash, bool gzip);
/// The hash that an ETag of a document holds, of whatever encoding; the whole text where it is no ETag of
/// ours. Takes `W/` and quotes or leaves them.
std::string_view hash_of_etag(std::string_view etag);
/// What Document::hash() says of a body.
std::string document_hash(std::string_view body);

}  // namespace fairway::updateservice
