import { Command, InvalidArgumentError, Option } from 'commander';
import type { BackupOptions, BackupsOptions } from './commands/backup.command.ts';
import { logLevels } from './commands/log-lines.ts';
import type { LogsOptions } from './commands/logs.command.ts';
import type { RehearseOptions } from './commands/rehearse.command.ts';
import type { RestoreOptions } from './commands/restore.command.ts';
import type { TestOptions } from './commands/test.command.ts';
import type { UpOptions } from './commands/up.command.ts';
import type { UpdateOptions } from './commands/update.command.ts';
import { namedTests } from './testing/tiers.ts';

type DataOption = { data?: string };
type OutOption = { out?: string };

// Each command is loaded on demand, so that `status` does not load the dependencies of `test`.
const dataOption = ['--data <folder>', 'data folder (default: "data" beside the product)'] as const;
const unverifiedOption = [
  '--accept-unverified-backup',
  'accept a backup that is not proven to be of this installation (of another one, by 0.5.0 or older, or with its keys lost): ' +
    'its author decides who may sign in and what every recording says',
] as const;

/** The commands of ./overtone. */
export function createProgram(): Command {
  const program = new Command('overtone')
    .description('Turns recordings into searchable, speaker-separated transcripts.')
    .helpCommand('help [command]', 'show this, or the options of one command')
    .showHelpAfterError('(try: ./overtone help)');
  running(program);
  keeping(program);
  rehearsing(program);
  updating(program);
  looking(program);
  checking(program);
  // Unknown commands.
  return program.allowExcessArguments().action(() => {
    const [unknown] = program.args;
    if (unknown !== undefined) program.error(`error: there is no command ${unknown}`);
    program.outputHelp();
  });
}

function running(program: Command): void {
  program
    .command('up')
    .description('set up what is missing, start, wait until ready, print the address')
    .option(...dataOption)
    .option('--port <number>', 'public port (default: the last one, at first 8080)', portNumber)
    .option('--detach', 'return once it is ready')
    .option('--gpu-scale', 'start more workers for one GPU: GPU_SCALE_WORKERS of them for GPU_SCALE_DEVICE_ID')
    .action(async (options: UpOptions) => (await import('./commands/up.command.ts')).up(options));
  program
    .command('down')
    .description('stop everything')
    .option(...dataOption)
    .action(async (options: DataOption) => (await import('./commands/down.command.ts')).down(options));
  program
    .command('restart')
    .argument('[services...]', 'all services, one after another, when none is named')
    .description('start services again without losing what they do; after an update, too')
    .option(...dataOption)
    .action(async (services: string[], options: DataOption) =>
      (await import('./commands/restart.command.ts')).restart(services, options),
    );
}

function keeping(program: Command): void {
  program
    .command('backup')
    .description('back up the database, while everything runs')
    .option(...dataOption)
    .option('--to <place>', 'a folder or s3://bucket/prefix (default: "backups" in the data folder)')
    .option('--encrypt', 'with the passphrase in OT_BACKUP_PASSPHRASE or the file OT_BACKUP_PASSPHRASE_FILE')
    .option('--before-update', 'as `update` does: the newest three of these are kept')
    .action(async (options: BackupOptions) => (await import('./commands/backup.command.ts')).backup(options));
  program
    .command('backups')
    .description('list the backups')
    .option(...dataOption)
    .option('--from <place>', 'a folder or s3://bucket/prefix (default: "backups" in the data folder)')
    .option('--json', 'for programs')
    .action(async (options: BackupsOptions) => (await import('./commands/backup.command.ts')).backups(options));
  program
    .command('restore')
    .argument('[file]', 'a file of the backup, or s3://bucket/prefix/file')
    .description('replace the database by a backup')
    .option(...dataOption)
    .option('--yes', 'do not ask')
    .option('--no-safety-dump', 'do not dump the present database first')
    .option('--migrate-forward', 'start although the backup has an older schema, and migrate it')
    .option('--no-restart', 'leave the services stopped')
    .option(
      '--recovery-keys <file>',
      'the encryption keys of a backup from another installation: a path or s3://bucket/prefix/file',
    )
    .option('--without-keys', 'restore although these keys are lost; the stored secrets must be set again')
    .option(...unverifiedOption)
    .option('--administrator <email>', 'make this account of the backup an active super_admin')
    .option(
      '--keep-rights-of-backup',
      'keep memberships, shares and group mappings that have ended since the backup; lists them, and asks unless --yes',
    )
    .option('--no-await-sync', 'let directory accounts sign in before the next directory sync run')
    .option('--media-from-mirror', 'copy missing recordings from the media mirror; without a file nothing else is done')
    .option('--mirror <place>', 'the same, from this folder or s3://bucket instead of the mirror of the settings')
    .action(async (file: string | undefined, options: RestoreOptions) =>
      (await import('./commands/restore.command.ts')).restore(file, options),
    );
}

