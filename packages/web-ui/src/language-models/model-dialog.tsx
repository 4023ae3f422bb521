import { plural, t } from '@lingui/core/macro';
import { Autocomplete, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { fieldOf } from '../api/problem.ts';
import { SecretField } from '../admin/settings/secret-field.tsx';
import { useForm, type Form } from '../state/use-form.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { focusRefusedField } from '../ui/focus-refused-field.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
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
type PartProps = { readonly form: Form<ModelFields> };

/** Adds or changes a language model. */
export function ModelDialog({ model, scope, actions, onDone, onClose }: Props) {
  const [key, setKey] = useState<string | null | undefined>(undefined);
  const withKey = (changed: ModelFields) => ({
    ...changed,
    ...(key === undefined || key === '' ? {} : { api_key: key }),
  });
  const form = useForm<ModelFields, unknown>({
    key: `language-model:${scope}:${model?.uuid ?? 'new'}`,
    saved: model ? fieldsOf(model) : newModel(),
    send: (entered) => (model ? actions.update(model.uuid, withKey(entered)) : actions.create(withKey(entered))),
    refresh: onDone,
    onSaved: onClose,
  });
  const { fields } = form;
  const unsaved = { ...withKey(fields), ...(model ? { uuid: model.uuid } : {}) };
  // A result is shown while the fields that it is about have not changed.
  const tested = JSON.stringify(unsaved);
  const asked = JSON.stringify([fields.kind, fields.base_url, key]);
  const test = useMutation({ mutationFn: (_tested: string) => actions.test(unsaved) });
  const list = useMutation({ mutationFn: (_asked: string) => actions.list({ ...unsaved, ...withoutBlanks(fields) }) });
  const testResult = test.variables === tested ? test : null;
  const listResult = list.variables === asked && test.isIdle ? list : null;
  const failed = listResult?.error ?? testResult?.error;
  const hasServer = !needsAddress(fields.kind) || fields.base_url !== '';
  const missing = missingFields(fields);
  const isComplete = missing.length === 0;
  const results = useRef<HTMLDivElement>(null);
  useEffect(() => {
    results.current?.scrollIntoView({ block: 'nearest' });
    if (failed) focusRefusedField(results.current?.closest('form') ?? null);
  }, [list.data, test.data, failed]);
  return (
    <FormDialog
      title={model ? t`Change the language model` : t`Add a language model`}
      action={t`Save`}
      unready={stillMissing(...missing)}
      {...form.dialog}
      secretTyped={typeof key === 'string' && key !== ''}
      failure={t`The language model wasn’t saved`}
      fields={[...form.dialog.fields, 'api_key']}
      onClose={onClose}
    >
      <ServerFields form={form} addressError={fieldOf(failed, 'base_url') ?? form.errorOf('base_url')} />
      <SecretField
        form={{
          secrets: key === undefined ? {} : { api_key: key },
          changeSecret: (_, value) => setKey(value),
          errorOf: () => form.errorOf('api_key'),
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
        {...form.field('model')}
      />
      <LimitFields form={form} />
      <Group>
        <Button
          variant="default"
          disabled={!hasServer || test.isPending}
          loading={list.isPending}
          onClick={() => {
            test.reset();
            list.mutate(asked);
          }}
        >
          {t`List models`}
        </Button>
        <Button
          variant="default"
          disabled={!isComplete || list.isPending}
          loading={test.isPending}
          onClick={() => test.mutate(tested)}
        >
          {t`Test connection`}
        </Button>
      </Group>
      <div aria-live="polite" ref={results} className="ot-dialog-note">
        {listResult?.error && (
          <ErrorNote error={listResult.error} title={t`The models couldn’t be listed`} fields={['base_url']} />
        )}
        {listResult?.data?.message != null && <ListFailure result={listResult.data} />}
        {listResult?.data?.message === null && (
          <Text size="sm" c="dimmed">
            {plural(listResult.data.models.length, {
              0: 'The server has no model.',
              one: '# model found. Choose it in the field Model.',
              other: '# models found. Choose one in the field Model.',
            })}
          </Text>
        )}
        {testResult?.error && (
          <ErrorNote error={testResult.error} title={t`The test wasn’t possible`} fields={['base_url']} />
        )}
        {testResult?.data && <TestNote result={testResult.data} />}
      </div>
    </FormDialog>
  );
}

/** The required fields that are empty, by their labels. */
function missingFields({ name, kind, base_url: address, model }: ModelFields): string[] {
  return [
    ...(name === '' ? [t`Name`] : []),
    ...(needsAddress(kind) && address === '' ? [t`Address`] : []),
    ...(model === '' ? [t`Model`] : []),
  ];
}

/** Models are listed before the other fields are filled in; messages name the server. */
function withoutBlanks({ name, model }: ModelFields): Pick<ModelFields, 'name' | 'model'> {
  return { name: name === '' ? t`The server` : name, model: model === '' ? '-' : model };
}

function ServerFields({ form, addressError }: PartProps & { readonly addressError: string | null }) {
  const { kind } = form.value;
  return (
    <>
      <TextInput label={t`Name`} data-autofocus required maxLength={100} {...form.text('name')} />
      <Select
        label={t`Kind`}
        allowDeselect={false}
        data={modelKinds.map((value) => ({ value, label: kindLabels[value] }))}
        value={kind}
        error={form.errorOf('kind')}
        onChange={(value) => form.change({ kind: modelKinds.find((one) => one === value) ?? kind })}
      />
      <TextInput
        label={t`Address`}
        description={addressHint(kind)}
        required={needsAddress(kind)}
        maxLength={1_024}
        spellCheck={false}
        {...form.text('base_url')}
        error={addressError}
      />
    </>
  );
}

function addressHint(kind: ModelFields['kind']): string {
  if (kind === 'ollama') return t`Such as http://ollama.example.org:11434.`;
  if (kind === 'openai-compatible') return t`Up to /chat/completions, such as https://models.example.org/v1.`;
  return t`Leave blank for the public address.`;
}

function LimitFields({ form }: PartProps) {
  return (
    <>
      <NumberField
        label={t`Context window`}
        description={t`Tokens of a request and its answer. Leave blank to use what the server reports.`}
        optional
        min={2_048}
        max={2_000_000}
        allowDecimal={false}
        {...form.field('context_tokens')}
        value={form.value.context_tokens ?? null}
      />
      <NumberField
        label={t`Concurrent requests`}
        description={t`Of all recordings together; one recording uses at most 6.`}
        min={1}
        max={64}
        allowDecimal={false}
        {...form.field('max_parallel')}
      />
      <NumberField
        label={t`Time limit`}
        description={t`A request ends when the server has sent nothing for this time.`}
        min={5}
        max={3_600}
        suffix={t` s`}
        allowDecimal={false}
        {...form.field('timeout_seconds')}
      />
    </>
  );
}
