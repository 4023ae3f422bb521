import { splitDns } from '@overtone/contracts/dn-text';
import { NoDn, canonicalDn } from './dn.ts';

/** A parsed list setting. */
export type DnList = {
  readonly dns: string[];
  /** One message for each part that is no DN. */
  readonly faults: string[];
};

/** Parses a setting that lists DNs, without duplicates. */
export function parseDnList(text: string): DnList {
  const list: DnList = { dns: [], faults: [] };
  const seen = new Set<string>();
  for (const dn of splitDns(text)) {
    try {
      const canonical = canonicalDn(dn);
      if (!seen.has(canonical)) list.dns.push(dn);
      seen.add(canonical);
    } catch (error) {
      if (!(error instanceof NoDn)) throw error;
      list.faults.push(`"${dn.slice(0, 200)}" is no distinguished name. ${error.message}`);
    }
  }
  return list;
}
