// SPDX-License-Identifier: Apache-2.0

// The frame around the views of each part of Fairway: where one is, whether what answers is reached, and what has gone wrong.

import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { clockTime } from "../model/age";
import type { Connection } from "../model/live";
import { useStore } from "./context";

/** Returns what the server has written into the page. */
export function setting(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** Returns the URL of the API, without a slash at its end. */
export function apiBase(): string {
  return new URL(setting("fairway-api"), document.baseURI).href.replace(/\/$/, "");
}

/** Follows what stands behind # in the address. */
export function useHash<T>(read: (hash: string) => T): T {
  const [route, setRoute] = useState(() => read(location.hash));
  useEffect(() => {
    const changed = () => setRoute(read(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

function ConnectionState({ connection, to }: { connection: Connection; to: string }) {
  const since = useStore(connection.lostSince);
  return (
    <div role="status" class={since ? "lost" : undefined}>
      {since && `No connection to the ${to} since ${clockTime(since)}. What you see is from before; this page goes on asking.`}
    </div>
  );
}

/** Its children, or what to do where they cannot be shown. */
export function Guarded({ by, children }: { by: string; children: () => ComponentChildren }) {
  const [fault, again] = useErrorBoundary();
  if (fault !== undefined) {
    return (
      <p class="refused" role="alert">
        What the {by} answered cannot be shown: it is not what this page expects. <button type="button" onClick={again}>Try again</button>
      </p>
    );
  }
  return <Called>{children}</Called>;
}

/** Calls its children while it is drawn, within the boundary around it. */
function Called({ children }: { children: () => ComponentChildren }) {
  return <>{children()}</>;
}

export function NavigationLink({ href, here, children }: { href: string; here: boolean; children: ComponentChildren }) {
  return (
    <li>
      <a href={href} aria-current={here ? "page" : undefined}>
        {children}
      </a>
    </li>
  );
}

interface FrameProperties {
  /** What answers: "service", "operator". */
  to: string;
  connection: Connection;
  /** The link of the first page. */
  home: string;
  title: string;
  /** What stands beside the title, and is no part of it. */
  beside?: ComponentChildren;
  navigation: ComponentChildren;
  /** What stands at the end of the head. */
  tools?: ComponentChildren;
  children: ComponentChildren;
}

export function Frame({ to, connection, home, title, beside, navigation, tools, children }: FrameProperties) {
  const heading = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${title} · Fairway`;
    // Who uses a screen reader hears where a link has led; the first page is read from its beginning anyway.
    if (first.current) first.current = false;
    else heading.current?.focus();
  }, [title]);
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); heading.current?.focus(); }}>
        Skip to the content
      </a>
      <header>
        <p class="brand">
          <a href={home}>Fairway</a> <span>{setting("fairway-version")}</span>
        </p>
        <nav aria-label="Views">
          <ul>{navigation}</ul>
        </nav>
        {tools}
      </header>
      <ConnectionState connection={connection} to={to} />
      <main id="content">
        <h1 ref={heading} tabIndex={-1}>
          {title}
          {beside}
        </h1>
        {children}
      </main>
      <footer>
        <a href={setting("fairway-licences")}>Licences of what this page is made of</a>
      </footer>
    </>
  );
}
