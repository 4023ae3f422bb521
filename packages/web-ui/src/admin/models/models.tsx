import { t } from '@lingui/core/macro';
import { Alert, Anchor, Badge, Button, Checkbox, Group, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { bytes } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import {
  figuresOf,
  kindLabels,
  missingOf,
  stateOf,
  type CatalogueModel,
  type InstalledModel,
  type ModelOverview,
  type ModelTask,
} from './model-labels.ts';

const queryKey = ['models'];

/** The models in the folder of the workers, and those of the catalogue. */
export function Models() {
  const models = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /api/admin/models', { signal }),
    refetchInterval: ({ state }) => (state.data && isBusy(state.data) ? 1_500 : 10_000),
  });
  const mayChange = useQuery(meQuery).data?.role === 'super_admin';
  return (
    <>
      <QueryStatus of={models} failure={t`The models couldn’t be loaded`} height={120} />
      {models.data && <Overview models={models.data} mayChange={mayChange} />}
    </>
  );
}

function isBusy({ tasks, speech_setup: setup }: ModelOverview): boolean {
  return setup?.state === 'running' || tasks.some(({ state }) => state === 'running');
}

/** The model that the instance fetches after its start. */
function SpeechSetup({ setup }: { setup: NonNullable<ModelOverview['speech_setup']> }) {
  const { state, step, model, received_bytes: received, total_bytes: total, error } = setup;
  if (state === 'done') return null;
  if (state === 'failed')
    return (
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} data-testid="speech-setup">
        {step === 'further'
          ? t`The models for speakers and search couldn’t be fetched: ${error ?? ''} It is tried again later.`
          : t`The speech model ${model} couldn’t be fetched: ${error ?? ''} It is tried again later. Without a network, copy its folder to the server and run: ./overtone models import FOLDER. Until then PocketSphinx transcribes English.`}
      </Alert>
    );
  return (
    <div data-testid="speech-setup">
      <Text size="sm" role="status">
        {setupText(setup)}
      </Text>
      {total > 0 && <Progress mt={4} value={(received / total) * 100} aria-label={t`Fetch of the speech model`} />}
    </div>
  );
}

function setupText({ step, model }: NonNullable<ModelOverview['speech_setup']>): string {
  if (step === 'environment') return t`The Python environment for the speech model ${model} is being made.`;
  if (step === 'further') return t`The models for speakers and search are being fetched.`;
  return t`The speech model ${model} is being fetched. Recordings wait for it.`;
}

function Overview({ models, mayChange }: { models: ModelOverview; mayChange: boolean }) {
  const { folder, installed, tasks, suggestion, speech_setup: setup } = models;
  const missing = missingOf(models);
  const taskOf = (name: string) => tasks.find((task) => task.name === name);
  return (
    <Stack gap="md">
      {setup !== null && <SpeechSetup setup={setup} />}
      <Text size="sm">{t`Models that suit the machine of the worker: ${suggestion.text}.`}</Text>
      <div>
        <Title order={3} size="h5">{t`Installed`}</Title>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {folder}
        </Text>
        {installed.length === 0 && <Empty>{t`No models are installed. PocketSphinx transcribes English.`}</Empty>}
        {installed.length > 0 && (
          <Sheet testId="installed-models" heads={[t`Model`, t`Licence`, t`Size`, t`State`]}>
            {installed.map((model) => (
              <InstalledRow key={model.name} {...{ model, mayChange }} task={taskOf(model.name)} />
            ))}
          </Sheet>
        )}
      </div>
      {missing.length > 0 && (
        <div>
          <Title order={3} size="h5">{t`Catalogue`}</Title>
          <Sheet testId="catalogue-models" heads={[t`Model`, t`Licence`, t`Size`, t`Download`]}>
            {missing.map((model) => (
              <CatalogueRow
                key={model.name}
                {...{ model, mayChange }}
                isSuggested={model.name === suggestion.name}
                task={taskOf(model.name)}
              />
            ))}
          </Sheet>
        </div>
      )}
    </Stack>
  );
}

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey });
}

type RowProps<M> = { readonly model: M; readonly task: ModelTask | undefined; readonly mayChange: boolean };

