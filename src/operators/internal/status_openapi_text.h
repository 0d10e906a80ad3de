// SPDX-License-Identifier: Apache-2.0

// The OpenAPI document of the status port's API about the cluster. A test holds the answers against it, and
// the console's types are made of it (console/scripts/api_types.mjs).
#pragma once

namespace fairway::operators {

inline constexpr const char* status_openapi_text = R"json({
"openapi": "3.1.0",
"info": {
  "title": "Fairway operator: status of the cluster",
  "version": "1",
  "summary": "What the operator knows of its cluster's updates, and what it does.",
  "description": "Served by the status port of fairway operator where the console is on. It is for reading only. Times are UTC (RFC 3339). Other members may come with later versions.",
  "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
},
"paths": {
  "/status": {"get": {
    "operationId": "getStatus",
    "summary": "The whole status, once.",
    "responses": {
      "200": {"description": "The status.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}},
      "404": {"$ref": "#/components/responses/Off"},
      "421": {"$ref": "#/components/responses/OtherName"},
      "503": {"description": "So many answers are being read already: 12 of one address, or 16 in all.", "headers": {"Retry-After": {"schema": {"type": "integer"}}}, "content": {"text/plain": {"schema": {"type": "string"}}}}}}},
  "/status/stream": {"get": {
    "operationId": "followStatus",
    "summary": "The status as server-sent events.",
    "description": "Each member of Status comes as an event of its name with its JSON as data: all of them at first, then each that has changed. Changes within a quarter of a second come as one. After five seconds without an event a comment comes. After a lost connection ask again: all comes anew, and no event is numbered.",
    "responses": {
      "200": {"description": "The stream, which ends with the operator.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
      "404": {"$ref": "#/components/responses/Off"},
      "421": {"$ref": "#/components/responses/OtherName"},
      "503": {"description": "There are so many streams already: 12 of one address, or 16 in all.", "headers": {"Retry-After": {"schema": {"type": "integer"}}}, "content": {"text/plain": {"schema": {"type": "string"}}}}}}},
  "/status/openapi": {"get": {
    "operationId": "getStatusOpenApi",
    "summary": "This document.",
    "responses": {
      "200": {"description": "The document.", "content": {"application/json": {"schema": {"type": "object"}}}},
      "404": {"$ref": "#/components/responses/Off"},
      "421": {"$ref": "#/components/responses/OtherName"}}}}
},
)json"
                                                   R"json("components": {
"responses": {
  "Off": {"description": "The console is off.", "content": {"text/plain": {"schema": {"type": "string"}}}},
  "OtherName": {"description": "The Host header names neither an address nor localhost.", "content": {"text/plain": {"schema": {"type": "string"}}}}
},
"schemas": {
  "Status": {"type": "object", "required": ["program", "cluster", "risks", "update", "migrations"], "properties": {
    "program": {"$ref": "#/components/schemas/Program"},
    "cluster": {"$ref": "#/components/schemas/Cluster"},
    "risks": {"$ref": "#/components/schemas/Risks"},
    "update": {"$ref": "#/components/schemas/Update"},
    "migrations": {"$ref": "#/components/schemas/Migrations"}}},
  "Program": {"type": "object", "required": ["version", "started", "leads"], "properties": {
    "version": {"type": "string", "description": "Version of the operator."},
    "started": {"type": "string"},
    "leads": {"type": "boolean", "description": "False on a replica that waits to lead: it knows neither risks nor the update."}}},
  "Cluster": {"type": "object", "description": "What ClusterVersion says; without one, found and known alone.", "required": ["found"], "properties": {
    "found": {"type": "boolean"},
    "known": {"type": "boolean", "description": "False until the operator has read the ClusterVersions for the first time: found is false then, and says nothing. Absent later."},
    "version": {"type": "string", "description": "The release that runs, or is being applied: status.desired."},
    "image": {"type": "string"},
    "url": {"type": "string"},
    "channels": {"type": "array", "items": {"type": "string"}},
    "channel": {"type": "string"},
    "upstream": {"type": "string", "description": "URL of the update service, without user, password and values of the query."},
    "upstreamSetBy": {"type": "string", "enum": ["ClusterVersion", "operator"]},
    "current": {"type": "boolean", "description": "False while the operator has not yet said anything of the newest spec."},
    "desiredUpdate": {"$ref": "#/components/schemas/DesiredUpdate"},
    "available": {"type": "array", "items": {"$ref": "#/components/schemas/Release"}},
    "conditional": {"type": "array", "items": {"$ref": "#/components/schemas/ConditionalUpdate"}},
    "conditions": {"type": "array", "items": {"$ref": "#/components/schemas/Condition"}},
    "history": {"type": "array", "items": {"$ref": "#/components/schemas/HistoryEntry"}},
    "leftOut": {"type": "integer", "minimum": 0, "description": "How many entries of these lists, and of lists in them, are not shown: each list takes at most 100 KB."}}},
  "Release": {"type": "object", "required": ["version", "image"], "properties": {
    "version": {"type": "string"},
    "image": {"type": "string"},
    "url": {"type": "string"},
    "channels": {"type": "array", "items": {"type": "string"}}}},
  "DesiredUpdate": {"type": "object", "required": ["force", "acceptRisks"], "properties": {
    "version": {"type": "string"},
    "image": {"type": "string"},
    "architecture": {"type": "string"},
    "force": {"type": "boolean"},
    "acceptRisks": {"type": "array", "items": {"type": "string"}}}},
  "ConditionalUpdate": {"type": "object", "required": ["version", "image", "risks"], "properties": {
    "version": {"type": "string"},
    "image": {"type": "string"},
    "url": {"type": "string"},
    "channels": {"type": "array", "items": {"type": "string"}},
    "recommended": {"$ref": "#/components/schemas/Condition"},
    "risks": {"type": "array", "description": "Names of its risks.", "items": {"type": "string"}}}},
  "Condition": {"type": "object", "required": ["type", "status", "reason", "message"], "properties": {
    "type": {"type": "string"},
    "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
    "reason": {"type": "string"},
    "message": {"type": "string"},
    "since": {"type": "string"}}},
  "HistoryEntry": {"type": "object", "required": ["state", "version", "image", "verified"], "properties": {
    "state": {"type": "string"},
    "version": {"type": "string"},
    "image": {"type": "string"},
    "verified": {"type": "boolean"},
    "started": {"type": "string"},
    "completed": {"type": "string"},
    "acceptedRisks": {"type": "string"}}},
)json"
                                                   R"json(
  "Risks": {"type": "object", "required": ["risks", "leftOut"], "properties": {
    "time": {"type": "string", "description": "When this was found out; absent before the first time, and on replicas that do not lead."},
    "version": {"type": "string", "description": "The release that the updates are from."},
    "risks": {"type": "array", "items": {"$ref": "#/components/schemas/RiskState"}},
    "leftOut": {"type": "integer", "minimum": 0, "description": "How many risks are not listed, as they would take more than 1.5 MB."}}},
  "RiskState": {"type": "object", "required": ["name", "url", "message", "verdict", "versions", "matchingRules"], "properties": {
    "name": {"type": "string"},
    "url": {"type": "string"},
    "message": {"type": "string"},
    "verdict": {"type": "string", "enum": ["matches", "does not match", "waiting", "failed"]},
    "versions": {"type": "array", "description": "The updates that it is a risk of.", "items": {"type": "string"}},
    "matchingRules": {"type": "array", "items": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}}},
    "decidedBy": {"type": "string", "description": "The type of the rule that decided."},
    "value": {"type": "string", "description": "The value of the sample that decided, as a number."},
    "series": {"type": "string", "description": "The labels of that sample, as PromQL has them; absent where it has none."},
    "error": {"type": "string"},
    "warnings": {"type": "array", "items": {"type": "string"}},
    "evaluator": {"type": "string"},
    "last": {"type": "string", "description": "When its query was evaluated."},
    "next": {"type": "string", "description": "When it will be evaluated again, at the earliest."},
    "place": {"type": "integer", "minimum": 1, "description": "Its place among the queries that wait for their turn."}}},
  "Update": {"type": "object", "description": "What the operator does; on a replica that does not lead, states is empty.", "required": ["states"], "properties": {
    "states": {"type": "array", "maxItems": 20, "description": "The states that were entered, the present one last.", "items": {"$ref": "#/components/schemas/StateEntry"}},
    "until": {"type": "string", "description": "Until when it waits if nothing happens before."},
    "running": {"$ref": "#/components/schemas/Release"},
    "completed": {"type": "boolean", "description": "Whether what runs was applied as a whole."},
    "wanted": {"$ref": "#/components/schemas/Release"},
    "plan": {"$ref": "#/components/schemas/Plan"}}},
  "StateEntry": {"type": "object", "required": ["state", "since"], "properties": {
    "state": {"type": "string", "enum": ["deciding", "idle", "loading", "checking", "refused", "starting", "applying", "retrying", "completing", "reconciling", "resting"]},
    "since": {"type": "string"}}},
  "Plan": {"type": "object", "required": ["version", "mode", "started", "total", "done", "levels", "steps", "leftOut"], "properties": {
    "version": {"type": "string"},
    "mode": {"type": "string", "enum": ["initializing", "updating", "reconciling"]},
    "started": {"type": "string"},
    "ended": {"type": "string"},
    "outcome": {"type": "string", "enum": ["done", "failed", "interrupted"]},
    "total": {"type": "integer", "minimum": 0, "description": "Manifests of the release."},
    "done": {"type": "integer", "minimum": 0},
    "levels": {"type": "array", "description": "The run levels, in their order.", "items": {"$ref": "#/components/schemas/RunLevel"}},
    "steps": {"type": "array", "maxItems": 200, "description": "What has failed, what waits and what runs. After the end: what has failed.", "items": {"$ref": "#/components/schemas/Step"}},
    "leftOut": {"type": "integer", "minimum": 0, "description": "How many such steps are not listed, as there are more than 200, or they would take more than 512 KB."}}},
  "RunLevel": {"type": "object", "required": ["level", "total", "done", "failed", "active", "components", "moreComponents"], "properties": {
    "level": {"type": "string", "description": "The number in the names of its files; empty for files without one."},
    "total": {"type": "integer", "minimum": 0},
    "done": {"type": "integer", "minimum": 0},
    "failed": {"type": "integer", "minimum": 0},
    "active": {"type": "integer", "minimum": 0, "description": "Manifests that were begun and are not done, with those that have failed."},
    "components": {"type": "array", "maxItems": 20, "description": "Components that are not done.", "items": {"type": "string"}},
    "moreComponents": {"type": "integer", "minimum": 0}}},
  "Step": {"type": "object", "required": ["name", "file", "object", "action", "waitsFor", "stage", "since"], "properties": {
    "name": {"type": "string"},
    "level": {"type": "string"},
    "component": {"type": "string"},
    "file": {"type": "string"},
    "object": {"type": "string"},
    "action": {"type": "string", "enum": ["apply", "create", "remove", "migrate"]},
    "waitsFor": {"type": "string", "enum": ["nothing", "established", "rolled out", "complete", "available", "cluster operator"]},
    "stage": {"type": "string", "enum": ["running", "waiting", "failed"]},
    "since": {"type": "string"},
    "reason": {"type": "string"},
    "message": {"type": "string"}}},
  "Migrations": {"type": "object", "required": ["migrations", "leftOut"], "properties": {
    "migrations": {"type": "array", "maxItems": 100, "description": "Conversions, those first that are not completed.", "items": {"$ref": "#/components/schemas/Migration"}},
    "leftOut": {"type": "integer", "minimum": 0, "description": "How many are not listed, as there are more than 100, or they would take more than 256 KB."}}},
  "Migration": {"type": "object", "required": ["name", "namespace", "group", "kind", "from", "to", "dryRun", "completed", "conditions"], "properties": {
    "name": {"type": "string"},
    "namespace": {"type": "string"},
    "group": {"type": "string"},
    "kind": {"type": "string"},
    "from": {"type": "string"},
    "to": {"type": "string"},
    "dryRun": {"type": "boolean"},
    "completed": {"type": "boolean"},
    "done": {"type": "integer", "minimum": 0, "description": "Objects that are stored in the new version, or were deleted."},
    "total": {"type": "integer", "minimum": 0, "description": "As far as the API server has said."},
    "leftOut": {"type": "integer", "minimum": 0, "description": "Objects that could not be written."},
    "waitingSince": {"type": "string"},
    "waitingFor": {"type": "string", "description": "How the outage shows that it waits out."},
    "lastError": {"type": "string"},
    "conditions": {"type": "array", "items": {"$ref": "#/components/schemas/Condition"}}}}
}}}
)json";

}  // namespace fairway::operators
