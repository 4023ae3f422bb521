/** Everything that a question answers page by page, each page beginning after the last id of the one before. */
export async function* askAll<T>(
  ask: (after: string | null) => Promise<readonly T[]>,
  idOf: (item: T) => string,
): AsyncGenerator<T> {
  let after: string | null = null;
  for (;;) {
    const page: readonly T[] = await ask(after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = idOf(last);
  }
}