function InstalledRow({ model, task, mayChange }: RowProps<InstalledModel>) {
  const [asked, setAsked] = useState(false);
  const refresh = useRefresh();
  const params = { name: model.name };
  const verify = useMutation({
    mutationFn: () => call('POST /api/admin/models/{name}/verify', { params }),
    onSuccess: async () => {
      notify(t`The files of ${model.name} are being hashed.`);
      await refresh();
    },
    onError: (error) => notifyError(t`The verification wasn’t started`, error),
  });
  const figures = figuresOf(model);
  return (
    <Table.Tr data-model={model.name}>
      <Table.Td>
        <Name {...model} />
        {figures !== null && (
          <Text size="xs" c="dimmed">
            {figures}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label={t`Licence`}>{model.licence ?? t`unknown`}</Table.Td>
      <Table.Td data-label={t`Size`} className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
        {bytes(model.bytes)}
      </Table.Td>
      <Table.Td data-wide>
        <Text size="sm" {...(model.fault === null ? {} : { c: 'red' })}>
          {stateOf(model)}
        </Text>
        <TaskState task={task} />
        {mayChange && (
          <Group gap="xs" mt={4}>
            <Button size="compact-xs" variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
              {t`Verify`}
            </Button>
            <Button size="compact-xs" variant="default" color="red" onClick={() => setAsked(true)}>
              {t`Remove`}
            </Button>
          </Group>
        )}
        {asked && <RemoveDialog name={model.name} onClose={() => setAsked(false)} />}
      </Table.Td>
    </Table.Tr>
  );
}

function CatalogueRow({ model, task, mayChange, isSuggested }: RowProps<CatalogueModel> & { isSuggested: boolean }) {
  const [accepted, setAccepted] = useState(false);
  const [asked, setAsked] = useState(false);
  const refresh = useRefresh();
  const { name, licence } = model;
  const isRunning = task?.state === 'running';
  const pull = useMutation({
    mutationFn: () =>
      call('POST /api/admin/models/{name}/pull', { params: { name }, body: { accept_licence: accepted } }),
    onSuccess: async () => {
      notify(t`The download of ${name} is queued.`);
      await refresh();
    },
    onError: (error) => notifyError(t`The download wasn’t started`, error),
  });
  return (
    <Table.Tr data-model={name}>
      <Table.Td>
        <Name {...model} />
        {isSuggested && <Badge variant="light">{t`Suits this machine`}</Badge>}
        <Text size="xs" c="dimmed">
          {model.purpose}
        </Text>
      </Table.Td>
      <Table.Td data-label={t`Licence`}>
        <Anchor href={licence.url} target="_blank" rel="noreferrer" underline="always" size="sm">
          {licence.name}
        </Anchor>
        {licence.notice && (
          <Text size="xs" c="dimmed">
            {licence.notice}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label={t`Size`} className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
        {bytes(model.bytes)}
      </Table.Td>
      <Table.Td data-wide>
        <TaskState task={task} />
        {mayChange && licence.acceptance && !isRunning && (
          <Checkbox
            size="xs"
            mb={4}
            label={t`I accept the licence ${licence.name}`}
            checked={accepted}
            onChange={(event) => setAccepted(event.currentTarget.checked)}
          />
        )}
        {mayChange && !isRunning && (
          <Button
            size="compact-xs"
            variant="default"
            loading={pull.isPending}
            disabled={licence.acceptance && !accepted}
            onClick={() => pull.mutate()}
          >
            {t`Download ${bytes(model.download_bytes)}`}
          </Button>
        )}
        {mayChange && isRunning && (
          <Button size="compact-xs" variant="default" onClick={() => setAsked(true)}>
            {t`Cancel`}
          </Button>
        )}
        {asked && <CancelDialog name={name} onClose={() => setAsked(false)} />}
      </Table.Td>
    </Table.Tr>
  );
}

function Name({ name, kind, languages }: Pick<InstalledModel, 'name' | 'kind' | 'languages'>) {
  return (
    <>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Badge variant="light" color="gray">
        {kindLabels[kind]}
      </Badge>{' '}
      {languages.length > 0 && (
        <Text size="xs" c="dimmed" span>
          {languages.join(', ')}
        </Text>
      )}
    </>
  );
}

/** The progress of the model’s task, or why its last one failed. */
function TaskState({ task }: { task: ModelTask | undefined }) {
  if (task?.state === 'failed')
    return (
      <Text size="xs" c="red">
        {task.error}
      </Text>
    );
  if (task?.state !== 'running') return null;
  const { received_bytes: received, total_bytes: total } = task;
  if (total === 0) return <Text size="xs">{t`Hashing the files`}</Text>;
  return (
    <div>
      <Text size="xs" className="ot-tabular" role="status">
        {t`${bytes(received)} of ${bytes(total)}`}
      </Text>
      <Progress mt={4} value={(received / total) * 100} aria-label={t`Download of ${task.name}`} />
    </div>
  );
}

function RemoveDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useRefresh();
  return (
    <Confirm
      title={t`Remove ${name}?`}
      action={t`Remove`}
      run={() => call('DELETE /api/admin/models/{name}', { params: { name } })}
      onDone={() => void refresh()}
      onClose={onClose}
    >
      {t`Its files are deleted. Recordings are transcribed by the next engine.`}
    </Confirm>
  );
}

function CancelDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useRefresh();
  return (
    <Confirm
      title={t`Cancel the download of ${name}?`}
      action={t`Cancel the download`}
      keep={t`Continue`}
      run={() => call('DELETE /api/admin/models/{name}', { params: { name } })}
      onDone={() => void refresh()}
      onClose={onClose}
    >
      {t`What was downloaded is deleted.`}
    </Confirm>
  );
}
