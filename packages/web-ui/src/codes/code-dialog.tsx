import { t, msg } from '@lingui/core/macro';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/client.ts';
import { useForm } from '../state/use-form.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { codeColors, refreshCodes, type Code, type CodeColor, type CodeList } from './code-queries.ts';
import { translateOnRead } from '../lib/language.ts';

const codeColorNames: Readonly<Record<CodeColor, string>> = translateOnRead({
  red: msg`Red`,
  orange: msg`Orange`,
  yellow: msg`Yellow`,
  green: msg`Green`,
  teal: msg`Teal`,
  blue: msg`Blue`,
  violet: msg`Violet`,
  pink: msg`Pink`,
  gray: msg`Grey`,
});

type Props = {
  /** null: a first list is made for it. */
  readonly list: CodeList | null;
  /** The code to change; without it a new one is added. */
  readonly code?: Code;
  readonly onClose: () => void;
  readonly onDone?: (code: Code) => void;
  /** More fields. */
  readonly children?: ReactNode;
};

export function CodeDialog({ list, code, onClose, onDone, children }: Props) {
  const client = useQueryClient();
  const codes = list?.codes ?? [];
  const form = useForm({
    key: `code:${list?.uuid ?? ''}:${code?.uuid ?? 'new'}`,
    saved: {
      name: code?.name ?? '',
      color: code?.color ?? (codeColors[codes.length % codeColors.length] as CodeColor),
      description: code?.description ?? '',
      parent_uuid: code?.parent_uuid ?? null,
    },
    send: async (body, changed) => {
      const { uuid } = list ?? (await call('POST /api/code-lists', { body: { name: t`My codes` } }));
      return code
        ? call('PUT /api/code-lists/{uuid}/codes/{code_uuid}', {
            params: { uuid, code_uuid: code.uuid },
            body: changed,
          })
        : call('POST /api/code-lists/{uuid}/codes', { params: { uuid }, body });
    },
    refresh: () => refreshCodes(client),
    onSaved: (saved) => {
      onClose();
      onDone?.(saved);
    },
  });
  const { color, parent_uuid } = form.value;
  const hasBelow = codes.some((one) => one.parent_uuid === code?.uuid);
  const parents = hasBelow ? [] : codes.filter((one) => one.parent_uuid === null && one.uuid !== code?.uuid);
  return (
    <FormDialog
      title={code ? t`Edit code` : t`Add code`}
      action={code ? t`Save` : t`Add code`}
      unready={stillMissing(form.fields.name === '' && t`Name`)}
      failure={t`The code wasn’t saved`}
      {...form.dialog}
      onClose={onClose}
    >
      {children}
      <TextInput label={t`Name`} data-autofocus required maxLength={120} {...form.text('name')} />
      <NativeSelect
        label={t`Colour`}
        data={codeColors.map((value) => ({ value, label: codeColorNames[value] }))}
        value={color}
        error={form.errorOf('color')}
        onChange={(event) => form.change({ color: event.currentTarget.value as CodeColor })}
      />
      {parents.length > 0 && (
        <NativeSelect
          label={t`Belongs to`}
          data={[
            { value: '', label: t`No other code` },
            ...parents.map(({ uuid, name: label }) => ({ value: uuid, label })),
          ]}
          value={parent_uuid ?? ''}
          error={form.errorOf('parent_uuid')}
          onChange={(event) => form.change({ parent_uuid: event.currentTarget.value || null })}
        />
      )}
      <Textarea label={t`Description`} autosize minRows={2} maxLength={2000} {...form.text('description')} />
    </FormDialog>
  );
}
