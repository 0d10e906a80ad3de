// SPDX-License-Identifier: Apache-2.0

// Types of the update service's API. Written by scripts/api_types.mjs from the OpenAPI document; do not edit.

export type Error = {
  kind: string;
  value: string;
};
export type Version = string;
export type Versions = Version[];
export type Names = string[];
export type Node = {
  version: Version;
  payload: string;
  metadata: Record<string, string>;
};
export type Risk = {
  url: string;
  name: string;
  message: string;
  matchingRules: ({
    type: string;
  })[];
};
export type Graph = {
  version: 1;
  nodes: Node[];
  edges: ([number, number])[];
  conditionalEdges: ({
    edges: ({
      from: Version;
      to: Version;
    })[];
    risks: Risk[];
  })[];
};
export type Channels = {
  channels: Record<string, {
    description?: string;
  }>;
};
export type Problem = {
  kind: string;
  file?: string;
  line?: number;
  column?: number;
  message: string;
};
export type Problems = {
  problems: Problem[];
};
export type Verdict = "recommended" | "conditional" | "none";
export type Reason = {
  kind: "recommended" | "unknown-channel" | "unknown-architecture" | "unknown-version" | "not-in-channel" | "tombstoned" | "no-such-edge" | "blocked" | "removed-by-metadata" | "conditional" | "problem";
  file?: string;
  line?: number;
  message: string;
};
export type Reasons = Reason[];
export type Explanation = {
  verdict: Verdict;
  reasons: Reasons;
  risks: Risk[];
};
export type ExplainedUpdate = {
  from: Version;
  to: Version;
  verdict: Verdict;
  reasons: Reasons;
  risks: number[];
};
export type Updates = {
  updates: ExplainedUpdate[];
  reasons: Reasons;
  risks: Risk[];
};
export type Path = {
  hops: ({
    from: Version;
    to: Version;
    channel: string;
    risks: Names;
  })[];
};
export type Paths = {
  paths: Path[];
  fewestRisks?: Path;
  reason?: string;
  unknownRisks?: string[];
};
export type EdgeChange = {
  from: Version;
  to: Version;
  risks?: Names;
  risksBefore?: Names;
};
export type Changes = {
  nodes: {
    added: Versions;
    removed: Versions;
    changed: Versions;
  };
  edges: {
    added: EdgeChange[];
    removed: EdgeChange[];
    putAtRisk: EdgeChange[];
    riskLifted: EdgeChange[];
  };
};
export type ChangesSince = {
  since: string;
  now: string;
  changes: Changes;
};
export type Stranded = {
  highest: string;
  stranded: Versions;
  stuck: Versions;
};

/** A path of the API, below its prefix. */
export type ApiPath = "/graph" | "/v1/graph" | "/channels" | "/openapi" | "/graph-data" | "/problems" | "/explain" | "/updates" | "/path" | "/changes" | "/stranded";
