// SPDX-License-Identifier: Apache-2.0

// From one release to another: the paths over intermediate releases, with their risks, which a click avoids.

import type { Path, Paths, Risk } from "../api/types";
import type { GraphIndex } from "../model/graph_index";
import { pathsText } from "../model/reports";
import { linkTo } from "../model/route";
import { EmptyChannel, useGraph } from "./channel_view";
import { useAnswer, useShared } from "./context";
import { CopyButtons, fieldOf, Foreign, RiskCard, Section, Stale, VersionField, Waiting } from "./parts";

function AvoidLink({ risk }: { risk: string }) {
  const { route } = useShared();
  const avoided = route.avoid.includes(risk);
  const avoid = avoided ? route.avoid.filter((each) => each !== risk) : [...route.avoid, risk];
  return (
    <a class="avoid" href={linkTo({ avoid }, route)}>
      {avoided ? "Allow" : "Avoid"} <Foreign text={risk} />
    </a>
  );
}

function PathCard({ path, title, index }: { path: Path; title: string; index: GraphIndex }) {
  const { route } = useShared();
  const risks = new Map<string, Risk>();
  for (const hop of path.hops) {
    for (const risk of index.from(hop.from).find((update) => update.to === hop.to)?.risks ?? []) {
      if (hop.risks.includes(risk.name)) risks.set(risk.name, risk);
    }
  }
  const count = path.hops.length;
  return (
    <Section title={`${title}: ${count} update${count === 1 ? "" : "s"}${risks.size ? `, ${risks.size} risk${risks.size === 1 ? "" : "s"}` : ", no risks"}`}>
      <ol class="hops">
        {path.hops.map((hop) => (
          <li class={hop.risks.length ? "conditional" : "recommended"}>
            <a href={linkTo({ view: "at", from: hop.from, to: hop.to, avoid: [] }, route)}>
              {hop.from} <span aria-hidden="true">→</span>
              <span class="hidden"> to </span> {hop.to}
            </a>{" "}
            {hop.risks.length ? (
              <span>
                subject to{" "}
                {hop.risks.map((risk, i) => (
                  <>
                    {i > 0 && ", "}
                    <Foreign text={risk} />
                  </>
                ))}
              </span>
            ) : (
              <span>recommended</span>
            )}
          </li>
        ))}
      </ol>
      {[...risks.values()].map((risk) => (
        <details class="risk-details">
          <summary>
            <Foreign text={risk.name} />
          </summary>
          <RiskCard risk={risk} />
          <AvoidLink risk={risk.name} />
        </details>
      ))}
    </Section>
  );
}

export function PathView() {
  const { route } = useShared();
  const { live, index } = useGraph();
  const asked = route.from !== "" && route.to !== "";
  const parameters = {
    channels: route.channel,
    arch: route.arch,
    from: route.from,
    to: route.to,
    ...(route.avoid.length ? { avoid: route.avoid.join(",") } : {}),
  };
  const answer = useAnswer<Paths>("/path", asked ? parameters : null);
  if (index === null) return <Waiting live={live} what="This channel" />;
  if (index.versions.length === 0) return <EmptyChannel />;
  const submit = (event: Event) => {
    event.preventDefault();
    location.hash = linkTo({ from: fieldOf(event, "from"), to: fieldOf(event, "to"), avoid: [] }, route);
  };
  const paths = answer.body;
  return (
    <>
      <Stale live={live} />
      <form onSubmit={submit} class="row">
        <VersionField label="From" name="from" value={route.from} versions={index.versions} required />
        <VersionField label="To" name="to" value={route.to} versions={index.versions} required />
        <button type="submit">Find paths</button>
      </form>
      {!asked && <p class="empty">Choose where the cluster is and where it shall go; the page then shows the ways over other releases.</p>}
      {route.avoid.length > 0 && (
        <p>
          Avoided:{" "}
          {route.avoid.map((risk) => (
            <AvoidLink risk={risk} />
          ))}
        </p>
      )}
      {asked && <Waiting live={answer} what="The paths" />}
      {paths !== null && (
        <>
          {(paths.unknownRisks ?? []).length > 0 && (
            <p class="empty">
              No update here has these risks, so avoiding them changes nothing: <Foreign text={(paths.unknownRisks ?? []).join(", ")} />
            </p>
          )}
          {paths.paths.length === 0 && (
            <p class="empty">
              There is no path: <Foreign text={paths.reason ?? "the service gives no reason"} />.{" "}
              <a href={linkTo({ view: "at", avoid: [] }, route)}>See why single updates are missing.</a>
            </p>
          )}
          {paths.paths.map((path, i) => (
            <PathCard path={path} title={`Path ${i + 1}`} index={index} />
          ))}
          {paths.fewestRisks && <PathCard path={paths.fewestRisks} title="Longer, with fewer risks" index={index} />}
          <CopyButtons text={() => pathsText(route.from, route.to, paths)} json={paths} />
        </>
      )}
    </>
  );
}
