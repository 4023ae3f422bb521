import { t } from '@lingui/core/macro';
import { ActionIcon, Alert, Badge, Button, Fieldset, Group, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AsrProvider } from '@overtone/contracts';
import { call } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { SecretField } from '../settings/secret-field.tsx';
import { FieldGrid } from '../settings/layout.tsx';
import { bodyOf, kindLabel, listOf, type Keys } from './providers.ts';

type Props = {
  readonly provider: AsrProvider;
  readonly index: number;
  readonly count: number;
  readonly isKeySet: boolean;
  readonly keys: Keys;
  /** Of the last attempt to save the list. */
  readonly error: unknown;
  readonly onChange: (next: AsrProvider) => void;
  readonly onKey: (key: string | null) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
};

/** One provider: its fields, its place in the order, and its test. */
export function ProviderFields(props: Props) {
  const { provider, index, error, onChange } = props;
  const { kind } = provider;
  const change = (next: Partial<AsrProvider>): void => onChange({ ...provider, ...next });
  const errorOf = (field: string): string | null => fieldOf(error, `providers.${index}.${field}`);
  return (
    <Fieldset legend={`${index + 1}. ${provider.name}`} p={0} data-testid="provider" data-name={provider.name}>
      <ProviderActions {...props} />
      <FieldGrid>
        <TextInput
          label={t`Name`}
          value={provider.name}
          maxLength={100}
          error={errorOf('name')}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        {kind !== 'pocketsphinx' && (
          <TextInput
            label={t`Model`}
            description={
              kind === 'faster-whisper' || kind === 'sherpa-onnx'
                ? t`Leave blank for the first installed model.`
                : undefined
            }
            value={provider.model}
            maxLength={200}
            error={errorOf('model')}
            spellCheck={false}
            onChange={(event) => change({ model: event.currentTarget.value })}
          />
        )}
        {kind === 'openai-compatible' && <ServerFields {...props} change={change} errorOf={errorOf} />}
        <ListInput
          label={t`Languages`}
          description={t`Codes such as de or en, separated by commas. Leave blank for all languages of the engine.`}
          words={provider.languages}
          error={errorOf('languages')}
          onChange={(languages) => change({ languages })}
        />
        <NumberField
          label={t`Longest recording`}
          description={t`A longer one goes to the next provider. Leave blank for no limit.`}
          optional
          min={1}
          max={1_000_000}
          suffix={t` s`}
          allowDecimal={false}
          value={provider.max_audio_seconds}
          error={errorOf('max_audio_seconds')}
          onChange={(value) => change({ max_audio_seconds: value })}
        />
      </FieldGrid>
      <Group px="md" pb="md" gap="lg">
        <Switch
          label={t`Use this provider`}
          checked={provider.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        <Switch
          label={t`Can be chosen for an upload`}
          checked={provider.selectable}
          onChange={(event) => change({ selectable: event.currentTarget.checked })}
        />
      </Group>
    </Fieldset>
  );
}

type ServerProps = Pick<Props, 'provider' | 'isKeySet' | 'keys' | 'onKey'> & {
  readonly change: (next: Partial<AsrProvider>) => void;
  readonly errorOf: (field: string) => string | null;
};

function ServerFields({ provider, isKeySet, keys, onKey, change, errorOf }: ServerProps) {
  const key = keys[provider.id];
  return (
    <>
      <TextInput
        label={t`Address`}
        description={t`Up to /audio/transcriptions, such as https://api.example.org/v1.`}
        value={provider.base_url}
        maxLength={1_024}
        error={errorOf('base_url')}
        spellCheck={false}
        onChange={(event) => change({ base_url: event.currentTarget.value.trim() })}
      />
      <SecretField
        form={{
          secrets: key === undefined ? {} : { api_key: key },
          changeSecret: (_, value) => onKey(value),
          errorOf: () => errorOf('api_key'),
        }}
        name="api_key"
        label={t`Key`}
        isSet={isKeySet}
        mayDelete
      />
      <ListInput
        label={t`Vocabulary`}
        description={t`Names and terms that the engine should expect, separated by commas.`}
        words={provider.vocabulary}
        error={errorOf('vocabulary')}
        onChange={(vocabulary) => change({ vocabulary })}
      />
      <NumberField
        label={t`Concurrent requests`}
        description={t`For one recording.`}
        min={1}
        max={64}
        allowDecimal={false}
        value={provider.parallel_requests}
        error={errorOf('parallel_requests')}
        onChange={(value) => change({ parallel_requests: value })}
      />
      <NumberField
        label={t`Timeout`}
        description={t`Of one request.`}
        min={5}
        max={3_600}
        suffix={t` s`}
        allowDecimal={false}
        value={provider.timeout_seconds}
        error={errorOf('timeout_seconds')}
        onChange={(value) => change({ timeout_seconds: value })}
      />
    </>
  );
}

type ListProps = {
  readonly label: string;
  readonly description: string;
  readonly words: readonly string[];
  readonly error: string | null;
  readonly onChange: (words: string[]) => void;
};

function ListInput({ label, description, words, error, onChange }: ListProps) {
  return (
    <Textarea
      label={label}
      description={description}
      defaultValue={words.join(', ')}
      error={error}
      autosize
      minRows={1}
      maxRows={6}
      spellCheck={false}
      onChange={(event) => onChange(listOf(event.currentTarget.value))}
    />
  );
}

function ProviderActions({ provider, index, count, keys, onMove, onRemove }: Props) {
  const test = useMutation({
    mutationFn: () => call('POST /api/admin/asr-providers/test', { body: { provider: bodyOf(provider, keys) } }),
  });
  return (
    <>
      <Group px="md" pt="xs" gap="xs">
        <Badge variant="light" color="gray" tt="none">
          {kindLabel(provider.kind)}
        </Badge>
        <ActionIcon
          variant="default"
          aria-label={t`Move up: ${provider.name}`}
          disabled={index === 0}
          onClick={() => onMove(-1)}
        >
          ↑
        </ActionIcon>
        <ActionIcon
          variant="default"
          aria-label={t`Move down: ${provider.name}`}
          disabled={index === count - 1}
          onClick={() => onMove(1)}
        >
          ↓
        </ActionIcon>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t`Test: ${provider.name}`}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {t`Test`}
        </Button>
        <ActionIcon variant="subtle" color="red" aria-label={t`Remove: ${provider.name}`} onClick={onRemove}>
          <Icon name="trash" size={16} />
        </ActionIcon>
      </Group>
      <div aria-live="polite" style={{ padding: '0 1rem' }}>
        {test.error && <ErrorNote error={test.error} title={t`The test couldn’t be run`} />}
        {test.data && !test.isPending && (
          <Alert
            mt="xs"
            color={test.data.ok ? 'petrol' : 'red'}
            variant="light"
            icon={<Icon name={test.data.ok ? 'check' : 'alert'} />}
            title={test.data.ok ? t`Test passed in ${test.data.seconds} s` : t`Test failed`}
            data-testid="provider-test"
            data-ok={test.data.ok}
          >
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {test.data.ok ? t`It recognised: ${test.data.text}` : test.data.error}
            </Text>
          </Alert>
        )}
      </div>
    </>
  );
}
