// SPDX-License-Identifier: Apache-2.0

// Small parts that the views are made of.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Risk } from "../api/types";
import { inWords } from "../model/age";
import { linkOf, visible } from "../model/hostile_text";
import type { Live } from "../model/live";
import { placeOf, rulesInWords } from "../model/reports";

/** A text that somebody else has written, isolated from what is around it. */
export function Foreign({ text }: { text: string }) {
  return <bdi>{visible(text)}</bdi>;
}

/** A link that somebody else has written, or its text where it leads nowhere that a link should. */
export function ForeignLink({ url }: { url: string }) {
  const href = linkOf(url);
  if (href === null) return <Foreign text={url} />;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <Foreign text={url} />
    </a>
  );
}

/** The place of a reason or a problem in graph data. */
export function PlaceInFile({ of }: { of: { file?: string; line?: number } }) {
  const place = placeOf(of);
  return place === "" ? null : <code class="place">{place}</code>;
}

export function RiskCard({ risk }: { risk: Risk }) {
  return (
    <div class="risk">
      <p class="risk-name">
        <Foreign text={risk.name} />
      </p>
      <p class="message">
        <Foreign text={risk.message} />
      </p>
      {rulesInWords(risk).map((rule) => (
        <p class="rule">{rule}</p>
      ))}
      <p>
        More: <ForeignLink url={risk.url} />
      </p>
    </div>
  );
}

/** What stands in the place of an answer that is not there: it loads, or was refused. Null where there is an answer. */
export function Waiting({ live, what }: { live: Live<unknown>; what: string }) {
  if (live.refusal) {
    const advice =
      live.refusal.status === 401
        ? "Sign in with other credentials, or sign out."
        : live.refusal.status === 503
          ? "The service has no graph yet. The first line of /readyz on its status port says what it waits for; this page asks again."
          : "";
    return (
      <p class="refused" role="alert">
        {what} cannot be shown: <Foreign text={live.refusal.message} />. {advice}
      </p>
    );
  }
  if (live.body !== null) return null;
  return live.unreachable ? (
    <p class="empty">{what} cannot be shown before the service is reached.</p>
  ) : (
    <p class="empty" role="status">
      Loading …
    </p>
  );
}

/** Says that an answer comes from a graph that is not the newest. */
export function Stale({ live }: { live: Live<unknown> }) {
  if (live.age === null) return null;
  return (
    <p class="stale" role="status">
      This graph is {inWords(live.age)} old: a source of the service fails, or a change is held. <a href="#/problems">Problems</a> says which.
    </p>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    // Not there without TLS, except on loopback.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The buttons of each view that take the answer with them. */
export function CopyButtons({ text, json }: { text: () => string; json: unknown }) {
  const [said, say] = useState("");
  const [shown, show] = useState<string | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.select(), [shown]);
  const copy = async (what: string) => {
    if (await copied(what)) {
      show(null);
      say("Copied.");
    } else {
      show(what);
      say("The browser does not let this page copy; the text is below.");
    }
  };
  return (
    <div class="copy">
      <button type="button" onClick={() => void copy(text())}>
        Copy as text
      </button>
      <button type="button" onClick={() => void copy(`${JSON.stringify(json, null, 2)}\n`)}>
        Copy as JSON
      </button>
      <span role="status">{said}</span>
      {shown !== null && <textarea ref={area} readOnly rows={8} aria-label="The answer, to copy by hand" value={shown} />}
    </div>
  );
}

/** A field for a version with the releases of the channel to choose from. */
export function VersionField(properties: { label: string; name: string; value: string; versions: string[]; required?: boolean }) {
  const list = `${properties.name}-versions`;
  return (
    <label>
      {properties.label}
      <input
        name={properties.name}
        list={list}
        key={properties.value}
        defaultValue={properties.value}
        required={properties.required ?? false}
        placeholder={properties.versions[properties.versions.length - 1] ?? "4.7.4"}
        autocomplete="off"
        spellcheck={false}
      />
      <datalist id={list}>
        {[...properties.versions].reverse().map((version) => (
          <option value={version} />
        ))}
      </datalist>
    </label>
  );
}

/** Returns the trimmed value of a form's field. */
export function fieldOf(event: Event, name: string): string {
  const value = new FormData(event.currentTarget as HTMLFormElement).get(name);
  return typeof value === "string" ? value.trim() : "";
}

export function Section({ title, count, children }: { title: string; count?: number; children: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h2>
        {title}
        {count !== undefined && <span class="count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}
