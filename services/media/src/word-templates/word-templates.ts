import { maxWordTemplateBytes, maxWordTemplates, type WordTemplateObject } from '@overtone/contracts';
import { conflict, invalid, notFound, tooLarge, type AppError } from '@overtone/service-kit/errors';
import type { WordTemplate } from '../generated/client.ts';

/** Without its content, which has up to 5 MB. */
export type WordTemplateRow = Omit<WordTemplate, 'content'> & { size: number };

export function toWordTemplateObject(template: WordTemplateRow): WordTemplateObject {
  return {
    uuid: template.id,
    name: template.name,
    size: template.size,
    placeholders: template.placeholders,
    is_default: template.isDefault,
    created_at: template.createdAt.toISOString(),
    updated_at: template.updatedAt.toISOString(),
  };
}

export const wordTemplateErrors = {
  unknown: (): AppError => notFound('There is no such Word template.'),
  exists: (name: string, options?: ErrorOptions): AppError =>
    conflict('word_template_exists', `There is a Word template named “${name}” already.`, options),
  full: (): AppError => conflict('word_templates_full', `There can be at most ${maxWordTemplates} Word templates.`),
  /** The reason, in the terms of the format, is only the cause. */
  invalid: (cause: unknown): AppError =>
    invalid(
      'word_template_invalid',
      'This file is not a Word document that can be read. Open it in Word, remove its password if it has one, and save it as a Word Document (.docx).',
      { cause },
    ),
  tooLarge: (options?: ErrorOptions): AppError =>
    tooLarge(
      'word_template_too_large',
      `The document is too large. A Word template may have up to ${maxWordTemplateBytes / 1024 / 1024} MB.`,
      options,
    ),
  macros: (): AppError =>
    invalid('word_template_macros', 'The document has macros. Save it as a Word document without macros (.docx).'),
  embedded: (what: string): AppError =>
    invalid('word_template_embedded', `The document has an embedded object (${what}). Remove it.`),
  external: (target: string): AppError =>
    invalid(
      'word_template_external',
      `The document loads content from elsewhere (${target.slice(0, 200)}). Insert that content into the document.`,
    ),
};
