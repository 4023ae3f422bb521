import { existsSync } from 'node:fs';
import { findPostgresBin, findProgram } from '../servers/binaries.ts';
import { Refusal } from '../refusal.ts';
import { lastLines, run } from './run.ts';

/** A package of the distribution and how to check that it is installed. */
export type SystemPackage = {
  readonly name: string;
  readonly isThere: () => boolean;
};

/** The packages of the product. */
export const productPackages: readonly SystemPackage[] = [
  { name: 'postgresql', isThere: () => findPostgresBin() !== undefined },
  program('nats-server', 'nats-server'),
  program('redis-server', 'redis-server'),
  program('ffmpeg', 'ffmpeg', 'ffprobe'),
  program('pocketsphinx', 'pocketsphinx_continuous'),
  file('pocketsphinx-en-us', '/usr/share/pocketsphinx/model/en-us/en-us'),
];

/**
 * The additional packages of its tests: synthetic voices, recordings, a browser, a directory, a proxy, Prometheus,
 * kustomize, scoring programs, and the program that imports from pages.
 */
export const testPackages: readonly SystemPackage[] = [
  program('curl', 'curl'),
  program('jq', 'jq'),
  program('flite', 'flite'),
  program('sox', 'sox'),
  file('pocketsphinx-testdata', '/usr/share/pocketsphinx/test/data'),
  program('chromium-headless-shell', 'chromium-headless-shell'),
  file('fonts-dejavu-core', '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'),
  program('slapd', 'slapd', 'slapadd'),
  program('ldap-utils', 'ldapmodify'),
  program('samba', 'samba', 'samba-tool'),
  file('samba-ad-dc', '/var/lib/dpkg/info/samba-ad-dc.list'),
  file('samba-ad-provision', '/usr/share/samba/setup/provision.ldif'),
  program('nginx-light', 'nginx'),
  program('openssl', 'openssl'),
  program('prometheus', 'prometheus', 'promtool'),
  program('kubernetes-client', 'kubectl'),
  program('sctk', 'sctk'),
  program('yt-dlp', 'yt-dlp'),
];

/** What the test of the containers needs where there is no Docker, and for what stands in for images. */
export const containerPackages: readonly SystemPackage[] = [
  program('runc', 'runc'),
  program('iptables', 'iptables'),
  program('iproute2', 'ip'),
  program('debootstrap', 'debootstrap'),
  program('maven', 'mvn'),
];

/** What the tests of real speech models listen to: prompts that people read, with their text, and music. */
export const speechTestPackages: readonly SystemPackage[] = [
  ...['en', 'es', 'fr', 'it', 'ru'].map((language) => `asterisk-core-sounds-${language}-g722`),
  'asterisk-moh-opsound-g722',
].map((name) => file(name, `/usr/share/doc/${name}`));

/** The packages of the benchmarks' peers, and further voices: synthetic ones, and prompts that real people read. */
export const benchPackages: readonly SystemPackage[] = [
  program('nginx-light', 'nginx'),
  program('wrk', 'wrk'),
  program('curl', 'curl'),
  program('espeak-ng', 'espeak-ng'),
  program('sctk', 'sctk'),
  ...[
    'asterisk-core-sounds-en-g722',
    'asterisk-core-sounds-fr-g722',
    'asterisk-core-sounds-it-g722',
    'asterisk-core-sounds-ru-g722',
    'asterisk-prompt-it-menardi-wav',
    'asterisk-prompt-fr-armelle',
    'asterisk-prompt-es-co',
  ].map((name) => file(name, `/usr/share/doc/${name}`)),
];

/** The command that installs packages. */
export function installCommand(names: readonly string[], asRoot: boolean): string {
  return `${asRoot ? '' : 'sudo '}apt-get install -y --no-install-recommends ${names.join(' ')}`;
}

/** The missing packages. */
export function missingPackages(wanted: readonly SystemPackage[]): string[] {
  return wanted.filter((aptPackage) => !aptPackage.isThere()).map((aptPackage) => aptPackage.name);
}

/** Installs missing packages when permitted; otherwise reports the command. */
export async function ensurePackages(wanted: readonly SystemPackage[], say: (line: string) => void): Promise<void> {
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const asRoot = process.getuid?.() === 0;
  const command = installCommand(missing, asRoot);
  const plural = missing.length === 1 ? 'A package is' : `${missing.length} packages are`;
  if (!asRoot || findProgram('apt-get') === undefined) throw new Refusal(`${plural} missing; install with: ${command}`);
  say(`installing ${missing.join(', ')}`);
  await aptGet(['update'], 'apt-get update');
  await aptGet(['install', '-y', '--no-install-recommends', ...missing], command);
  const still = missingPackages(wanted);
  if (still.length > 0) throw new Refusal(`Installed, yet not usable: ${still.join(', ')}. Look at: ${command}`);
}

function program(name: string, ...programs: string[]): SystemPackage {
  return {
    name,
    isThere: () => programs.every((program) => findProgram(program) !== undefined),
  };
}

function file(name: string, path: string): SystemPackage {
  return { name, isThere: () => existsSync(path) };
}

async function aptGet(args: readonly string[], shown: string): Promise<void> {
  const { code, output } = await run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-qq', ...args], {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (code !== 0) throw new Refusal(`${shown} failed: ${lastLines(output, 3)}`);
}
