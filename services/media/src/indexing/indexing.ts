/** Replies stay well below the broker's message limit of 1 MiB. */
const maxReplyBytes = 700_000;

/** The longest prefix that fits into a reply; at least one item, so that the caller makes progress. */
export function takeFitting<T>(items: T[]): T[] {
  let bytes = 0;
  const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > maxReplyBytes);
  return end < 0 ? items : items.slice(0, Math.max(1, end));
}
