import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { dockerfileText, imageEnvironment, stage } from '../../test/dockerfile.ts';
import { productFolder } from '../paths.ts';
import { productPackages } from '../setup/packages.ts';

const text = dockerfileText();

function read(file: string) {
  return readFileSync(join(productFolder, file), 'utf8');
}

function contents(keyword: string) {
  return stage()
    .filter((i) => i.getKeyword() === keyword)
    .map((i) => i.getArgumentsContent());
}

function argument(name: string) {
  return new RegExp(`^ARG ${name}=(.*)$`, 'm').exec(text)?.[1];
}

describe('deploy/Dockerfile', () => {
  it('has nothing that its linter objects to', () => {
    expect(validate(text).map((diagnostic) => [diagnostic.range.start.line + 1, diagnostic.message])).toEqual([]);
    expect(validate('FORM scratch').length).toBeGreaterThan(0);
  });

  it('builds with the versions that the management script installs', () => {
    const launcher = read('overtone');
    expect(launcher).toContain(`node_version=${argument('NODE_VERSION')}\n`);
    expect(launcher).toContain(`pnpm_version=${argument('PNPM_VERSION')}\n`);
    expect((parse(read('pnpm-workspace.yaml')) as { nodeVersion: string }).nodeVersion).toBe(argument('NODE_VERSION'));
  });

  it('runs as user 1000 and group 999, under an init that passes signals on', () => {
    expect(contents('USER')).toEqual(['1000:999']);
    expect(contents('ENTRYPOINT')).toEqual(['["/usr/bin/tini", "--"]']);
    expect(contents('WORKDIR').at(-1)).toBe('/app/services/${SERVICE}');
    expect(contents('CMD')).toEqual(['["node", "src/main.ts"]']);
  });

  it('asks the internal port for its health', () => {
    expect(contents('HEALTHCHECK')[0]).toContain('CMD ["node", "/app/healthcheck.mjs"]');
    expect(imageEnvironment()['INTERNAL_PORT']).toBe('9090');
  });

  it('copies only what is there, and from the build only what a service runs from', () => {
    const copies = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap((match) => match[1]!.split(' '));
    expect(copies.filter((file) => !existsSync(join(productFolder, file)))).toEqual([]);
    expect(contents('COPY')).toEqual(['/app /app', '/speech /app/.tools/speech']);
    expect(text).toContain('COPY --from=assembled /app /app\nCOPY --from=speech /speech /app/.tools/speech\n');
    const mains = [...text.matchAll(/node (packages\S+\.ts)/g)].map((match) => match[1]!);
    expect(mains.length).toBe(2);
    expect(mains.filter((file) => !existsSync(join(productFolder, file)))).toEqual([]);
  });

  it('gives the programs that handle sound to the worker only, the same that the embedded profile installs, yt-dlp and Python', () => {
    const forWorker = /\[ "\$SERVICE" = transcription-worker \]; then packages="\$packages (.*)"; fi/.exec(text)?.[1];
    const servers = ['postgresql', 'nats-server', 'redis-server'];
    // yt-dlp is optional outside of containers.
    expect(forWorker?.split(' ')).toEqual([
      ...productPackages.map((aptPackage) => aptPackage.name).filter((name) => !servers.includes(name)),
      'yt-dlp',
      'python3',
    ]);
    expect(contents('RUN').length).toBe(1);
  });

  it('gives the environment of faster-whisper to the worker only, where it looks for it, made as the launcher makes it', () => {
    const [made] = stage('speech').filter((i) => i.getKeyword() === 'RUN');
    const commands = made?.getArgumentsContent() ?? '';
    expect(commands).toMatch(/^mkdir -p \/speech\s+&& if \[ "\$SERVICE" = transcription-worker \]; then /);
    const launcher = read('packages/cli/src/setup/speech-environment.ts');
    expect(launcher).toContain("folder = join(productFolder, '.tools', 'speech')");
    expect(text).toContain('COPY --from=speech /speech /app/.tools/speech\n');
    const options = commands.match(/--(?:no-deps|require-hashes|only-binary=:all:)/g) ?? [];
    expect(options).toHaveLength(3);
    expect(options.filter((option) => !launcher.includes(`'${option}'`))).toEqual([]);
  });

  it('has the library of CUDA with GPU=true only, as deploy/compose.gpu.yaml builds it under a tag of its own', () => {
    expect(argument('GPU')).toBe('false');
    expect(text).toContain('if [ "$GPU" = true ]; then listed="$listed --requirement=/tmp/requirements-cuda.txt"; fi');
    const { services } = parse(read('deploy/compose.gpu.yaml')) as {
      services: Record<string, { image: string; build: unknown }>;
    };
    const plain = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, { image: string }> };
    expect(Object.keys(services)).toEqual(['transcription-worker']);
    const gpu = services['transcription-worker'];
    expect(gpu?.image).toBe(`${plain.services['transcription-worker']?.image}-gpu`);
    expect(gpu?.build).toEqual({ args: { GPU: 'true' } });
  });

  it('gives pg_dump to operations only, of the version of the server in compose.yaml', () => {
    const { image } = (parse(read('compose.yaml'), { merge: true }) as { services: { postgres: { image: string } } })
      .services.postgres;
    const version = /^postgres:(\d+)-/.exec(image)?.[1];
    expect(
      /\[ "\$SERVICE" = operations \]; then [^;]*packages="\$packages (.*)"; fi/.exec(contents('RUN')[0]!)?.[1],
    ).toBe(`postgresql-client-${version}`);
    expect(text.match(/postgresql-client/g)).toHaveLength(1);
    // Debian 12 has an older version.
    expect(contents('RUN')[0]).toMatch(/"\$DEBIAN" = bookworm \]; then [^;]*apt\.postgresql\.org\.sh -y; fi/);
  });

  it('takes no secret, no test result and nothing built into the build', () => {
    const ignored = read('.dockerignore').split('\n');
    const wanted = ['.git', '**/node_modules', '**/dist', '**/generated', 'data', '.env', 'nats.conf', 'test-results'];
    expect(wanted.filter((name) => !ignored.includes(name))).toEqual([]);
  });
});