function rehearsing(program: Command): void {
  program
    .command('rehearse')
    .description('restore, migrate, verify, start and use a backup in a folder of its own, and remove it')
    .option(...dataOption)
    .option('--from <file>', 'a file of a backup, or a release such as v0.5.0 (default: the newest backup)')
    .option(...unverifiedOption)
    .action(async (options: RehearseOptions) => (await import('./commands/rehearse.command.ts')).rehearse(options));
}

function looking(program: Command): void {
  program
    .command('status')
    .description('say what runs and whether it is ready')
    .option(...dataOption)
    .option('--json', 'for programs')
    .action(async (options: { data?: string; json?: boolean }) =>
      (await import('./commands/status.command.ts')).status(options),
    );
  program
    .command('logs')
    .argument('[service]', 'a service or server; all of them when none is named')
    .description('print the logs in one order of time')
    .option(...dataOption)
    .option('--service <names...>', 'only these services and servers')
    .option('--since <time>', 'from a time on: 30s, 10m, 2h, 1d, or 2026-11-28T03:00:00Z')
    .addOption(new Option('--level <level>', 'only this level and those above').choices(logLevels))
    .option('-f, --follow', 'wait for more')
    .option('-n, --lines <number>', 'how many of the last entries', lineCount, 50)
    .action(async (service: string | undefined, options: LogsOptions) =>
      (await import('./commands/logs.command.ts')).logs(service, options),
    );
  configuring(program);
  models(program);
  program
    .command('version')
    .description('print the version, the pinned release and the newest one')
    .option('--fetch', 'ask the remote for the newest release')
    .option('--json', 'for programs')
    .action(async (options: { fetch?: boolean; json?: boolean }) => {
      await (await import('./commands/version.command.ts')).version(options);
    });
}

/** Options may precede or follow the command. */
function models(program: Command): void {
  const load = () => import('./commands/models.command.ts');
  const models = program
    .command('models')
    .description('list the speech models; more: pull, verify, remove, import, evaluate')
    .option(...dataOption)
    .option('--json', 'for programs')
    .action(async (options: DataOption & { json?: boolean }) => (await load()).listModels(options));
  models
    .command('list')
    .description('list the installed models, those of the catalogue, and what suits this machine')
    .option('--json', 'for programs')
    .action(async (_options: unknown, command: Command) => (await load()).listModels(command.optsWithGlobals()));
  models
    .command('pull')
    .argument('<name>', 'a model of the catalogue')
    .description('download a model, verify and install it; continues an interrupted download')
    .option('--accept-licence', 'accept the licence of the model')
    .action(async (name: string, _options: unknown, command: Command) =>
      (await load()).pull(name, command.optsWithGlobals()),
    );
  models
    .command('verify')
    .argument('[name]', 'all models when none is named')
    .description('hash the files of a model again; records the hashes of one that was copied into the folder')
    .action(async (name: string | undefined, _options: unknown, command: Command) =>
      (await load()).verify(name, command.optsWithGlobals()),
    );
  models
    .command('remove')
    .argument('<name>')
    .description('delete a model')
    .action(async (name: string, _options: unknown, command: Command) =>
      (await load()).remove(name, command.optsWithGlobals()),
    );
  models
    .command('import')
    .argument('<folder>', 'a folder with the files of one model')
    .description('copy a model into the model folder, and record its hashes')
    .option('--kind <kind>', 'asr, vad, segmentation, embedding, sentences or names (default: what the files are)')
    .option('--name <name>', 'default: the name of the folder')
    .action(async (folder: string, _options: unknown, command: Command) =>
      (await load()).importFolder(folder, command.optsWithGlobals()),
    );
  models
    .command('evaluate')
    .argument('<name>', 'an installed speech model, or pocketsphinx')
    .description('measure word and speaker errors, speed and memory on a labelled set')
    .requiredOption('--set <folder>', 'recordings, each with .stm or .txt and optionally .rttm beside it')
    .option('--language <code>', 'language of the recordings (default: detected)')
    .action(async (name: string, _options: unknown, command: Command) =>
      (await import('./commands/evaluate.command.ts')).evaluate(name, command.optsWithGlobals()),
    );
}

