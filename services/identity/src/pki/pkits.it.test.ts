import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { pemOf } from '../../test/chain-maker.ts';
import { readPkitsCases, type PkitsCase } from '../../test/pkits/pkits.ts';
import { parseDer } from './certificates.ts';
import { faultOfPerson, findPath } from './chain.ts';
import { parseLists } from './list-parser.ts';
import type { RevocationList } from './revocation-list.ts';
import { createRevocation } from './revocation.ts';

// The reference is `openssl verify -purpose sslclient -auth_level 2`, with `-crl_check_all` for revocation.

type Verdicts = { chain: string; withRevocation: string };
type Result = PkitsCase & { ours: Verdicts; openssl: Verdicts };

const accepted = 'good';
const now = new Date();

/** A download that cannot be parsed is no list. */
function parseReadable(lists: readonly Buffer[]): RevocationList[] {
  return lists.flatMap((der) => {
    try {
      return parseLists(der);
    } catch {
      return [];
    }
  });
}

async function judge({ path, lists }: PkitsCase): Promise<Verdicts> {
  const [anchor, ...rest] = path.map(parseDer);
  const person = rest.pop();
  if (!anchor || !person) throw new Error('a case without certificates');
  const found = findPath(person, rest, [anchor], now);
  const fault = faultOfPerson(person, now) ?? ('fault' in found ? found.fault : undefined);
  if (fault !== undefined || 'fault' in found) return { chain: String(fault), withRevocation: String(fault) };
  const withRevocation = await createRevocation().statusOf(found.path, parseReadable(lists), now);
  return { chain: accepted, withRevocation };
}

/** Unreadable certificates are refused. */
function judgeOrRefuse(pkitsCase: PkitsCase): Promise<Verdicts> {
  return judge(pkitsCase).catch((error: unknown) => {
    const reason = `unreadable: ${(error as Error).message}`;
    return { chain: reason, withRevocation: reason };
  });
}

const folder = await createFolder();

function verify(args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const fixed = ['verify', '-purpose', 'sslclient', '-auth_level', '2'];
    execFile('openssl', [...fixed, ...args], { cwd: folder }, (error, _out, stderr) =>
      resolve(error ? (/error \d+ at .*?: (.*)/.exec(stderr)?.[1] ?? stderr) : accepted),
    );
  });
}

async function judgeByOpenssl({ path, lists }: PkitsCase, id: number): Promise<Verdicts> {
  const [root, ...rest] = path.map(pemOf);
  const files = { root, between: rest.slice(0, -1).join(''), leaf: rest.at(-1), lists: lists.map(crlPemOf).join('') };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}${id}`), text ?? '');
  const between = rest.length > 1 ? ['-untrusted', `between${id}`] : [];
  const common = ['-CAfile', `root${id}`, ...between];
  return {
    chain: await verify([...common, `leaf${id}`]),
    withRevocation: await verify([...common, '-crl_check_all', '-CRLfile', `lists${id}`, `leaf${id}`]),
  };
}

function crlPemOf(der: Buffer): string {
  return pemOf(der).replaceAll('CERTIFICATE', 'X509 CRL');
}

function isPolicyCase({ name }: PkitsCase): boolean {
  return /^4\.(8|9|10|11|12)\./.test(name);
}

/** A list that a critical extension limits, e.g. a delta: by ADR 0005 it can revoke, but never prove that a certificate is good. */
function hasPartialList({ lists }: PkitsCase): boolean {
  return parseReadable(lists).some(({ scope }) => scope !== 'full');
}

/** The two rules in which the chain is stricter than OpenSSL on purpose. */
const stricterRules = new Set(['no_subject', 'authority_as_person']);

describe('PKITS', () => {
  let results: Result[];
  beforeAll(async () => {
    results = [];
    for (const [id, pkitsCase] of readPkitsCases().entries())
      results.push({
        ...pkitsCase,
        ours: await judgeOrRefuse(pkitsCase),
        openssl: await judgeByOpenssl(pkitsCase, id),
      });
  });
  const describeResult = ({ name, ours, openssl }: Result, by: keyof Verdicts): string =>
    `${name}: ours ${ours[by]}, openssl ${openssl[by]}`;
  const differs = ({ ours, openssl }: Result, by: keyof Verdicts): boolean =>
    (ours[by] === accepted) !== (openssl[by] === accepted);

  it('contains accepted and refused cases', () => {
    expect(results).toHaveLength(223);
    expect(results.filter(({ ours }) => ours.withRevocation === accepted).length).toBeGreaterThan(90);
    expect(results.filter(({ ours }) => ours.chain !== accepted).length).toBeGreaterThan(40);
  });

  it('chains are accepted and refused as OpenSSL does, apart from the two stricter rules', () => {
    const different = results.filter((result) => differs(result, 'chain') && !stricterRules.has(result.ours.chain));
    expect(different.map((result) => describeResult(result, 'chain'))).toEqual([]);
  });

  it('revocation lists are applied as OpenSSL does, apart from partial lists, which prove nothing', () => {
    const different = results.filter(
      (result) =>
        differs(result, 'withRevocation') &&
        !stricterRules.has(result.ours.chain) &&
        !(result.ours.withRevocation !== accepted && hasPartialList(result)),
    );
    expect(different.map((result) => describeResult(result, 'withRevocation'))).toEqual([]);
  });

  it('no case is accepted that NIST refuses, apart from those that depend on certificate policies', () => {
    const wrong = results.filter(
      (result) => !result.isValid && !isPolicyCase(result) && result.ours.withRevocation === accepted,
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
