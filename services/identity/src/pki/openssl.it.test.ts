import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import {
  certificateDer,
  extensions as ext,
  generalName,
  nameDer,
  oid,
  pemOf,
  sequence,
  signatures,
  type CertificateSpec,
} from '../../test/chain-maker.ts';
import { parseDer } from './certificates.ts';
import { faultOfPerson, findPath } from './chain.ts';

// The reference is the openssl command: `openssl verify -purpose sslclient -auth_level 2`.

type Place = 'root' | 'middle' | 'leaf';
type Chain = Record<Place, CertificateSpec> & { between: 'middle' | 'none' };
type Mutation = readonly [name: string, change: (chain: Chain) => void];

const day = 86_400_000;
const now = Date.now();
const client = '1.3.6.1.5.5.7.3.2';
const server = '1.3.6.1.5.5.7.3.1';
const email = '1.3.6.1.5.5.7.3.4';
const anyPurpose = '2.5.29.37.0';

function spec(change: Partial<CertificateSpec>): CertificateSpec {
  return {
    subject: [],
    keys: 'ec prime256v1',
    notBefore: new Date(now - day),
    notAfter: new Date(now + 30 * day),
    version: 3,
    extensions: [],
    ...change,
  };
}

function chainOf(id: number): Chain {
  return {
    between: 'middle',
    root: spec({
      subject: [
        ['O', `C${id}`],
        ['CN', 'Root'],
      ],
      extensions: [ext.basicConstraints(true), ext.keyUsage(5, 6)],
    }),
    middle: spec({
      subject: [
        ['O', `C${id}`],
        ['CN', 'Issuing'],
      ],
      extensions: [ext.basicConstraints(true), ext.keyUsage(5, 6)],
    }),
    leaf: spec({
      subject: [
        ['O', `C${id}`],
        ['CN', 'Alice'],
      ],
      extensions: [ext.keyUsage(0), ext.purposes(client)],
    }),
  };
}

function replace(at: CertificateSpec, id: string, ...by: CertificateSpec['extensions']): void {
  at.extensions = [...at.extensions.filter((extension) => extension.id !== id), ...by];
}

const places: readonly Place[] = ['root', 'middle', 'leaf'];
const authorities: readonly Place[] = ['root', 'middle'];

function on(at: readonly Place[], name: string, change: (spec: CertificateSpec) => void): Mutation[] {
  return at.map((place) => [`${place}: ${name}`, (chain) => change(chain[place])]);
}

const keyKinds = [
  ...[512, 1024, 1960, 1976, 2000, 2048, 3072].map((size) => `rsa ${size}`),
  ...[
    'prime192v1',
    'secp224r1',
    'secp384r1',
    'secp521r1',
    'secp256k1',
    'brainpoolP256r1',
    'sect163k1',
    'sect233r1',
  ].map((certificate) => `ec ${certificate}`),
  'ed25519',
  'ed448',
];
const keyUsages = [[], [0], [2], [4], [5], [6], [0, 2], [0, 5, 6], [1]];
const purposeLists = [[client], [server], [email], [anyPurpose], [server, client], [server, anyPurpose], ['1.2.3.4']];

function unknown(critical: boolean) {
  return { id: '1.3.6.1.4.1.99999.1', critical, value: Buffer.from([5, 0]) };
}

const policyConstraints = { id: '2.5.29.36', critical: true, value: sequence(Buffer.from([0x80, 1, 0])) };
const inhibitAnyPolicy = { id: '2.5.29.54', critical: true, value: Buffer.from([2, 1, 0]) };
const policies = { id: '2.5.29.32', critical: true, value: sequence(sequence(oid('1.2.3.4'))) };

