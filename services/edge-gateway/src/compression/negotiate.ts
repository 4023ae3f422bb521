export type Encoding = 'zstd' | 'br' | 'gzip';

/** In the order of our preference, for a client that takes several equally. */
const encodings: readonly Encoding[] = ['zstd', 'br', 'gzip'];

/**
 * The content coding for a client, by its Accept-Encoding header (RFC 9110, 12.5.3); undefined: none. A client that
 * sends no such header may not be able to decode one.
 */
export function negotiate(accept: string | string[] | undefined): Encoding | undefined {
  const given = weights(String(accept ?? ''));
  const weightOf = (name: string): number => given.get(name) ?? given.get('*') ?? 0;
  // Unless it is named, no coding at all is what the client takes last.
  let best = given.get('identity') ?? 0;
  let chosen: Encoding | undefined;
  for (const encoding of encodings) {
    const weight = weightOf(encoding);
    if (weight === 0 || weight < best || (chosen && weight === best)) continue;
    best = weight;
    chosen = encoding;
  }
  return chosen;
}

function weights(accept: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (name === '') continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0;
    found.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  return found;
}
