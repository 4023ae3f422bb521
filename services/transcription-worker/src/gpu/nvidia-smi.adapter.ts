import pTimeout from 'p-timeout';
import { readAll, runProcess } from '../children/run-process.ts';
import {
  fullQuery,
  oldQuery,
  parseDevices,
  parseInstances,
  visibleDevices,
  withInstances,
  type GpuState,
} from './nvidia-smi.ts';

export type GpuProbeOptions = {
  /** Environment of child processes; its CUDA_VISIBLE_DEVICES applies. */
  env: Record<string, string>;
  timeoutMs?: number;
  /** Cache time of a result with a GPU; a result without one is cached for a quarter of it. */
  freshMs?: number;
};

export type GpuProbe = {
  /** Never rejects and takes at most twice its timeout; without a response it returns no GPU and the reason. */
  look(): Promise<GpuState>;
};

type Answer = { ok: true; text: string } | { ok: false; why: string };

const missing = 127;

/** The GPUs that `nvidia-smi` lists; cached for a limited time, because GPUs vanish and drivers start late. */
export function createGpuProbe(given: GpuProbeOptions): GpuProbe {
  const options = { timeoutMs: 5_000, freshMs: 60_000, ...given };
  let known: { state: Promise<GpuState>; until: number } | undefined;
  return {
    look: () => {
      if (known && known.until > performance.now()) return known.state;
      const asked = { state: probe(options), until: Infinity };
      known = asked;
      // Without a GPU, or after a timeout of the driver, the next query may find one.
      void asked.state.then(({ devices }) => {
        asked.until = performance.now() + (devices.length > 0 ? options.freshMs : options.freshMs / 4);
      });
      return asked.state;
    },
  };
}

async function probe(options: Required<GpuProbeOptions>): Promise<GpuState> {
  let answer = await ask(options, query(fullQuery));
  if (!answer.ok && /not a valid field/i.test(answer.why)) answer = await ask(options, query(oldQuery));
  if (!answer.ok) return none(answer.why);
  const listed = parseDevices(answer.text);
  if (listed.length === 0) return none(answer.text.trim().split('\n', 1)[0] || 'The driver lists no GPU');
  const divided = listed.some((device) => device.divided) ? await ask(options, ['-L']) : undefined;
  const instances = divided?.ok ? parseInstances(divided.text, listed) : [];
  const names = options.env['CUDA_VISIBLE_DEVICES'];
  const devices = visibleDevices(withInstances(listed, instances), names);
  if (devices.length > 0) return { devices, note: null };
  return none(
    names === undefined ? 'The GPU is divided and has no instance' : `No GPU is called ${names || '(nothing)'}`,
  );
}

function query(fields: readonly string[]): string[] {
  return [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits'];
}

async function ask(options: Required<GpuProbeOptions>, args: readonly string[]): Promise<Answer> {
  const { env, timeoutMs } = options;
  const silent: Answer = { ok: false, why: `nvidia-smi did not answer within ${timeoutMs / 1000} s` };
  const run = async (): Promise<Answer> => {
    const consume = (stdout: Parameters<typeof readAll>[0]) => readAll(stdout, 1 << 20);
    const done = await runProcess({ command: 'nvidia-smi', args, env, timeoutMs, consume });
    const text = done.value.toString('utf8');
    if (done.timedOut) return silent;
    if (done.exitCode === missing)
      return { ok: false, why: 'This machine has no NVIDIA driver (nvidia-smi is missing)' };
    return done.exitCode === 0
      ? { ok: true, text }
      : { ok: false, why: whyNot(text || done.stderrTail, done.exitCode) };
  };
  const failed = (error: unknown): Answer => ({ ok: false, why: `nvidia-smi cannot be run: ${String(error)}` });
  // A process blocked in the driver cannot be killed, so its end is not awaited.
  return pTimeout(run().catch(failed), { milliseconds: timeoutMs + 1_000, fallback: () => silent });
}

function none(note: string): GpuState {
  return { devices: [], note };
}

function whyNot(text: string, code: number | null): string {
  return text.split('\n', 1)[0]?.trim() || `nvidia-smi ended with code ${code}`;
}
