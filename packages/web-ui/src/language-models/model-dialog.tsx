import { plural, t } from '@lingui/core/macro';
import { Autocomplete, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldOf } from '../api/problem.ts';
import { SecretField } from '../admin/settings/secret-field.tsx';
import { useEdits } from '../state/use-edits.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { fieldsOf, kindLabels, modelKinds, needsAddress, newModel } from './labels.ts';
import type { LanguageModel, ModelActions, ModelFields } from './model-queries.ts';
import { ListFailure, TestNote } from './test-note.tsx';

type Props = {
  readonly model: LanguageModel | null;
  readonly scope: 'system' | 'own';
  readonly actions: ModelActions;
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
};
type PartProps = {
  readonly fields: ModelFields;
  readonly change: (next: Partial<ModelFields>) => void;
  readonly errorOf: (field: string) => string | null;
};
const ownErrors = ['name', 'base_url', 'model', 'api_key', 'context_tokens'];

/** Adds or changes a language model. */
export function ModelDialog({ model, scope, actions, onDone, onClose }: Props) {
  const draft = useEdits<ModelFields>(
    `language-model:${scope}:${model?.uuid ?? 'new'}`,
    model ? fieldsOf(model) : newModel(),
  );
  const [key, setKey] = useState<string | null | undefined>(undefined);
  const fields = draft.value;
  const body = { ...fields, ...(key === undefined || key === '' ? {} : { api_key: key }) };
  const unsaved = { ...body, ...(model ? { uuid: model.uuid } : {}) };
  const save = useMutation({
    mutationFn: () => (model ? actions.update(model.uuid, body) : actions.create(body)),
    onSuccess: async () => {
      draft.drop();
      await onDone();
      onClose();
    },
  });
  const test = useMutation({ mutationFn: () => actions.test(unsaved) });
  const list = useMutation({ mutationFn: () => actions.list({ ...unsaved, model: fields.model || '-' }) });
  const { change } = draft;
  const errorOf = (field: string): string | null => fieldOf(save.error, field);
  const hasServer = !needsAddress(fields.kind) || fields.base_url !== '';
  const isComplete = hasServer && fields.name.trim() !== '' && fields.model.trim() !== '';
  return (
    <FormDialog
      title={model ? t`Change the language model` : t`Add a language model`}
      action={t`Save`}
      ready={isComplete}
      sending={save}
      draft={draft}
      secretTyped={typeof key === 'string' && key !== ''}
      failure={t`The language model wasn’t saved`}
      fields={ownErrors}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <ServerFields fields={fields} change={change} errorOf={errorOf} />
      <SecretField
        form={{
          secrets: key === undefined ? {} : { api_key: key },
          changeSecret: (_, value) => setKey(value),
          errorOf: () => errorOf('api_key'),
        }}
        name="api_key"
        label={t`Key`}
        isSet={model?.api_key_is_set ?? false}
        mayDelete
      />
      <Autocomplete
        label={t`Model`}
        required
        maxLength={200}
        spellCheck={false}
        data={[...new Set(list.data?.models.map(({ id }) => id))]}
        value={fields.model}
        error={errorOf('model')}
        onChange={(value) => change({ model: value })}
      />
      <LimitFields fields={fields} change={change} errorOf={errorOf} />
      <Group>
        <Button variant="default" disabled={!hasServer} loading={list.isPending} onClick={() => list.mutate()}>
          {t`List models`}
        </Button>
        <Button variant="default" disabled={!isComplete} loading={test.isPending} onClick={() => test.mutate()}>
          {t`Test connection`}
        </Button>
      </Group>
      <div aria-live="polite">
        {list.error && <ErrorNote error={list.error} title={t`The models couldn’t be listed`} />}
        {list.data?.message != null && !list.isPending && <ListFailure result={list.data} />}
        {list.data?.message === null && (
          <Text size="sm" c="dimmed">
            {plural(list.data.models.length, {
              0: 'The server has no model.',
              one: '# model found. Choose it in the field Model.',
              other: '# models found. Choose one in the field Model.',
            })}
          </Text>
        )}
        {test.error && <ErrorNote error={test.error} title={t`The test wasn’t possible`} />}
        {test.data && !test.isPending && <TestNote result={test.data} />}
      </div>
    </FormDialog>
  );
}

function ServerFields({ fields, change, errorOf }: PartProps) {
  return (
    <>
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={100}
        value={fields.name}
        error={errorOf('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Select
        label={t`Kind`}
        allowDeselect={false}
        data={modelKinds.map((kind) => ({ value: kind, label: kindLabels[kind] }))}
        value={fields.kind}
        onChange={(value) => change({ kind: modelKinds.find((kind) => kind === value) ?? fields.kind })}
      />
      <TextInput
        label={t`Address`}
        description={addressHint(fields.kind)}
        required={needsAddress(fields.kind)}
        maxLength={1_024}
        spellCheck={false}
        value={fields.base_url}
        error={errorOf('base_url')}
        onChange={(event) => change({ base_url: event.currentTarget.value.trim() })}
      />
    </>
  );
}

function addressHint(kind: ModelFields['kind']): string {
  if (kind === 'ollama') return t`Such as http://ollama.example.org:11434.`;
  if (kind === 'openai-compatible') return t`Up to /chat/completions, such as https://models.example.org/v1.`;
  return t`Leave blank for the public address.`;
}

function LimitFields({ fields, change, errorOf }: PartProps) {
  return (
    <>
      <NumberField
        label={t`Context window`}
        description={t`Tokens of a request and its answer. Leave blank to use what the server reports.`}
        optional
        min={2_048}
        max={2_000_000}
        allowDecimal={false}
        value={fields.context_tokens ?? null}
        error={errorOf('context_tokens')}
        onChange={(value) => change({ context_tokens: value })}
      />
      <NumberField
        label={t`Concurrent requests`}
        description={t`Of all recordings together; one recording uses at most 6.`}
        min={1}
        max={64}
        allowDecimal={false}
        value={fields.max_parallel}
        onChange={(value) => change({ max_parallel: value })}
      />
      <NumberField
        label={t`Time limit`}
        description={t`A request ends when the server has sent nothing for this time.`}
        min={5}
        max={3_600}
        suffix={t` s`}
        allowDecimal={false}
        value={fields.timeout_seconds}
        onChange={(value) => change({ timeout_seconds: value })}
      />
    </>
  );
}
