import { rmSync } from 'node:fs';
import { z } from 'zod';
import { readIfThere, replaceFile } from '../files.ts';
import type { DataFolder } from '../paths.ts';
import { bootId, isAlive } from './identity.ts';

const identitySchema = z.object({ pid: z.int(), started: z.number() });
const processSchema = identitySchema.extend({
  name: z.string(),
  kind: z.enum(['server', 'service']),
  restarts: z.int(),
});
const runtimeSchema = z.object({
  boot: z.string(),
  phase: z.enum(['starting', 'ready', 'stopping']),
  version: z.string(),
  /** Of the plan the supervisor starts services by. */
  mark: z.string().default(''),
  supervisor: identitySchema,
  processes: z.array(processSchema),
});

/** A process of a running instance. */
export type RecordedProcess = z.infer<typeof processSchema>;
/** What runs now: written by the supervisor, read by the other commands and by the cleanup. */
export type Runtime = z.infer<typeof runtimeSchema>;

/** What the last supervisor recorded; `undefined` when there is none or the machine was restarted since. */
export function readRuntime(folder: DataFolder): Runtime | undefined {
  const text = readIfThere(folder.runtime);
  if (text === undefined) return undefined;
  const parsed = runtimeSchema.safeParse(JSON.parse(text));
  return parsed.success && parsed.data.boot === bootId() ? parsed.data : undefined;
}

/** The record of a supervisor that is alive. */
export function readLiveRuntime(folder: DataFolder): Runtime | undefined {
  const runtime = readRuntime(folder);
  return runtime !== undefined && isAlive(runtime.supervisor) ? runtime : undefined;
}

/** Records. */
export function writeRuntime(folder: DataFolder, runtime: Omit<Runtime, 'boot'>): void {
  replaceFile(folder.runtime, `${JSON.stringify({ boot: bootId(), ...runtime })}\n`);
}

/** Forgets, when nothing runs any more. */
export function removeRuntime(folder: DataFolder): void {
  rmSync(folder.runtime, { force: true });
}
