// SPDX-License-Identifier: Apache-2.0

// Types of the operator's API about its cluster. Written by scripts/api_types.mjs from the OpenAPI document; do not edit.

export type Status = {
  program: Program;
  cluster: Cluster;
  risks: Risks;
  update: Update;
  migrations: Migrations;
};
export type Program = {
  version: string;
  started: string;
  leads: boolean;
};
export type Cluster = {
  found: boolean;
  known?: boolean;
  version?: string;
  image?: string;
  url?: string;
  channels?: string[];
  channel?: string;
  upstream?: string;
  upstreamSetBy?: "ClusterVersion" | "operator";
  current?: boolean;
  desiredUpdate?: DesiredUpdate;
  available?: Release[];
  conditional?: ConditionalUpdate[];
  conditions?: Condition[];
  history?: HistoryEntry[];
  leftOut?: number;
};
export type Release = {
  version: string;
  image: string;
  url?: string;
  channels?: string[];
};
export type DesiredUpdate = {
  version?: string;
  image?: string;
  architecture?: string;
  force: boolean;
  acceptRisks: string[];
};
export type ConditionalUpdate = {
  version: string;
  image: string;
  url?: string;
  channels?: string[];
  recommended?: Condition;
  risks: string[];
};
export type Condition = {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  since?: string;
};
export type HistoryEntry = {
  state: string;
  version: string;
  image: string;
  verified: boolean;
  started?: string;
  completed?: string;
  acceptedRisks?: string;
};
export type Risks = {
  time?: string;
  version?: string;
  risks: RiskState[];
  leftOut: number;
};
export type RiskState = {
  name: string;
  url: string;
  message: string;
  verdict: "matches" | "does not match" | "waiting" | "failed";
  versions: string[];
  matchingRules: ({
    type: string;
  })[];
  decidedBy?: string;
  value?: string;
  series?: string;
  error?: string;
  warnings?: string[];
  evaluator?: string;
  last?: string;
  next?: string;
  place?: number;
};
export type Update = {
  states: StateEntry[];
  until?: string;
  running?: Release;
  completed?: boolean;
  wanted?: Release;
  plan?: Plan;
};
export type StateEntry = {
  state: "deciding" | "idle" | "loading" | "checking" | "refused" | "starting" | "applying" | "retrying" | "completing" | "reconciling" | "resting";
  since: string;
};
export type Plan = {
  version: string;
  mode: "initializing" | "updating" | "reconciling";
  started: string;
  ended?: string;
  outcome?: "done" | "failed" | "interrupted";
  total: number;
  done: number;
  levels: RunLevel[];
  steps: Step[];
  leftOut: number;
};
export type RunLevel = {
  level: string;
  total: number;
  done: number;
  failed: number;
  active: number;
  components: string[];
  moreComponents: number;
};
export type Step = {
  name: string;
  level?: string;
  component?: string;
  file: string;
  object: string;
  action: "apply" | "create" | "remove" | "migrate";
  waitsFor: "nothing" | "established" | "rolled out" | "complete" | "available" | "cluster operator";
  stage: "running" | "waiting" | "failed";
  since: string;
  reason?: string;
  message?: string;
};
export type Migrations = {
  migrations: Migration[];
  leftOut: number;
};
export type Migration = {
  name: string;
  namespace: string;
  group: string;
  kind: string;
  from: string;
  to: string;
  dryRun: boolean;
  completed: boolean;
  done?: number;
  total?: number;
  leftOut?: number;
  waitingSince?: string;
  waitingFor?: string;
  lastError?: string;
  conditions: Condition[];
};

/** A path of the API, below its prefix. */
export type ClusterPath = "/status" | "/status/stream" | "/status/openapi";
