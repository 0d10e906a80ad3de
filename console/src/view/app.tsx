// SPDX-License-Identifier: Apache-2.0

// The page of the update service: who one is, where one is.

import { useMemo, useState } from "preact/hooks";
import { Client } from "../api/client";
import { Connection } from "../model/live";
import { linkTo, readRoute, type Route, type View } from "../model/route";
import { visible } from "../model/hostile_text";
import { AtView } from "./at_view";
import { ChannelView } from "./channel_view";
import { ChannelsView } from "./channels_view";
import { SharedContext } from "./context";
import { apiBase, Frame, Guarded, NavigationLink, useHash } from "./frame";
import { GraphView } from "./graph_view";
import { PathView } from "./path_view";
import { ProblemsView } from "./problems_view";
import { SignIn } from "./sign_in";

const titles: Record<View, string> = {
  channels: "Channels",
  channel: "Channel",
  at: "I am at a release",
  graph: "Graph",
  path: "From one release to another",
  problems: "Problems",
};

function Navigation({ route }: { route: Route }) {
  const views: [View, string][] = [
    ["channel", "Channel"],
    ["at", "I am at …"],
    ["graph", "Graph"],
    ["path", "From … to …"],
  ];
  const link = (view: View, text: string) => (
    <NavigationLink href={linkTo({ view, search: "" }, route)} here={route.view === view}>
      {text}
    </NavigationLink>
  );
  return (
    <>
      {link("channels", "Channels")}
      {route.channel !== "" && views.map(([view, text]) => link(view, text))}
      {link("problems", "Problems")}
    </>
  );
}

function body(view: View) {
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
  const client = useMemo(() => new Client(apiBase()), []);
  const connection = useMemo(() => new Connection(), []);
  const [credentials, setCredentials] = useState(0);
  const route = useHash(readRoute);
  const shared = useMemo(() => ({ client, connection, credentials, route }), [client, connection, credentials, route]);
  const authorize = (value: string | null) => {
    client.authorize(value);
    setCredentials((count) => count + 1);
  };
  const ofChannel = route.channel !== "" && route.view !== "problems";
  return (
    <SharedContext.Provider value={shared}>
      <Frame
        to="service"
        connection={connection}
        home="#/channels"
        title={`${titles[route.view]}${ofChannel ? ` · ${visible(route.channel)}` : ""}`}
        beside={ofChannel && route.arch !== "amd64" && <span class="arch"> {visible(route.arch)}</span>}
        navigation={<Navigation route={route} />}
        tools={<SignIn onChange={authorize} />}
      >
        <Guarded by="service" key={route.view}>
          {() => body(route.view)}
        </Guarded>
      </Frame>
    </SharedContext.Provider>
  );
}