const single: Mutation[] = [
  ['nothing', () => {}],
  ['no authority between', (certificate) => void (certificate.between = 'none')],
  ...keyKinds.flatMap((kind) => on(places, `key ${kind}`, (settings) => void (settings.keys = kind))),
  ...Object.entries(signatures.rsa).flatMap(([name, signature]): Mutation[] => [
    [
      `leaf: signed with RSA ${name}`,
      (certificate) => {
        certificate.middle.keys = 'rsa 2048';
        certificate.leaf.signature = signature;
      },
    ],
    [
      `middle: signed with RSA ${name}`,
      (certificate) => {
        certificate.root.keys = 'rsa 2048';
        certificate.middle.signature = signature;
      },
    ],
    [
      `root: signed with RSA ${name}`,
      (certificate) => {
        certificate.root.keys = 'rsa 2048';
        certificate.root.signature = signature;
      },
    ],
  ]),
  ...Object.entries(signatures.ec).flatMap(([name, signature]) =>
    on(places, `signed with ECDSA ${name}`, (settings) => void (settings.signature = signature)),
  ),
  ...keyUsages.flatMap((used) =>
    on(places, `key usage ${used.join()}`, (settings) => replace(settings, '2.5.29.15', ext.keyUsage(...used))),
  ),
  ...on(places, 'no key usage', (settings) => replace(settings, '2.5.29.15')),
  ...purposeLists.flatMap((list) =>
    on(places, `purposes ${list.join()}`, (settings) => replace(settings, '2.5.29.37', ext.purposes(...list))),
  ),
  ...on(places, 'no purposes', (settings) => replace(settings, '2.5.29.37')),
  ...on(authorities, 'no basic constraints', (settings) => replace(settings, '2.5.29.19')),
  ...on(authorities, 'no basic constraints and no key usage', (settings) => {
    replace(settings, '2.5.29.19');
    replace(settings, '2.5.29.15');
  }),
  ...on(places, 'not an authority', (settings) => replace(settings, '2.5.29.19', ext.basicConstraints(undefined))),
  ...on(authorities, 'explicitly not an authority', (settings) =>
    replace(settings, '2.5.29.19', ext.basicConstraints(false)),
  ),
  ...[0, 1, 2].flatMap((length) =>
    on(authorities, `path length ${length}`, (settings) =>
      replace(settings, '2.5.29.19', ext.basicConstraints(true, length)),
    ),
  ),
  ...on(places, 'version 1', (settings) => void (settings.version = 1)),
  ...on(places, 'expired', (settings) => void (settings.notAfter = new Date(now - day / 2))),
  ...on(places, 'not valid yet', (settings) => void (settings.notBefore = new Date(now + day))),
  ...on(places, 'unknown extension', (settings) => void settings.extensions.push(unknown(false))),
  ...on(places, 'unknown critical extension', (settings) => void settings.extensions.push(unknown(true))),
  ...on(places, 'critical policies', (settings) => void settings.extensions.push(policies)),
  ...on(authorities, 'critical policy constraints', (settings) => void settings.extensions.push(policyConstraints)),
  ...on(authorities, 'critical inhibit any policy', (settings) => void settings.extensions.push(inhibitAnyPolicy)),
  ...[[0], [1], [5], [0, 1, 2, 5]].flatMap((type) =>
    on(places, `Netscape type ${type.join()}`, (settings) => void settings.extensions.push(ext.netscape(...type))),
  ),
  ...on(['middle'], 'same name as the root', () => {}),
];

function dn(id: string) {
  return (chain: Chain) =>
    generalName(4, nameDer([...(chain.leaf.subject.slice(0, 1) as [string, string][]), ['CN', id]]));
}

