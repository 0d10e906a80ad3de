// SPDX-License-Identifier: Apache-2.0

// What all views share: the client, the connection, and hooks that follow values.

import { createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { Client, type Parameters } from "../api/client";
import type { ApiPath } from "../api/types";
import { browserTimer, Connection, LiveAnswer, nothing, type Live } from "../model/live";
import type { Route } from "../model/route";
import type { Store } from "../model/store";

export interface Shared {
  client: Client;
  connection: Connection;
  /** Counts the changes of credentials: all answers are asked for again. */
  credentials: number;
  route: Route;
}

export const SharedContext = createContext<Shared | null>(null);

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (shared === null) throw new Error("no SharedContext around this view");
  return shared;
}

export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0);
  useEffect(() => {
    redraw((count) => count + 1);
    return store.follow(() => redraw((count) => count + 1));
  }, [store]);
  return store.get();
}

/** Follows the answer to a question of the API; null: there is no question. `revision`: what the answer changes with; it is asked for again
 * when that changes only. Null: every few seconds. */
export function useAnswer<T>(path: ApiPath, parameters: Parameters | null, revision: string | null = null): Live<T> {
  const { client, connection, credentials } = useShared();
  const key = parameters === null ? null : `${credentials} ${path} ${JSON.stringify(parameters)}`;
  const [held, hold] = useState<{ key: string; live: Live<T> } | null>(null);
  useEffect(() => {
    if (key === null || parameters === null) return undefined;
    const answer = new LiveAnswer<T>((cancelled) => client.get<T>(path, parameters, cancelled), connection, browserTimer, {
      until: revision === null ? "stopped" : "answered",
      before: held !== null && held.key === key ? held.live : nothing,
    });
    const take = () => hold({ key, live: answer.state.get() });
    const leave = answer.state.follow(take);
    return () => {
      leave();
      answer.stop();
    };
  }, [key, revision]);
  // Never the answer to the question before this one.
  return useMemo(() => (held !== null && held.key === key ? held.live : nothing), [held, key]);
}
