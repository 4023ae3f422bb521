import { z } from 'zod';

/** The JSON schema that a model is given for its answer. */
export function toAnswerSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  return rest;
}

/** @returns undefined for an answer that is no JSON or does not fit. */
export function parseAnswer<T>(schema: z.ZodType<T>, text: string): { value: T } | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(withoutFence(text)));
    return parsed.success ? { value: parsed.data } : undefined;
  } catch {
    return undefined;
  }
}

/** Many models write JSON as a block of Markdown. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const opening = /^```(?:json)?[^\S\n]*\n/.exec(trimmed)?.[0];
  return opening !== undefined && trimmed.endsWith('```') ? trimmed.slice(opening.length, -3) : text;
}
