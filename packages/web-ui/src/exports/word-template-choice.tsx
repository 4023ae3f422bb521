import { t } from '@lingui/core/macro';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { wordTemplatesQuery, type WordTemplate } from './word-template-queries.ts';

type Props = {
  readonly value: string;
  readonly hasPreview: boolean;
  readonly onChange: (next: string) => void;
};

/** The Word document of the organisation whose form the transcript gets; nothing when there are none. */
export function WordTemplateChoice({ value, hasPreview, onChange }: Props) {
  const templates = useQuery(wordTemplatesQuery).data;
  if (!templates || (templates.length === 0 && isOrdinary(value))) return null;
  const choices = choicesOf(templates);
  const isKnown = choices.some((choice) => choice.value === value);
  // Without a default, “default” and “none” mean the same.
  const shown = isKnown ? value : isOrdinary(value) ? 'default' : value;
  return (
    <NativeSelect
      label={t`Word template`}
      description={descriptionOf({ isDeleted: !isKnown && !isOrdinary(value), hasPreview })}
      data={isKnown || isOrdinary(value) ? choices : [...choices, { value, label: t`Deleted template` }]}
      value={shown}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function isOrdinary(value: string): boolean {
  return value === 'default' || value === 'none';
}

function descriptionOf({ isDeleted, hasPreview }: { isDeleted: boolean; hasPreview: boolean }): string {
  if (isDeleted) return t`This template no longer exists: the document gets the standard layout.`;
  return hasPreview
    ? t`Letterhead and styles of your organisation. The preview doesn’t show them.`
    : t`Letterhead and styles of your organisation.`;
}

function choicesOf(templates: readonly WordTemplate[]) {
  const usual = templates.find((template) => template.is_default);
  const none = t`None: standard layout`;
  return [
    ...(usual
      ? [
          { value: 'default', label: t`Default: ${usual.name}` },
          { value: 'none', label: none },
        ]
      : [{ value: 'default', label: none }]),
    ...templates.map(({ uuid, name }) => ({ value: uuid, label: name })),
  ];
}
