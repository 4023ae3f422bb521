/** An expected error of a command: one sentence, exit code 1 and no stack trace. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
