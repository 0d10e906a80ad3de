// SPDX-License-Identifier: Apache-2.0

// The client of the update service's public API. Credentials stay in this object, and go nowhere but into the Authorization header.

import type { ApiPath } from "./types";

export type Parameters = Record<string, string>;

/** The answer to one request. */
export interface Answer<T> {
  body: T;
  /** Seconds since the graph was fresh; null while it is. */
  age: number | null;
  /** What names this body: as long as it is the same, so is the body. Null where the service gives none. */
  etag: string | null;
}

/** A refusal by the service: it was reached, and says why. */
export class Refused extends Error {
  constructor(readonly status: number, readonly kind: string, message: string) {
    super(message);
  }
}

/** The service was not reached: no connection, an answer that never ended, or a proxy's error. */
export class Unreachable extends Error {}

/** The service was reached, and does not answer this question in time. */
export class TooSlow extends Unreachable {}

/** The lists and maps that an answer has: what answers without them is another program. */
const contents: Partial<Record<ApiPath, readonly string[]>> = {
  "/graph": ["nodes", "edges"],
  "/channels": ["channels"],
  "/problems": ["problems"],
  "/updates": ["updates", "reasons", "risks"],
  "/path": ["paths"],
  "/stranded": ["stranded"],
};

function isAnswer(path: ApiPath, body: unknown): boolean {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  return (contents[path] ?? []).every((key) => {
    const content = (body as Record<string, unknown>)[key];
    return typeof content === "object" && content !== null;
  });
}

const longestWait = 20_000;

/** Tells whether a token can stand in a header: browsers refuse others, before anything is sent. */
export function isHeaderValue(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** Returns the value of an Authorization header for a token, or for a user with a password in UTF-8. */
export function bearer(token: string): string {
  if (!isHeaderValue(token)) throw new TypeError("a token has characters of ASCII only");
  return `Bearer ${token}`;
}
export function basic(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

export class Client {
  private authorization: string | null = null;

  /** `base`: the URL of the API, without a slash at its end. */
  constructor(private readonly base: string, private readonly send: typeof fetch = (...request) => fetch(...request)) {}

  /** Sets the Authorization header of all later requests; null: none. */
  authorize(value: string | null): void {
    this.authorization = value;
  }

  /** Returns the address of a question, without credentials. */
  addressOf(path: ApiPath, parameters: Parameters = {}): string {
    const query = new URLSearchParams(parameters).toString();
    return `${this.base}${path}${query === "" ? "" : `?${query}`}`;
  }

  /** Asks. Throws Refused or Unreachable. */
  async get<T>(path: ApiPath, parameters: Parameters = {}, cancelled?: AbortSignal): Promise<Answer<T>> {
    const limit = AbortSignal.timeout(longestWait);
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.authorization !== null) headers["Authorization"] = this.authorization;
    let response: Response;
    let text: string;
    try {
      response = await this.send(this.addressOf(path, parameters), {
        headers,
        credentials: "omit",
        cache: "no-cache",
        redirect: "error",
        referrerPolicy: "no-referrer",
        signal: cancelled ? AbortSignal.any([cancelled, limit]) : limit,
      });
      text = await response.text();
    } catch (error) {
      if (cancelled?.aborted) throw error;
      if (limit.aborted) throw new TooSlow("the service did not answer in time");
      throw new Unreachable("the service cannot be reached");
    }
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new Unreachable(`what answers is not the service: status ${response.status}, and no JSON`);
    }
    if (!response.ok) {
      const refusal = (body ?? {}) as { kind?: unknown; value?: unknown };
      throw new Refused(response.status, String(refusal.kind ?? "refused"), String(refusal.value ?? `status ${response.status}`));
    }
    if (!isAnswer(path, body)) throw new Unreachable("what answers is not the service: its JSON has another shape");
    const age = response.headers.get("Fairway-Graph-Age");
    return { body: body as T, age: age === null ? null : Number(age), etag: response.headers.get("ETag") };
  }
}
