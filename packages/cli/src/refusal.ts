/** What a command says, in one sentence, when it will not go on; it ends with exit code 1 and no stack. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
