/** Why a change of the model folder failed. */
export type ModelErrorCode =
  | 'catalogue_invalid'
  | 'model_unknown'
  | 'model_invalid'
  | 'licence_required'
  | 'pull_running'
  | 'download_failed'
  | 'hash_mismatch'
  | 'disk_full'
  | 'model_missing'
  | 'set_invalid'
  | 'cancelled';

/** An expected failure; its message is a sentence for the administrator. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

/** The message of a thrown value, with its cause: `fetch` names the reason only there. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
