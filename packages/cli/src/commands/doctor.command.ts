import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { listInstalled } from '@overtone/models';
import { dataFolder, productFolder, productVersion, type DataFolder } from '../paths.ts';
import { messageOf } from '../refusal.ts';
import { isPortFree } from '../servers/ports.ts';
import { findEnvironmentFaults } from '../setup/check-environment.ts';
import { readInstance } from '../setup/instance.ts';
import { installCommand, missingPackages, productPackages, testPackages } from '../setup/packages.ts';
import { checkDisk, freeBytes, newerVersionOf, openDataFolder } from '../setup/preflight.ts';
import { run } from '../setup/run.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';
import { createTerminal } from '../terminal.ts';
import { modelFolder, speechModelHint } from './models.command.ts';
import { describeExits, readStatus, type ServerStatus, type ServiceStatus } from './status.command.ts';

/** The result of one check: ok, warning or error. */
export type Finding = {
  readonly level: 'ok' | 'note' | 'problem';
  readonly text: string;
};

/** Checks every prerequisite, one line each; exit code 1 on an error. */
export async function doctor(options: { readonly data?: string }): Promise<void> {
  const terminal = createTerminal();
  const folder = dataFolder(options.data);
  const checks: readonly (() => Finding[] | Promise<Finding[]>)[] = [
    tools,
    packages,
    environment,
    () => dataFolderState(folder),
    () => publicPort(folder),
    () => engines(folder),
    pageTool,
    () => services(folder),
  ];
  let problems = 0;
  for (const check of checks) {
    for (const { level, text } of await check()) {
      if (level === 'problem') problems += 1;
      (level === 'ok' ? terminal.done : level === 'note' ? terminal.warn : terminal.fail)(text);
    }
  }
  terminal.line(problems === 0 ? 'Nothing is in the way.' : `${problems} in the way.`);
  if (problems > 0) process.exitCode = 1;
}

function ok(text: string): Finding {
  return { level: 'ok', text };
}

function note(text: string): Finding {
  return { level: 'note', text };
}

function problem(text: string): Finding {
  return { level: 'problem', text };
}

async function tools(): Promise<Finding[]> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const pnpm = await run('pnpm', ['--version'], { cwd: productFolder });
  return [
    ok(`Overtone ${productVersion()} in ${productFolder}`),
    major >= 24
      ? ok(`Node ${process.version}`)
      : problem(`Node ${process.version}; 24 is needed: remove .tools, start again`),
    pnpm.code === 0 ? ok(`pnpm ${pnpm.output.trim()}`) : problem('pnpm does not run: remove .tools and start again'),
  ];
}

function packages(): Finding[] {
  const asRoot = process.getuid?.() === 0;
  const missing = missingPackages(productPackages);
  const forTests = missingPackages(testPackages);
  const names = productPackages.map((aptPackage) => aptPackage.name).filter((name) => !missing.includes(name));
  return [
    ...(names.length > 0 ? [ok(`packages: ${names.join(', ')}`)] : []),
    ...(missing.length > 0 ? [problem(`missing: ${missing.join(', ')}; run: ${installCommand(missing, asRoot)}`)] : []),
    ...(forTests.length > 0 ? [note(`for ./overtone test also: ${installCommand(forTests, asRoot)}`)] : []),
  ];
}

async function environment(): Promise<Finding[]> {
  const faults = await findEnvironmentFaults(process.env);
  return faults.length === 0 ? [ok('the environment can be used')] : faults.map(problem);
}

function dataFolderState(folder: DataFolder): Finding[] {
  if (!existsSync(folder.root)) {
    const free = existsSync(dirname(folder.root)) ? `, ${gibibytes(freeBytes(dirname(folder.root)))} free` : '';
    return [ok(`data folder ${folder.root} will be made at the first start${free}`)];
  }
  try {
    openDataFolder(folder);
    checkDisk(folder);
    const newer = newerVersionOf(folder);
    return [
      ok(`data folder ${folder.root}, ${gibibytes(freeBytes(folder.root))} free`),
      ...(newer
        ? [note(`version ${newer} used it last; this one starts if it can read the database of that version`)]
        : []),
    ];
  } catch (error) {
    return [problem(messageOf(error))];
  }
}

async function publicPort(folder: DataFolder): Promise<Finding[]> {
  const port = readInstance(folder)?.port ?? 8080;
  if (readLiveRuntime(folder) !== undefined) return [ok(`port ${port} is ours`)];
  if (await isPortFree(port)) return [ok(`port ${port} is free`)];
  return [problem(`port ${port} is in use by another program; start with --port and another number`)];
}

async function engines(folder: DataFolder): Promise<Finding[]> {
  const place = modelFolder(folder.root);
  const installed = await listInstalled(place);
  const models = installed.map(({ name, fault }) =>
    fault === null ? ok(`model ${name}`) : note(`model ${name} is not used: ${fault}`),
  );
  const { hint, catalogueFault } = await speechModelHint(place);
  if (catalogueFault !== null) models.push(note(catalogueFault));
  if (hint === undefined) return models;
  const pocketSphinx = !missingPackages(productPackages).some((name) => name.startsWith('pocketsphinx'));
  const engine = pocketSphinx
    ? 'speech engine: PocketSphinx (English, modest accuracy)'
    : 'no speech engine: recordings will wait for one';
  return [...models, note(`${engine}. ${hint.lines.slice(-2).join(' ')}`)];
}

/** Needed only for imports from pages of media sites. */
async function pageTool(): Promise<Finding[]> {
  const command = process.env['YT_DLP_COMMAND'] ?? 'yt-dlp';
  const { code, output } = await run(command, ['--ignore-config', '--version']);
  return code === 0
    ? [ok(`yt-dlp ${output.trim()}: recordings can be imported from pages`)]
    : [
        note(
          'no yt-dlp: recordings can be imported from media addresses, not from pages; install: apt-get install yt-dlp',
        ),
      ];
}

async function services(folder: DataFolder): Promise<Finding[]> {
  const { running, servers, services: found } = await readStatus(folder);
  if (!running) return [note('not running; start with: ./overtone up')];
  const hanging = servers.filter((server) => !server.answers);
  // Every service waits for NATS: a line for each would only repeat the cause.
  const waitsForNats = ({ checks }: ServiceStatus) =>
    hanging.some(({ name }) => name === 'nats') && (checks['broker'] ?? 'ok') !== 'ok';
  const others = found.filter((service) => !waitsForNats(service));
  return [
    ...hanging.map(hangs),
    ...[...servers, ...found].flatMap(({ name, exits }) => {
      const ended = describeExits(exits);
      return ended === undefined ? [] : [note(`${name} ${ended}; see: ./overtone logs supervisor`)];
    }),
    ...others.map(({ name, ready, checks }) => {
      const failing = Object.entries(checks).filter(([, result]) => result !== 'ok');
      const detail = failing.map((failure) => failure.join(' ')).join(', ');
      if (!ready) return problem(`${name} is not ready (${detail || 'no answer'}); see: ./overtone logs ${name}`);
      return failing.length === 0 ? ok(`${name} is ready`) : problem(`${name}: ${detail}`);
    }),
  ];
}

function hangs({ name, pid }: ServerStatus): Finding {
  if (name !== 'nats') return problem(`${name} (pid ${pid}) does not answer; see: ./overtone logs ${name}`);
  // The supervisor does not restart a server that hangs, but one that ends.
  return problem(
    `NATS does not answer; the services wait for it. If it stays so: kill -9 ${pid} (it is started again at once)`,
  );
}

function gibibytes(bytes: number) {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
