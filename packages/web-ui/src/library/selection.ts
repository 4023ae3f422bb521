export type Selection = {
  readonly selected: ReadonlySet<string>;
  /** Where a range selected with Shift begins. */
  readonly anchor: string | null;
};
export const nothingSelected: Selection = { selected: new Set(), anchor: null };

/** Selects or deselects one file; with `range` all files from the last one that was toggled. */
export function toggle(
  { selected, anchor }: Selection,
  uuid: string,
  { order, range }: { order: readonly string[]; range: boolean },
): Selection {
  const next = new Set(selected);
  const select = !selected.has(uuid);
  const from = range && anchor !== null ? order.indexOf(anchor) : -1;
  const to = order.indexOf(uuid);
  const changed = from === -1 || to === -1 ? [uuid] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const id of changed) {
    if (select) next.add(id);
    else next.delete(id);
  }
  return { selected: next, anchor: uuid };
}
