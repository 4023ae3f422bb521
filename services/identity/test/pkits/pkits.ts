import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export type PkitsCase = {
  name: string;
  /** From the trust anchor to the end entity, in DER. */
  path: Buffer[];
  /** Revocation lists in DER. */
  lists: Buffer[];
  /** The result that NIST expects. */
  isValid: boolean;
};

type Stored = {
  certificates: Record<string, string>;
  lists: Record<string, string>;
  cases: { name: string; path: string[]; lists: string[]; isValid: boolean }[];
};

/** The cases of NIST's Public Key Interoperability Test Suite; see README.md. */
export function readPkitsCases(): PkitsCase[] {
  const bytes = gunzipSync(readFileSync(new URL('pkits.json.gz', import.meta.url)));
  const { certificates, lists, cases } = JSON.parse(bytes.toString()) as Stored;
  const decode = (texts: Record<string, string>, names: string[]): Buffer[] =>
    names.map((name) => Buffer.from(texts[name] as string, 'base64'));
  return cases.map(({ name, path, lists: listNames, isValid }) => ({
    name,
    isValid,
    path: decode(certificates, path),
    lists: decode(lists, listNames),
  }));
}