function updating(program: Command): void {
  const command = (name: string, full: boolean) =>
    program
      .command(name)
      .option(...dataOption)
      .option('--version <tag>', 'a release (default: the newest one)')
      .option('--rollback', 'go back to what the last update replaced')
      .option('--force-downgrade', 'install an older release')
      .action(async (options: UpdateOptions) => {
        await (await import('./commands/update.command.ts')).update({ ...options, full });
      });
  command('update', false).description('install another release and replace the running one by it, without downtime');
  command('update-full', true).description('the same, and in containers compose.yaml and deploy of that release, too');
  program
    .command('takeover', { hidden: true })
    .description('replace the release that runs the instance by this one; called by `update`')
    .option(...dataOption)
    .option('--no-trial', 'do not try whether the services start')
    .action(async (options: { data?: string; trial: boolean }) => {
      await (await import('./commands/update.command.ts')).takeover(options);
    });
}

function configuring(program: Command): void {
  const config = program
    .command('config')
    .description('print where everything is and the variables of the running instance; more: container, kubernetes')
    .option(...dataOption)
    .action(async (options: DataOption) => (await import('./commands/config.command.ts')).config(options));
  for (const parent of [program, config])
    parent
      .command('rotate-key', { hidden: parent === config })
      .description(
        'encrypt the secrets among the settings with a new key, while everything runs, and delete the old key',
      )
      .option('--signing', 'replace the key that signs access tokens instead; every session ends')
      .option(...dataOption)
      // The option may precede or follow the command.
      .action(async (_options: unknown, command: Command) =>
        (await import('./commands/rotate-key.command.ts')).rotateKey(command.optsWithGlobals()),
      );
  const outOption = ['--out <folder>', 'where .env is kept (default: beside compose.yaml)'] as const;
  config
    .command('container')
    .description('write what compose.yaml reads: secrets (.env) and the users of the bus (nats.conf)')
    .option(...outOption)
    .action(async (options: OutOption) =>
      (await import('./commands/config-container.command.ts')).configContainer(options),
    );
  config
    .command('kubernetes')
    .description('print the same as Kubernetes secrets, for: kubectl apply -f -')
    .option(...outOption)
    .action(async (options: OutOption) =>
      (await import('./commands/config-container.command.ts')).configKubernetes(options),
    );
}

function checking(program: Command): void {
  program
    .command('doctor')
    .description('check every prerequisite and say what to do')
    .option(...dataOption)
    .action(async (options: DataOption) => (await import('./commands/doctor.command.ts')).doctor(options));
  program
    .command('test')
    .argument('[name]', Object.keys(namedTests).join(', '))
    .argument(
      '[part]',
      'of nightly: one ring, spec file or suite, such as endurance or "Slow clients"; of gpu: a folder of models',
    )
    .description('run the tests that a change must pass; more: test nightly, test update, test containers, test gpu')
    .option('--quick', 'only what needs no servers')
    .option('--timings', 'print seconds per ring, the slowest files and the CPU seconds used')
    .addHelpText('after', () => testTiers())
    .action(async (name: string | undefined, part: string | undefined, options: TestOptions) =>
      (await import('./commands/test.command.ts')).test(name, part, options),
    );
  program
    .command('bench')
    .argument('[name]', 'one benchmark; all of them when none is named')
    .description('measure beside well-known programs')
    .option('--qmsum <path>', 'meetings with questions (QMSum) for relevance and ask; or OT_BENCH_QMSUM')
    .action(async (name: string | undefined, options: { qmsum?: string }) =>
      (await import('./commands/bench.command.ts')).bench(name, options),
    );
}

/** The tiers of the tests, for `./overtone help test`. */
function testTiers(): string {
  const named = Object.entries(namedTests).map(([name, { about }]) => `  test ${name}`.padEnd(22) + about);
  const landing =
    '  test'.padEnd(22) +
    'checks of the sources, pure tests, dialogs, tests with real servers, one product in Chromium';
  return ['', 'Tiers:', landing, ...named].join('\n');
}

function lineCount(text: string): number {
  const lines = Number(text);
  if (Number.isInteger(lines) && lines > 0) return lines;
  throw new InvalidArgumentError('How many lines is a number from 1.');
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 1 to 65535.');
}
