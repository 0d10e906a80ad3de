// SPDX-License-Identifier: Apache-2.0

// Reasons of the service, with the files and lines of graph data that they come from.

import type { Reason } from "../api/types";
import { Foreign, PlaceInFile } from "./parts";

export function ReasonList({ reasons }: { reasons: Reason[] }) {
  return (
    <ul class="reasons">
      {reasons.map((reason) => (
        <li>
          <Foreign text={reason.message} /> <PlaceInFile of={reason} />
        </li>
      ))}
    </ul>
  );
}
