import type { ConnectionStep } from '@overtone/contracts';
import type { Cert } from './certificates.ts';
import { fetchRevocationLists, type FetchReply } from './crl.adapter.ts';
import { authoritiesOf, configuredListsOf, type PkiSettings } from './pki.ts';
import type { RevocationList } from './revocation-list.ts';
import { isAuthentic, isCurrent } from './revocation.ts';

type Step = Omit<ConnectionStep, 'duration_ms'>;

type ListWithIssuer = { list: RevocationList; issuer: Cert | undefined };

/** Tests authorities and revocation lists step by step, as a sign-in uses them. */
export async function diagnosePki(settings: PkiSettings): Promise<ConnectionStep[]> {
  const now = new Date();
  const authorities = authoritiesOf(settings.pki_ca_cert) ?? [];
  const steps = [await timed(() => checkAuthorities(authorities, now))];
  const lists = [...(configuredListsOf(settings.pki_crl) ?? [])];
  if (settings.pki_crl_url !== '')
    steps.push(
      await timed(async () => {
        const reply = await fetchRevocationLists(settings.pki_crl_url);
        if (reply.ok) lists.push(...reply.lists);
        return checkDownload(reply);
      }),
    );
  if (lists.length > 0) {
    let signed: ListWithIssuer[] = [];
    steps.push(await timed(async () => checkSignatures((signed = await signedBy(lists, authorities)))));
    steps.push(await timed(() => checkDates(signed, now)));
  }
  return steps;
}

async function timed(work: () => Promise<Step> | Step): Promise<ConnectionStep> {
  const startedAt = performance.now();
  const step = await work();
  return { ...step, duration_ms: Math.round(performance.now() - startedAt) };
}

function checkAuthorities(authorities: readonly Cert[], now: Date): Step {
  const outdated = authorities.filter(({ x509 }) => now < x509.validFromDate || now > x509.validToDate);
  return {
    code: 'authorities',
    title: 'Issuing authorities',
    ok: authorities.length > 0 && outdated.length === 0,
    evidence: authorities
      .map(({ subject, x509 }) => `${subject} (until ${day(x509.validToDate.getTime())})`)
      .join('; '),
    advice: outdated.length > 0 ? `Replace ${outdated.map(({ subject }) => subject).join('; ')}: not valid today.` : '',
  };
}

function checkDownload(reply: FetchReply): Step {
  return {
    code: 'download',
    title: 'Revocation list download',
    ok: reply.ok,
    evidence: reply.ok
      ? `${numberOf(reply.lists.length, 'list', 'lists')}, ${numberOf(countOf(reply.lists), 'entry', 'entries')}, ${reply.bytes} bytes`
      : reply.reason,
    advice: reply.ok ? '' : 'Check the address, and whether this server may reach it. The list must be DER or PEM.',
  };
}

function checkSignatures(signed: readonly ListWithIssuer[]): Step {
  const unsigned = signed.filter(({ issuer }) => !issuer).length;
  return {
    code: 'signature',
    title: 'Signature of the lists',
    ok: signed.length > 0 && unsigned === 0,
    evidence: [
      ...signed.flatMap(({ issuer }) => (issuer ? [`signed by ${issuer.subject}`] : [])),
      ...(unsigned > 0
        ? [`${numberOf(unsigned, 'list', 'lists')} without a valid signature of these authorities`]
        : []),
    ].join('; '),
    advice: unsigned > 0 ? 'Add the authority that signs the list to the issuing authorities.' : '',
  };
}

async function signedBy(lists: readonly RevocationList[], authorities: readonly Cert[]): Promise<ListWithIssuer[]> {
  const signed: ListWithIssuer[] = [];
  for (const list of lists) {
    let issuer: Cert | undefined;
    for (const authority of authorities) if (!issuer && (await isAuthentic(list, authority))) issuer = authority;
    signed.push({ list, issuer });
  }
  return signed;
}

function checkDates(signed: readonly ListWithIssuer[], now: Date): Step {
  const outdated = signed.filter(({ list }) => !isCurrent(list, now.getTime()));
  return {
    code: 'dates',
    title: 'Validity of the lists',
    ok: signed.length > 0 && outdated.length === 0,
    evidence: signed.map(({ list }) => `valid from ${day(list.thisUpdate)} to ${day(list.nextUpdate)}`).join('; '),
    advice: outdated.length > 0 ? 'The authority must publish a complete list that is valid today.' : '',
  };
}

function day(time: number | undefined): string {
  return time === undefined ? 'no date' : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function numberOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function countOf(lists: readonly RevocationList[]): number {
  return lists.reduce((sum, list) => sum + list.serials.count, 0);
}
