import { transcriptionLive, type Stage } from '@overtone/contracts';
import { coalesce, type Bus } from '@overtone/service-kit';

/** Tells of a task's progress, a few times a second at most. */
export function progressOf(bus: Bus, subject: string, held: { taskId: string; token: number }, input: unknown) {
  const { runId, fileId, ownerId } = ofRun(input);
  const stage = subject.split('.').at(-1) as Stage;
  return coalesce<[number, string]>(250, (fraction, message) =>
    bus.publishLive(transcriptionLive.taskProgress, {
      ...held,
      runId,
      fileId,
      ownerId,
      stage,
      fraction: Math.min(1, Math.max(0, fraction)),
      message,
    }),
  );
}

function ofRun(input: unknown) {
  return input as { runId: string; fileId: string; ownerId: string };
}
