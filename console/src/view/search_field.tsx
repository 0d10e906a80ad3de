// SPDX-License-Identifier: Apache-2.0

// A field that filters what is shown. Its text is a part of the link of the page.

import { useEffect, useState } from "preact/hooks";
import { linkTo } from "../model/route";
import { useShared } from "./context";

/** Returns the text that is searched for, and what changes it. The address follows without an entry of the history for each letter. */
export function useSearch(): [string, (text: string) => void] {
  const { route } = useShared();
  const [search, setSearch] = useState(route.search);
  useEffect(() => setSearch(route.search), [route.search]);
  const change = (text: string) => {
    setSearch(text);
    history.replaceState(null, "", linkTo({ search: text }, route));
  };
  return [search, change];
}

export function SearchField(properties: { label: string; value: string; onChange: (text: string) => void; found: number }) {
  return (
    <form role="search" class="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        {properties.label}
        <input
          type="search"
          value={properties.value}
          onInput={(event) => properties.onChange(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <span role="status" class="found">{properties.value.trim() === "" ? "" : `${properties.found} found`}</span>
    </form>
  );
}
