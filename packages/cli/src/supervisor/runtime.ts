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
  /** The process that runs this service and others. */
  process: z.string().optional(),
});
const exitSchema = z.object({ at: z.iso.datetime(), how: z.string() });
const runtimeSchema = z.object({
  boot: z.string(),
  phase: z.enum(['starting', 'ready', 'stopping']),
  version: z.string(),
  /** The mark of the supervisor's plan. */
  mark: z.string().default(''),
  supervisor: identitySchema,
  processes: z.array(processSchema),
  /** The latest unexpected exits of each process, oldest first. */
  exits: z.record(z.string(), z.array(exitSchema)).default({}),
});

/** A process of a running instance. */
export type RecordedProcess = z.infer<typeof processSchema>;
/** An exit of a process that its supervisor did not request. */
export type RecordedExit = z.infer<typeof exitSchema>;
/** The running processes: written by the supervisor, read by the other commands and by the cleanup. */
export type Runtime = z.infer<typeof runtimeSchema>;

/** The record of the last supervisor; `undefined` without one or after a restart of the machine. */
export function readRuntime(folder: DataFolder): Runtime | undefined {
  const text = readIfThere(folder.runtime);
  if (text === undefined) return undefined;
  const parsed = runtimeSchema.safeParse(JSON.parse(text));
  return parsed.success && parsed.data.boot === bootId() ? parsed.data : undefined;
}

/** The record of a running supervisor. */
export function readLiveRuntime(folder: DataFolder): Runtime | undefined {
  const runtime = readRuntime(folder);
  return runtime !== undefined && isAlive(runtime.supervisor) ? runtime : undefined;
}

/** Writes the record. */
export function writeRuntime(folder: DataFolder, runtime: Omit<Runtime, 'boot'>): void {
  replaceFile(folder.runtime, `${JSON.stringify({ boot: bootId(), ...runtime })}\n`);
}

/** Deletes the record, when no process is running. */
export function removeRuntime(folder: DataFolder): void {
  rmSync(folder.runtime, { force: true });
}
