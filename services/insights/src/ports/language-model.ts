import type { z } from 'zod';

export type ModelRequest = {
  /** `section`, `combine`, `topics`, `speakers`, `answer`, ...: for metrics and the accounting of tokens. */
  purpose: string;
  /** For the accounting, and for the limit of concurrent requests per file. */
  fileId: string | null;
  /** Whose provider is used, and whose tokens are counted. */
  userId: string | null;
  /** Instructions. */
  system: string;
  /** Untrusted content, delimited by the caller. */
  prompt: string;
  maxOutputTokens: number;
  signal: AbortSignal;
};
export type ModelInfo = {
  providerId: string;
  /** The name that the administrator gave the provider. */
  provider: string;
  model: string;
  /** Tokens of prompt and answer together. */
  contextTokens: number;
  /** Its server is in a private network: nothing leaves the organisation. */
  isLocal: boolean;
};
/** Tokens, as the provider counted them. */
export type Usage = { inputTokens: number; outputTokens: number };

/**
 * One model of one provider. Failures are AppErrors of the kind unavailable with a code `provider_*`
 * (packages/contracts/src/insights-errors.ts).
 */
export type LanguageModel = {
  info: ModelInfo;
  /** An upper bound for the tokens of a text. */
  countTokens(text: string): number;
  /** A structured answer. One that does not fit the schema is requested once more. */
  object<T>(
    request: ModelRequest & { schema: z.ZodType<T>; onText?: (soFar: string) => void },
  ): Promise<{ value: T; usage: Usage }>;
  text(request: ModelRequest & { onText?: (soFar: string) => void }): Promise<{ text: string; usage: Usage }>;
};
/** @returns null while no provider is configured for this person. */
export type LanguageModels = { for(userId: string | null): Promise<LanguageModel | null> };
