import { t } from '@lingui/core/macro';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { useEdits } from '../state/use-edits.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { codeColors, refreshCodes, type Code, type CodeColor, type CodeList } from './code-queries.ts';
import { codeColorNames } from './color-names.ts';

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
  const draft = useEdits(`code:${list?.uuid ?? ''}:${code?.uuid ?? 'new'}`, {
    name: code?.name ?? '',
    color: code?.color ?? (codeColors[codes.length % codeColors.length] as CodeColor),
    description: code?.description ?? '',
    parent_uuid: code?.parent_uuid ?? null,
  });
  const { name, color, description, parent_uuid } = draft.value;
  const hasBelow = codes.some((one) => one.parent_uuid === code?.uuid);
  const parents = hasBelow ? [] : codes.filter((one) => one.parent_uuid === null && one.uuid !== code?.uuid);
  const save = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim(), color, description: description.trim(), parent_uuid };
      const { uuid } = list ?? (await call('POST /api/code-lists', { body: { name: t`My codes` } }));
      return code
        ? call('PUT /api/code-lists/{uuid}/codes/{code_uuid}', {
            params: { uuid, code_uuid: code.uuid },
            body: draft.changedOf(body),
          })
        : call('POST /api/code-lists/{uuid}/codes', { params: { uuid }, body });
    },
    onSuccess: async (saved) => {
      draft.drop();
      await refreshCodes(client);
      onClose();
      onDone?.(saved);
    },
  });
  return (
    <FormDialog
      title={code ? t`Edit code` : t`Add code`}
      action={code ? t`Save` : t`Add code`}
      ready={name.trim() !== ''}
      sending={save}
      draft={draft}
      failure={t`The code wasn’t saved`}
      fields={['name', 'description', 'parent_uuid']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {children}
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={120}
        value={name}
        error={fieldOf(save.error, 'name')}
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={t`Color`}
        data={codeColors.map((value) => ({ value, label: codeColorNames[value] }))}
        value={color}
        onChange={(event) => draft.change({ color: event.currentTarget.value as CodeColor })}
      />
      {parents.length > 0 && (
        <NativeSelect
          label={t`Belongs to`}
          data={[
            { value: '', label: t`No other code` },
            ...parents.map(({ uuid, name: label }) => ({ value: uuid, label })),
          ]}
          value={parent_uuid ?? ''}
          error={fieldOf(save.error, 'parent_uuid')}
          onChange={(event) => draft.change({ parent_uuid: event.currentTarget.value || null })}
        />
      )}
      <Textarea
        label={t`Description`}
        autosize
        minRows={2}
        maxLength={2000}
        value={description}
        error={fieldOf(save.error, 'description')}
        onChange={(event) => draft.change({ description: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