const names: readonly (readonly [name: string, base: Buffer, inside: readonly Buffer[], outside: readonly Buffer[]])[] =
  [
    [
      'DNS',
      generalName(2, 'example.com'),
      [generalName(2, 'example.com'), generalName(2, 'a.b.Example.com')],
      [generalName(2, 'not-example.com'), generalName(2, 'com')],
    ],
    [
      'DNS with a dot',
      generalName(2, '.example.com'),
      [generalName(2, 'a.example.com')],
      [generalName(2, 'example.com')],
    ],
    ['every DNS', generalName(2, ''), [generalName(2, 'x')], []],
    [
      'e-mail host',
      generalName(1, 'example.com'),
      [generalName(1, 'a@Example.com')],
      [generalName(1, 'a@b.example.com'), generalName(1, 'example.com')],
    ],
    [
      'e-mail address',
      generalName(1, 'a@example.com'),
      [generalName(1, 'a@EXAMPLE.com')],
      [generalName(1, 'A@example.com'), generalName(1, 'b@example.com')],
    ],
    [
      'e-mail domain',
      generalName(1, '.example.com'),
      [generalName(1, 'a@b.example.com')],
      [generalName(1, 'a@example.com')],
    ],
    [
      'URI',
      generalName(6, 'example.com'),
      [generalName(6, 'https://example.com/x'), generalName(6, 'https://example.com:8443')],
      [generalName(6, 'https://a.example.com/'), generalName(6, 'urn:x')],
    ],
    [
      'URI domain',
      generalName(6, '.example.com'),
      [generalName(6, 'https://a.example.com/')],
      [generalName(6, 'https://example.com/')],
    ],
    [
      'IPv4',
      generalName(7, Buffer.from([192, 0, 2, 0, 255, 255, 255, 0])),
      [generalName(7, Buffer.from([192, 0, 2, 1]))],
      [generalName(7, Buffer.from([192, 0, 3, 1])), generalName(7, Buffer.alloc(16))],
    ],
    [
      'IPv6',
      generalName(7, Buffer.concat([Buffer.alloc(16), Buffer.alloc(16, 255)])),
      [generalName(7, Buffer.alloc(16))],
      [generalName(7, Buffer.alloc(16, 1))],
    ],
    ['registered id', Buffer.from([0x88, 1, 0x2a]), [], [Buffer.from([0x88, 1, 0x2a])]],
  ];
const constrained: Mutation[] = names.flatMap(([name, base, inside, outside]) =>
  [...inside, ...outside].flatMap((given, i) =>
    authorities.flatMap((place) =>
      [true, false].flatMap((critical): Mutation[] => [
        [
          `${place}: permits ${name}, leaf ${i}, critical ${critical}`,
          (certificate) => {
            certificate[place].extensions.push(ext.nameConstraints([base], [], critical));
            certificate.leaf.extensions.push(ext.alternativeNames(given));
          },
        ],
        [
          `${place}: excludes ${name}, leaf ${i}, critical ${critical}`,
          (certificate) => {
            certificate[place].extensions.push(ext.nameConstraints([], [base], critical));
            certificate.leaf.extensions.push(ext.alternativeNames(given));
          },
        ],
      ]),
    ),
  ),
);
const bySubject: Mutation[] = authorities.flatMap((place): Mutation[] => [
  [
    `${place}: permits a directory tree with the leaf`,
    (certificate) =>
      void certificate[place].extensions.push(
        ext.nameConstraints([generalName(4, nameDer(certificate.leaf.subject.slice(0, 1)))], []),
      ),
  ],
  [
    `${place}: permits the leaf's name in other letters`,
    (certificate) =>
      void certificate[place].extensions.push(
        ext.nameConstraints(
          [generalName(4, nameDer([['O', (certificate.leaf.subject[0]?.[1] ?? '').toLowerCase()]]))],
          [],
          false,
        ),
      ),
  ],
  [
    `${place}: permits another directory tree`,
    (certificate) => void certificate[place].extensions.push(ext.nameConstraints([dn('Bob')(certificate)], [], false)),
  ],
  [
    `${place}: excludes the leaf's directory tree`,
    (certificate) =>
      void certificate[place].extensions.push(ext.nameConstraints([], [dn('Alice')(certificate)], false)),
  ],
  [
    `${place}: excludes another directory tree`,
    (certificate) => void certificate[place].extensions.push(ext.nameConstraints([], [dn('Bob')(certificate)], false)),
  ],
  ...(['alice.example.com', 'alice.example.org', 'alice', 'a-.example.org', 'alice..org'] as const).map(
    (cn): Mutation => [
      `${place}: permits DNS, common name ${cn}`,
      (certificate) => {
        certificate[place].extensions.push(ext.nameConstraints([generalName(2, 'example.com')], [], false));
        certificate.leaf.subject = [
          ['O', 'x'],
          ['CN', cn],
        ];
      },
    ],
  ),
  ...(['a@example.com', 'a@example.org'] as const).map((address): Mutation => [
    `${place}: permits e-mail, subject ${address}`,
    (certificate) => {
      certificate[place].extensions.push(ext.nameConstraints([generalName(1, 'example.com')], [], false));
      certificate.leaf.subject = [
        ['CN', 'x'],
        ['E', address],
      ];
    },
  ]),
]);

