import { z } from 'zod';
import type { TextKind } from './manifest.ts';

const config = z.looseObject({
  architectures: z.array(z.string()).optional(),
  id2label: z.record(z.string(), z.string()).optional(),
});

/** Labels that mean a person, or a part of the name of one. */
const personLabel = /^(?:[BIES]-)?(?:PER|PERS|PERSON|NAME|(?:GIVEN|FIRST|MIDDLE|LAST|FULL)_?NAME|SURNAME)$/i;

/** What the `config.json` of a text model says it is. */
export function textKindOf(json: unknown): TextKind {
  const { architectures = [] } = config.safeParse(json).data ?? {};
  const classifies = architectures.some((name) => name.endsWith('ForTokenClassification'));
  return classifies || personLabels(json).size > 0 ? 'names' : 'sentences';
}

/** The indices of a token classifier's labels for people. */
export function personLabels(json: unknown): Set<number> {
  const { id2label = {} } = config.safeParse(json).data ?? {};
  return new Set(
    Object.entries(id2label).flatMap(([index, label]) => (personLabel.test(label) ? [Number(index)] : [])),
  );
}
