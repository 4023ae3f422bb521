/** The last id in an address or a text; null when there is none. */
export function uuidIn(text: string): string | null {
  return (
    text
      .match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi)
      ?.at(-1)
      ?.toLowerCase() ?? null
  );
}
