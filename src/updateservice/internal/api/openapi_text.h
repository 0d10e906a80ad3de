// SPDX-License-Identifier: Apache-2.0

// The text of the OpenAPI document, without path prefix, HEAD and OPTIONS: openapi.cc adds those.
#pragma once

namespace fairway::updateservice {

inline constexpr const char* openapi_template = R"json({
"openapi": "3.1.0",
"info": {
  "title": "Fairway update service",
  "version": "1",
  "summary": "Which releases a cluster may update to, and why.",
  "description": "Graphs of updates for each channel and architecture, made of release images and graph data. Answers carry strong ETags and are compressed where the client takes gzip. Channels that are not public are opened by HTTP authentication; to everybody else they do not exist.",
  "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
},
"security": [{}, {"basic": []}, {"bearer": []}],
"paths": {
  "/graph": {"get": {
    "operationId": "getGraph",
    "summary": "The update graph of a channel.",
    "description": "A channel or architecture that is not known has the empty graph.",
    "parameters": [
      {"$ref": "#/components/parameters/channel"}, {"$ref": "#/components/parameters/arch"},
      {"$ref": "#/components/parameters/version"}, {"$ref": "#/components/parameters/id"},
      {"$ref": "#/components/parameters/ifNoneMatch"}],
    "responses": {
      "200": {"description": "The graph.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}},
        "content": {
          "application/vnd.redhat.cincinnati.v1+json": {"schema": {"$ref": "#/components/schemas/Graph"}},
          "application/json": {"schema": {"$ref": "#/components/schemas/Graph"}}}},
      "304": {"$ref": "#/components/responses/NotModified"},
      "400": {"$ref": "#/components/responses/BadRequest"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/v1/graph": {"get": {
    "operationId": "getGraphV1",
    "summary": "The same as /graph.",
    "parameters": [
      {"$ref": "#/components/parameters/channel"}, {"$ref": "#/components/parameters/arch"},
      {"$ref": "#/components/parameters/version"}, {"$ref": "#/components/parameters/id"},
      {"$ref": "#/components/parameters/ifNoneMatch"}],
    "responses": {
      "200": {"description": "The graph.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}},
        "content": {
          "application/vnd.redhat.cincinnati.v1+json": {"schema": {"$ref": "#/components/schemas/Graph"}},
          "application/json": {"schema": {"$ref": "#/components/schemas/Graph"}}}},
      "304": {"$ref": "#/components/responses/NotModified"},
      "400": {"$ref": "#/components/responses/BadRequest"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/channels": {"get": {
    "operationId": "listChannels",
    "summary": "All channels that the caller may see, with their descriptions.",
    "parameters": [{"$ref": "#/components/parameters/ifNoneMatch"}],
    "responses": {
      "200": {"description": "The channels.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}},
        "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/Channels"}},
          "application/vnd.redhat.cincinnati.channels.v1+json": {"schema": {"$ref": "#/components/schemas/Channels"}}}},
      "304": {"$ref": "#/components/responses/NotModified"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/openapi": {"get": {
    "operationId": "getOpenApi",
    "summary": "This document.",
    "parameters": [{"$ref": "#/components/parameters/ifNoneMatch"}],
    "responses": {
      "200": {"description": "An OpenAPI 3.1 document.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}}, "content": {"application/json": {"schema": {"type": "object", "required": ["openapi", "info", "paths"]}}}},
      "304": {"$ref": "#/components/responses/NotModified"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"}}}},
  "/graph-data": {"get": {
    "operationId": "getGraphData",
    "summary": "The graph data that the graphs were made of, as a gzipped tar.",
    "parameters": [{"$ref": "#/components/parameters/ifNoneMatch"}],
    "responses": {
      "200": {"description": "The files of the graph-data repository, without what the caller may not see.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}},
        "content": {"application/gzip": {"schema": {"contentMediaType": "application/gzip"}}}},
      "304": {"$ref": "#/components/responses/NotModified"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/signatures/{algorithmAndDigest}/{signature}": {"get": {
    "operationId": "getSignature",
    "summary": "An OpenPGP signature of a release image.",
    "parameters": [
      {"name": "algorithmAndDigest", "in": "path", "required": true, "description": "The image's digest as ALGORITHM=HEX.", "schema": {"type": "string", "pattern": "^[a-z0-9]{1,16}=[0-9a-f]{1,128}$"}, "example": "sha256=0000000000000000000000000000000000000000000000000000000000000704"},
      {"name": "signature", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^signature-[0-9]{1,9}$"}, "example": "signature-1"}],
    "responses": {
      "200": {"description": "A binary OpenPGP message.", "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}}, "content": {"application/octet-stream": {"schema": {"contentMediaType": "application/octet-stream"}}}},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "404": {"$ref": "#/components/responses/NotFound"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/problems": {"get": {
    "operationId": "listProblems",
    "summary": "What of the inputs was not understood or left out, and what that did to the graph.",
    "parameters": [{"$ref": "#/components/parameters/ifNoneMatch"}],
    "responses": {
      "200": {"description": "The problems.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problems"}}}},
      "304": {"$ref": "#/components/responses/NotModified"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/explain": {"get": {
    "operationId": "explain",
    "summary": "Why an update is recommended, conditional, or not there.",
    "parameters": [
      {"$ref": "#/components/parameters/channel"}, {"$ref": "#/components/parameters/arch"},
      {"$ref": "#/components/parameters/from"}, {"$ref": "#/components/parameters/to"}],
    "responses": {
      "200": {"description": "The verdict with all of its reasons.", "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Explanation"}}}},
      "400": {"$ref": "#/components/responses/BadRequest"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/updates": {"get": {
    "operationId": "listUpdates",
    "summary": "All updates from a release of a channel to higher ones, or to it from lower ones: those that there are, and why the others are not.",
    "parameters": [
      {"$ref": "#/components/parameters/channel"}, {"$ref": "#/components/parameters/arch"},
      {"name": "release", "in": "query", "required": true, "description": "A version; `+ARCH` behind it may stand there if it is the architecture that is asked about.", "schema": {"type": "string", "pattern": "^[0-9A-Za-z\\.\\+\\-]{1,256}$"}, "example": "4.6.23"},
      {"name": "direction", "in": "query", "required": false, "description": "Updates from the release, or to it.", "schema": {"type": "string", "enum": ["from", "to"], "default": "from"}}],
    "responses": {
      "200": {"description": "An update for each release of the channel that is higher (or lower) than the one asked about, the highest first; or why the channel does not have that one.", "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Updates"}}}},
      "400": {"$ref": "#/components/responses/BadRequest"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "429": {"description": "Two such questions are being answered already (`refused`).", "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/path": {"get": {
    "operationId": "findPaths",
    "summary": "Paths from one release to another over several updates.",
    "parameters": [
      {"name": "channels", "in": "query", "required": true, "description": "Channel names, joined by commas. A hop may be an edge of any of them.", "schema": {"type": "string", "pattern": "^[0-9a-z\\-\\.]+(,[0-9a-z\\-\\.]+)*$"}, "example": "stable-4.7,candidate-4.7"},
      {"$ref": "#/components/parameters/arch"},
      {"$ref": "#/components/parameters/from"}, {"$ref": "#/components/parameters/to"},
      {"name": "avoid", "in": "query", "required": false, "description": "Names of risks, joined by commas: no hop may have one of them.", "schema": {"type": "string"}}],
    "responses": {
      "200": {"description": "At most three paths: fewest hops first, then fewest distinct risks; a longer one with fewer risks than these, if there is one; and why there is none.", "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Paths"}}}},
      "400": {"$ref": "#/components/responses/BadRequest"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/changes": {"get": {
    "operationId": "findChanges",
    "summary": "What has changed in a channel's graph since an earlier build.",
    "parameters": [
      {"$ref": "#/components/parameters/channel"}, {"$ref": "#/components/parameters/arch"},
      {"name": "since", "in": "query", "required": true, "description": "An ETag that /graph gave for this channel and architecture, of any encoding and media type, with or without its quotes.", "schema": {"type": "string"}}],
    "responses": {
      "200": {"description": "What was added, removed, put at risk.", "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ChangesSince"}}}},
      "400": {"$ref": "#/components/responses/BadRequest"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "404": {"$ref": "#/components/responses/NotFound"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}},
  "/stranded": {"get": {
    "operationId": "findStranded",
    "summary": "Releases of a channel from which its highest version cannot be reached.",
    "parameters": [{"$ref": "#/components/parameters/channel"}, {"$ref": "#/components/parameters/arch"}],
    "responses": {
      "200": {"description": "The stranded releases.", "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}, "Fairway-Graph-Age": {"$ref": "#/components/headers/GraphAge"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stranded"}}}},
      "400": {"$ref": "#/components/responses/BadRequest"},
      "401": {"$ref": "#/components/responses/Unauthorized"},
      "406": {"$ref": "#/components/responses/NotAcceptable"},
      "503": {"$ref": "#/components/responses/NotReady"}}}}
},)json"
                                                R"json(
"components": {
  "securitySchemes": {
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"}
  },
  "parameters": {
    "channel": {"name": "channel", "in": "query", "required": true, "schema": {"type": "string", "pattern": "^[0-9a-z\\-\\.]+$"}, "example": "stable-4.7"},
    "arch": {"name": "arch", "in": "query", "required": false, "schema": {"type": "string", "pattern": "^[0-9a-z]+$", "default": "amd64"}},
    "version": {"name": "version", "in": "query", "required": false, "description": "Clusters send it; it does not change the answer.", "schema": {"type": "string"}},
    "id": {"name": "id", "in": "query", "required": false, "description": "Clusters send it; it does not change the answer.", "schema": {"type": "string"}},
    "from": {"name": "from", "in": "query", "required": true, "description": "A version; `+ARCH` behind it may stand there if it is the architecture that is asked about.", "schema": {"type": "string", "pattern": "^[0-9A-Za-z\\.\\+\\-]{1,256}$"}, "example": "4.6.23"},
    "to": {"name": "to", "in": "query", "required": true, "schema": {"type": "string", "pattern": "^[0-9A-Za-z\\.\\+\\-]{1,256}$"}, "example": "4.7.4"},
    "ifNoneMatch": {"name": "If-None-Match", "in": "header", "required": false, "description": "ETags that the client has.", "schema": {"type": "string"}}
  },
  "headers": {
    "ETag": {"description": "Strong: names these bytes, which a content has in one encoding. Plain and compressed have different ones; the media types of a path, which share their bytes, have the same. /changes takes those of /graph.", "schema": {"type": "string"}},
    "CacheControl": {"description": "`private` where credentials opened the answer, else `public`.", "schema": {"type": "string"}},
    "Vary": {"description": "Which request headers the answer depends on.", "schema": {"type": "string"}},
    "GraphAge": {"description": "Only while a source fails and the last good graph is served: its age in seconds.", "schema": {"type": "integer", "minimum": 0}},
    "RetryAfter": {"description": "Seconds to wait before the next try.", "schema": {"type": "integer", "minimum": 0}}
  },
  "responses": {
    "NotModified": {"description": "What the client has is what would be sent.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "Cache-Control": {"$ref": "#/components/headers/CacheControl"}, "Vary": {"$ref": "#/components/headers/Vary"}}},
    "BadRequest": {"description": "A parameter is missing (`missing_params`) or wrong (`invalid_params`).", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    "Unauthorized": {"description": "The credentials are wrong (`unauthorized`). Requests without credentials are never refused.", "headers": {"WWW-Authenticate": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    "NotFound": {"description": "There is no such thing (`does_not_exist`).", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    "NotAcceptable": {"description": "None of the media types that the client takes is offered (`invalid_content_type`).", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    "MethodNotAllowed": {"description": "The path has other methods (`refused`): GET, HEAD and OPTIONS.", "headers": {"Allow": {"description": "The methods of the path.", "schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    "ContentTooLarge": {"description": "The request has a body that is too large for a path which takes none (`refused`); the connection closes.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    "TooManyRequests": {"description": "Too many requests come from this address, or too many have only begun to come (`refused`).", "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    "NotReady": {"description": "There is nothing to answer from yet (`not_ready`).", "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
  },
  "schemas": {
    "Error": {"type": "object", "required": ["kind", "value"], "properties": {"kind": {"type": "string"}, "value": {"type": "string"}}},
    "Version": {"type": "string"},
    "Versions": {"type": "array", "items": {"$ref": "#/components/schemas/Version"}},
    "Names": {"type": "array", "items": {"type": "string"}},
    "Node": {"type": "object", "required": ["version", "payload", "metadata"], "properties": {
      "version": {"$ref": "#/components/schemas/Version"},
      "payload": {"type": "string", "description": "Pull spec of the release image."},
      "metadata": {"type": "object", "additionalProperties": {"type": "string"}}}},
    "Risk": {"type": "object", "required": ["url", "name", "message", "matchingRules"], "properties": {
      "url": {"type": "string"}, "name": {"type": "string"}, "message": {"type": "string"},
      "matchingRules": {"type": "array", "items": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}}}}},
    "Graph": {"type": "object", "required": ["version", "nodes", "edges", "conditionalEdges"], "properties": {
      "version": {"type": "integer", "const": 1},
      "nodes": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
      "edges": {"type": "array", "description": "Recommended updates: indices of two nodes, from and to.", "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 0}}},
      "conditionalEdges": {"type": "array", "items": {"type": "object", "required": ["edges", "risks"], "properties": {
        "edges": {"type": "array", "items": {"type": "object", "required": ["from", "to"], "properties": {"from": {"$ref": "#/components/schemas/Version"}, "to": {"$ref": "#/components/schemas/Version"}}}},
        "risks": {"type": "array", "items": {"$ref": "#/components/schemas/Risk"}}}}}}},
    "Channels": {"type": "object", "required": ["channels"], "properties": {
      "channels": {"type": "object", "additionalProperties": {"type": "object", "properties": {"description": {"type": "string"}}}}}},
    "Problem": {"type": "object", "required": ["kind", "message"], "properties": {
      "kind": {"type": "string"}, "file": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}, "message": {"type": "string"}}},
    "Problems": {"type": "object", "required": ["problems"], "properties": {"problems": {"type": "array", "items": {"$ref": "#/components/schemas/Problem"}}}},
    "Verdict": {"type": "string", "enum": ["recommended", "conditional", "none"]},
    "Reason": {"type": "object", "required": ["kind", "message"], "properties": {
      "kind": {"type": "string", "enum": ["recommended", "unknown-channel", "unknown-architecture", "unknown-version", "not-in-channel", "tombstoned", "no-such-edge", "blocked", "removed-by-metadata", "conditional", "problem"]},
      "file": {"type": "string"}, "line": {"type": "integer"}, "message": {"type": "string"}}},
    "Reasons": {"type": "array", "items": {"$ref": "#/components/schemas/Reason"}},
    "Explanation": {"type": "object", "required": ["verdict", "reasons", "risks"], "properties": {
      "verdict": {"$ref": "#/components/schemas/Verdict"},
      "reasons": {"$ref": "#/components/schemas/Reasons"},
      "risks": {"type": "array", "items": {"$ref": "#/components/schemas/Risk"}}}},
    "ExplainedUpdate": {"type": "object", "required": ["from", "to", "verdict", "reasons", "risks"], "properties": {
      "from": {"$ref": "#/components/schemas/Version"}, "to": {"$ref": "#/components/schemas/Version"},
      "verdict": {"$ref": "#/components/schemas/Verdict"},
      "reasons": {"$ref": "#/components/schemas/Reasons"},
      "risks": {"type": "array", "description": "Positions in the answer's list of risks.", "items": {"type": "integer", "minimum": 0}}}},
    "Updates": {"type": "object", "required": ["updates", "reasons", "risks"], "properties": {
      "updates": {"type": "array", "items": {"$ref": "#/components/schemas/ExplainedUpdate"}},
      "reasons": {"$ref": "#/components/schemas/Reasons"},
      "risks": {"type": "array", "items": {"$ref": "#/components/schemas/Risk"}}}},
    "Path": {"type": "object", "required": ["hops"], "properties": {
      "hops": {"type": "array", "items": {"type": "object", "required": ["from", "to", "channel", "risks"], "properties": {
        "from": {"$ref": "#/components/schemas/Version"}, "to": {"$ref": "#/components/schemas/Version"},
        "channel": {"type": "string"}, "risks": {"$ref": "#/components/schemas/Names"}}}}}},
    "Paths": {"type": "object", "required": ["paths"], "properties": {
      "paths": {"type": "array", "maxItems": 3, "items": {"$ref": "#/components/schemas/Path"}},
      "fewestRisks": {"$ref": "#/components/schemas/Path"},
      "reason": {"type": "string", "description": "Why there is no path."},
      "unknownRisks": {"type": "array", "items": {"type": "string"}, "description": "Names to avoid that no update in these channels has."}}},
    "EdgeChange": {"type": "object", "required": ["from", "to"], "properties": {
      "from": {"$ref": "#/components/schemas/Version"}, "to": {"$ref": "#/components/schemas/Version"},
      "risks": {"$ref": "#/components/schemas/Names"}, "risksBefore": {"$ref": "#/components/schemas/Names"}}},
    "Changes": {"type": "object", "required": ["nodes", "edges"], "properties": {
      "nodes": {"type": "object", "required": ["added", "removed", "changed"], "properties": {
        "added": {"$ref": "#/components/schemas/Versions"}, "removed": {"$ref": "#/components/schemas/Versions"}, "changed": {"$ref": "#/components/schemas/Versions"}}},
      "edges": {"type": "object", "required": ["added", "removed", "putAtRisk", "riskLifted"], "properties": {
        "added": {"type": "array", "items": {"$ref": "#/components/schemas/EdgeChange"}},
        "removed": {"type": "array", "items": {"$ref": "#/components/schemas/EdgeChange"}},
        "putAtRisk": {"type": "array", "items": {"$ref": "#/components/schemas/EdgeChange"}},
        "riskLifted": {"type": "array", "items": {"$ref": "#/components/schemas/EdgeChange"}}}}}},
    "ChangesSince": {"type": "object", "required": ["since", "now", "changes"], "properties": {
      "since": {"type": "string"}, "now": {"type": "string"}, "changes": {"$ref": "#/components/schemas/Changes"}}},
    "Stranded": {"type": "object", "required": ["highest", "stranded", "stuck"], "properties": {
      "highest": {"type": "string"}, "stranded": {"$ref": "#/components/schemas/Versions"}, "stuck": {"$ref": "#/components/schemas/Versions"}}}
  }
}
})json";

}  // namespace fairway::updateservice
