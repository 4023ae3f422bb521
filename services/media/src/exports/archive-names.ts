/** Letters of a name without its extension: some systems allow 255 bytes for a whole path. */
const maxLength = 60;
/** Names of devices, which Windows cannot create as files. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/iu;

/** Names of files in one folder of an archive, made of titles: every system can create them, and no two are the same. */
export function createArchiveNames(extension: string, taken: readonly string[] = []): (title: string) => string {
  const used = new Set(taken.map(toComparable));
  const counts = new Map<string, number>();
  return (title) => {
    const base = toFileName(title);
    for (let count = counts.get(toComparable(base)) ?? 1; ; count += 1) {
      const name = count === 1 ? `${base}.${extension}` : `${base} (${count}).${extension}`;
      if (used.has(toComparable(name))) continue;
      used.add(toComparable(name));
      counts.set(toComparable(base), count + 1);
      return name;
    }
  };
}

function toFileName(title: string): string {
  const words = title
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ');
  // A name that begins with a dot is hidden, and Windows removes dots and spaces at the end.
  const cut = words
    .replace(/^[. ]+/u, '')
    .slice(0, maxLength)
    .replace(/[\uD800-\uDBFF]$/, '');
  let end = cut.length;
  while (cut[end - 1] === '.' || cut[end - 1] === ' ') end -= 1;
  const name = cut.slice(0, end);
  if (name === '') return 'Recording';
  return reserved.test(name.split('.')[0] ?? '') ? `_${name}` : name;
}

/** Some systems tell names by neither case nor form of accents. */
function toComparable(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
