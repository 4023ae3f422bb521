import { parseDnList } from '@overtone/directory';
import { splitDns, splitUnquoted } from '@overtone/contracts/dn-text';

/** A name and, after `<`, its authority. RFC 4514 requires escaping this character in a name. */
type NamePair = { name: string; issuer: string | undefined };

/** Reads a setting that lists `name` or `name < issuer`, separated by `;`. */
export function parseNamePairs(setting: string): { pairs: NamePair[]; faults: string[] } {
  const pairs: NamePair[] = [];
  const faults: string[] = [];
  const single = (text: string): string | undefined => {
    const { dns, faults: found } = parseDnList(text);
    faults.push(...found);
    if (dns.length === 1) return dns[0];
    if (found.length === 0) faults.push(`"${text.trim().slice(0, 200)}" is not one distinguished name.`);
    return undefined;
  };
  for (const entry of splitDns(setting)) {
    const [text = '', issuerText, ...more] = splitUnquoted(entry, '<');
    if (more.length > 0) faults.push(`"${entry.slice(0, 200)}" has more than one <.`);
    const name = single(text);
    const issuer = issuerText === undefined ? undefined : single(issuerText);
    const isComplete = more.length === 0 && (issuerText === undefined || issuer !== undefined);
    if (name !== undefined && isComplete) pairs.push({ name, issuer });
  }
  return { pairs, faults };
}
