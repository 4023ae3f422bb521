import { t } from '@lingui/core/macro';
import { Anchor, Badge, Button, Group, Menu, Stack, Table, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AsrProvider } from '@overtone/contracts';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { codeOf, messageOf } from '../../api/problem.ts';
import { useDraft } from '../../state/use-draft.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { RestoredNote } from '../../ui/draft.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { useUnsaved } from '../../ui/unsaved.tsx';
import { FormButtons } from '../settings/layout.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { bodyOf, fieldsOf, kindLabel, moved, newProvider, type Answer, type Keys } from './providers.ts';

const providersQuery = queryOptions({
  queryKey: ['asr-providers'],
  queryFn: ({ signal }) => call('GET /api/admin/asr-providers', { signal }),
  refetchInterval: 10_000,
});
const kinds = ['faster-whisper', 'sherpa-onnx', 'openai-compatible', 'pocketsphinx'] as const;
type Entered = { readonly list: AsrProvider[]; readonly keys: Keys; readonly acceptNotReady?: true };

const noKeys: Keys = {};

/** Administration > ASR provider: which engine recognises speech, in which order, and how each does on the workers. */
export function AsrPage() {
  const providers = useQuery(providersQuery);
  return (
    <Pane title={t`ASR provider`}>
      <Stack gap="lg">
        <QueryStatus of={providers} failure={t`The providers couldn’t be loaded`} height={320} />
        {providers.data && (
          <>
            <Section title={t`Providers`}>
              <ProviderForm saved={providers.data} />
            </Section>
            <Section title={t`Engines of the workers`}>
              <WorkerEngines saved={providers.data} />
            </Section>
          </>
        )}
      </Stack>
    </Pane>
  );
}

function ProviderForm({ saved }: { saved: Answer }) {
  const client = useQueryClient();
  const draft = useDraft<AsrProvider[]>('asr-providers', saved.providers.map(fieldsOf));
  const [keys, setKeys] = useState(noKeys);
  const [question, setQuestion] = useState<string | null>(null);
  // The list on which the edits are based: the server refuses to overwrite the changes of another administrator.
  const [revision, setRevision] = useState(saved.revision);
  const list = draft.value;
  const changed = draft.changed || Object.keys(keys).length > 0;
  const dropKeys = (): void => setKeys(noKeys);
  useUnsaved(Object.keys(keys).length > 0, dropKeys);
  const saving = useMutation({
    mutationFn: ({ list, keys, acceptNotReady }: Entered) =>
      call('PUT /api/admin/asr-providers', {
        body: {
          revision: draft.changed ? revision : saved.revision,
          providers: list.map((provider) => bodyOf(provider, keys)),
          ...(acceptNotReady ? { accept_not_ready: true } : {}),
        },
      }),
    onError: (error, { acceptNotReady }) => {
      if (codeOf(error) === 'no_provider_ready' && !acceptNotReady) setQuestion(messageOf(error));
    },
    onSuccess: (answer, entered) => {
      notify(t`Providers saved.`);
      client.setQueryData(providersQuery.queryKey, answer);
      setRevision(answer.revision);
      draft.dropSaved(entered.list);
      setKeys((now) => (now === entered.keys ? noKeys : now));
    },
  });
  const discard = (): void => {
    setRevision(saved.revision);
    draft.drop();
    dropKeys();
    saving.reset();
  };
  const set = (next: AsrProvider[]): void => {
    if (!draft.changed) setRevision(saved.revision);
    draft.set(next);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (changed) saving.mutate({ list, keys });
      }}
    >
      <Stack gap="md">
        {draft.changed && <RestoredNote draft={draft} />}
        <Text size="sm" c="dimmed">
          {t`A recording goes to the first provider that fits its language and length. If that one fails, the next one is used.`}
        </Text>
        {list.length === 0 && (
          <Empty>{t`The workers use the best engine that is installed. Add a provider to choose another one, or an order.`}</Empty>
        )}
        {list.map((provider, index) => (
          <ProviderFields
            key={provider.id}
            provider={provider}
            index={index}
            count={list.length}
            isKeySet={saved.providers.find(({ id }) => id === provider.id)?.api_key_is_set ?? false}
            keys={keys}
            error={saving.error}
            onChange={(next) => set(list.with(index, next))}
            onKey={(key) => {
              const { [provider.id]: _, ...others } = keys;
              setKeys(key === '' ? others : { ...others, [provider.id]: key });
            }}
            onMove={(by) => set(moved(list, index, by))}
            onRemove={() => set(list.toSpliced(index, 1))}
          />
        ))}
        {saving.error && question === null && <ErrorNote error={saving.error} title={t`The providers weren’t saved`} />}
        {question !== null && (
          <Confirm
            title={t`Stop all transcription?`}
            action={t`Save anyway`}
            run={() => saving.mutateAsync({ list, keys, acceptNotReady: true })}
            onDone={() => undefined}
            onClose={() => {
              setQuestion(null);
              saving.reset();
            }}
          >
            <Text size="sm">{t`No provider of this list can transcribe now, so recordings would wait.`}</Text>
            <Text size="sm" my="xs">
              {question}
            </Text>
            <Anchor component={Link} to="/admin" size="sm">
              {t`Install a speech model`}
            </Anchor>
          </Confirm>
        )}
        <FormButtons>
          <Button type="submit" disabled={!changed} loading={saving.isPending}>
            {t`Save`}
          </Button>
          <Menu>
            <Menu.Target>
              <Button variant="default" leftSection={<Icon name="plus" size={16} />}>
                {t`Add provider`}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {kinds.map((kind) => (
                <Menu.Item key={kind} onClick={() => set([...list, newProvider(kind, list)])}>
                  {kindLabel(kind)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          {changed && (
            <Button variant="default" disabled={saving.isPending} onClick={discard}>
              {t`Discard changes`}
            </Button>
          )}
        </FormButtons>
      </Stack>
    </form>
  );
}

function WorkerEngines({ saved }: { saved: Answer }) {
  const nameOf = (id: string | null, kind: string): string =>
    saved.providers.find((provider) => provider.id === id)?.name ?? t`${kind} (environment)`;
  const rows = saved.workers.flatMap(({ id: worker, engines }) => engines.map((engine) => ({ worker, engine })));
  if (rows.length === 0) return <Text c="dimmed">{t`No worker with speech engines is running.`}</Text>;
  return (
    <Sheet testId="worker-engines" heads={[t`Engine`, t`Model`, t`State`, t`Worker`]}>
      {rows.map(({ worker, engine }) => (
        <Table.Tr key={`${worker} ${engine.id ?? engine.kind}`}>
          <Table.Td>{nameOf(engine.id, engine.kind)}</Table.Td>
          <Table.Td data-label={t`Model`}>{engine.model}</Table.Td>
          <Table.Td data-label={t`State`}>
            <Group gap={6}>
              <Badge variant="light" color={engine.ready ? 'petrol' : 'red'}>
                {engine.ready ? t`ready` : t`not ready`}
              </Badge>
              {engine.translates && <Badge variant="light" color="gray">{t`translates`}</Badge>}
            </Group>
            {engine.why !== null && (
              <Text size="xs" c="dimmed" mt={4}>
                {engine.why}
              </Text>
            )}
          </Table.Td>
          <Table.Td data-label={t`Worker`}>
            <Text size="xs" span style={{ overflowWrap: 'anywhere' }}>
              {worker}
            </Text>
          </Table.Td>
        </Table.Tr>
      ))}
    </Sheet>
  );
}