/** The same numbers in every run. */
function random(seed: number) {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
}

function combined(count: number): Mutation[] {
  const next = random(23);
  const all = [...single, ...constrained, ...bySubject];
  return Array.from({ length: count }, () => {
    const [answer, bytes] = [0, 1].map(() => all[Math.floor(next() * all.length)] as Mutation) as [Mutation, Mutation];
    return [
      `${answer[0]} + ${bytes[0]}`,
      (certificate) => {
        answer[1](certificate);
        bytes[1](certificate);
      },
    ];
  });
}

const pairs = Number(process.env['CHAIN_PAIRS'] ?? 250);

type Case = { name: string; ours: string; leaf: Buffer; middle: Buffer | undefined; root: Buffer };
/** @returns an empty list when the key is too short for the digest. */
function buildCase([name, change]: Mutation, id: number): Case[] {
  try {
    return [build(name, change, id)];
  } catch (error) {
    if (/too (small|big)|for key size|for rsa key/.test((error as Error).message)) return [];
    throw error;
  }
}

function build(name: string, change: Mutation[1], id: number): Case {
  const chain = chainOf(id);
  change(chain);
  const issuer = chain.between === 'middle' ? chain.middle : chain.root;
  const root = certificateDer(chain.root, chain.root);
  const middle = chain.between === 'middle' ? certificateDer(chain.middle, chain.root) : undefined;
  const leaf = certificateDer(chain.leaf, issuer);
  return { name, root, middle, leaf, ours: verdictOf(leaf, middle, root) };
}

function verdictOf(leaf: Buffer, middle: Buffer | undefined, root: Buffer): string {
  try {
    const person = parseDer(leaf);
    const found = findPath(person, middle ? [parseDer(middle)] : [], [parseDer(root)], new Date());
    return faultOfPerson(person, new Date()) ?? ('fault' in found ? found.fault : 'good');
  } catch (error) {
    return `unreadable: ${(error as Error).message}`;
  }
}

/** Rules that are stricter than OpenSSL on purpose. */
const stricter = new Set(['no_subject', 'authority_as_person']);

const folder = await createFolder();

function openssl(args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('openssl', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_error, out, err) => resolve(out + err));
  });
}

describe('chains of certificates', () => {
  it('are accepted and refused as openssl verify -purpose sslclient -auth_level 2 does', async () => {
    const mutations = [...single, ...constrained, ...bySubject, ...combined(pairs)];
    const cases = mutations.flatMap(buildCase);
    await writeFile(join(folder, 'roots.pem'), cases.map(({ root }) => pemOf(root)).join(''));
    await writeFile(
      join(folder, 'between.pem'),
      cases.flatMap(({ middle }) => (middle ? [pemOf(middle)] : [])).join(''),
    );
    await Promise.all(cases.map(({ leaf }, i) => writeFile(join(folder, `leaf${i}`), pemOf(leaf))));
    const files = cases.map((_, i) => `leaf${i}`);
    const out = await openssl([
      'verify',
      '-purpose',
      'sslclient',
      '-auth_level',
      '2',
      '-CAfile',
      'roots.pem',
      '-untrusted',
      'between.pem',
      ...files,
    ]);
    const accepted = new Set([...out.matchAll(/^(leaf\d+): OK$/gm)].map(([, file]) => file));
    const reasons = new Map(
      [...out.matchAll(/^error (\d+) at .*?: (.*)\n(?:.*\n)*?error (leaf\d+):/gm)].map(([, , why, file]) => [
        file,
        why,
      ]),
    );
    expect(accepted.size).toBeGreaterThan(100);
    expect(cases.length - accepted.size).toBeGreaterThan(200);
    const different = cases.flatMap(({ name, ours }, i) => {
      const theirs = accepted.has(`leaf${i}`);
      return theirs === (ours === 'good') || (theirs && stricter.has(ours))
        ? []
        : [`${name}: ours ${ours}, openssl ${theirs ? 'OK' : (reasons.get(`leaf${i}`) ?? 'refused')}`];
    });
    expect(different).toEqual([]);
  });
});
