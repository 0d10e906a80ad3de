// SPDX-License-Identifier: Apache-2.0

// The frame of the page: who one is, where one is, whether the service is reached.

import { useEffect, useErrorBoundary, useMemo, useRef, useState } from "preact/hooks";
import { Client } from "../api/client";
import { clockTime } from "../model/age";
import { Connection } from "../model/live";
import { linkTo, readRoute, type Route, type View } from "../model/route";
import { visible } from "../model/hostile_text";
import { AtView } from "./at_view";
import { ChannelView } from "./channel_view";
import { ChannelsView } from "./channels_view";
import { SharedContext, useShared, useStore } from "./context";
import { GraphView } from "./graph_view";
import { PathView } from "./path_view";
import { ProblemsView } from "./problems_view";
import { SignIn } from "./sign_in";

function setting(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

const titles: Record<View, string> = {
  channels: "Channels",
  channel: "Channel",
  at: "I am at a release",
  graph: "Graph",
  path: "From one release to another",
  problems: "Problems",
};

function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(readRoute(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

function ConnectionState() {
  const since = useStore(useShared().connection.lostSince);
  return (
    <div role="status" class={since ? "lost" : undefined}>
      {since && `No connection to the service since ${clockTime(since)}. What you see is from before; this page goes on asking.`}
    </div>
  );
}

function Navigation({ route }: { route: Route }) {
  const views: [View, string][] = [
    ["channel", "Channel"],
    ["at", "I am at …"],
    ["graph", "Graph"],
    ["path", "From … to …"],
  ];
  const link = (view: View, text: string) => (
    <li>
      <a href={linkTo({ view, search: "" }, route)} aria-current={route.view === view ? "page" : undefined}>
        {text}
      </a>
    </li>
  );
  return (
    <nav aria-label="Views">
      <ul>
        {link("channels", "Channels")}
        {route.channel !== "" && views.map(([view, text]) => link(view, text))}
        {link("problems", "Problems")}
      </ul>
    </nav>
  );
}

function Body({ view }: { view: View }) {
  const [fault, again] = useErrorBoundary();
  if (fault !== undefined) {
    return (
      <p class="refused" role="alert">
        What the service answered cannot be shown: it is not what this page expects. <button type="button" onClick={again}>Try again</button>
      </p>
    );
  }
  switch (view) {
    case "channels": return <ChannelsView />;
    case "channel": return <ChannelView />;
    case "at": return <AtView />;
    case "graph": return <GraphView />;
    case "path": return <PathView />;
    case "problems": return <ProblemsView />;
  }
}

export function App() {
  const client = useMemo(() => new Client(new URL(setting("fairway-api"), document.baseURI).href.replace(/\/$/, "")), []);
  const connection = useMemo(() => new Connection(), []);
  const [credentials, setCredentials] = useState(0);
  const route = useRoute();
  const heading = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  const title = `${titles[route.view]}${route.channel === "" || route.view === "problems" ? "" : ` · ${visible(route.channel)}`}`;
  useEffect(() => {
    document.title = `${title} · Fairway`;
    // Who uses a screen reader hears where a link has led; the first page is read from its beginning anyway.
    if (first.current) first.current = false;
    else heading.current?.focus();
  }, [title]);
  const shared = useMemo(() => ({ client, connection, credentials, route }), [client, connection, credentials, route]);
  const authorize = (value: string | null) => {
    client.authorize(value);
    setCredentials((count) => count + 1);
  };
  return (
    <SharedContext.Provider value={shared}>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); heading.current?.focus(); }}>
        Skip to the content
      </a>
      <header>
        <p class="brand">
          <a href="#/channels">Fairway</a> <span>{setting("fairway-version")}</span>
        </p>
        <Navigation route={route} />
        <SignIn onChange={authorize} />
      </header>
      <ConnectionState />
      <main id="content">
        <h1 ref={heading} tabIndex={-1}>
          {title}
          {route.channel !== "" && route.view !== "problems" && route.arch !== "amd64" && <span class="arch"> {visible(route.arch)}</span>}
        </h1>
        <Body view={route.view} key={route.view} />
      </main>
      <footer>
        <a href={setting("fairway-licences")}>Licences of what this page is made of</a>
      </footer>
    </SharedContext.Provider>
  );
}
