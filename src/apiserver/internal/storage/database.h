// SPDX-License-Identifier: Apache-2.0

// SQLite: connections and statements, with errors as values.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::apiserver::storage {

/// Returns the last error on `database`, or on opening it: `doing` and advice on what to do.
Error sqlite_error(sqlite3* database, int code, std::string_view doing);

/// A prepared statement, used by one thread at a time. Texts and blobs are bound without a copy: they live
/// until the next `reset`.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3_stmt* statement, std::string doing) : statement_(statement), doing_(std::move(doing)) {}

  Statement& bind(int index, std::int64_t value) {
    sqlite3_bind_int64(statement_.get(), index, value);
    return *this;
  }
  Statement& bind(int index, std::string_view text) {
    sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
  }
  Statement& bind_blob(int index, std::string_view bytes) {
    sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
  }
  Statement& bind_null(int index) {
    sqlite3_bind_null(statement_.get(), index);
    return *this;
  }
  /// Steps. Returns whether there is a row.
  Result<bool> step();
  /// Steps to the end, without regard to rows, and resets.
  Result<void> run();
  void reset() { sqlite3_reset(statement_.get()); }

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  /// Text of a column, valid until the next step.
  std::string_view text(int column) const;
  bool null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string doing_;
};

/// Resets a statement at the end of the scope, so that it holds no lock and none of the caller's texts.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ~ResetAtEnd() { statement_.reset(); }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  Statement& statement_;
};

/// A connection, used by one thread at a time.
class Database {
 public:
  /// Opens a connection. `flags` as of sqlite3_open_v2; `vfs` empty: the machine's.
  static Result<Database> open(const std::string& file, int flags, const std::string& vfs);

  Result<void> execute(const char* sql, std::string_view doing);
  Result<Statement> prepare(std::string_view sql, std::string_view doing);
  /// Returns the integer in the first column of the first row; 0 without a row.
  Result<std::int64_t> integer(std::string_view sql, std::string_view doing);
  /// Ends a transaction that failed, unless SQLite has done so.
  void roll_back();
  sqlite3* get() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace fairway::apiserver::storage
