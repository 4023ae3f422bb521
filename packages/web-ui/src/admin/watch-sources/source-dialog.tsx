import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Radio, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { useEdits } from '../../state/use-edits.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { SecretField } from '../settings/secret-field.tsx';
import { afterLabels, ownerRuleLabels, testText } from './labels.ts';
import type { WatchFields, WatchSource } from './watch-queries.ts';

const mebibyte = 1024 * 1024;
const largestKibibytes = 2 ** 42;
const newSource: WatchFields = {
  name: '',
  enabled: true,
  kind: 'folder',
  path: '',
  s3_endpoint_url: '',
  s3_region: '',
  s3_bucket: '',
  s3_prefix: '',
  s3_access_key_id: '',
  owner_rule: 'fixed',
  owner: '',
  folders_as: 'tags',
  include: [],
  exclude: ['*.part', '*.partial', '*.tmp', '*.crdownload'],
  min_bytes: 0,
  max_bytes: null,
  max_age_days: null,
  stable_seconds: 30,
  poll_seconds: 60,
  polling_only: false,
  after: 'keep',
  move_to: '',
};
const ownErrors = [
  'name',
  'path',
  's3_endpoint_url',
  's3_region',
  's3_bucket',
  's3_prefix',
  's3_access_key_id',
  's3_secret_key',
  'owner',
  'move_to',
  'max_bytes',
];

type Props = {
  readonly source: WatchSource | null;
  readonly roots: readonly string[];
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
};
type PartProps = {
  readonly fields: WatchFields;
  readonly change: (next: Partial<WatchFields>) => void;
  readonly errorOf: (field: string) => string | null;
};

/** The required fields that are empty, by their labels. */
function missingFields(fields: WatchFields): string[] {
  const inFolder = fields.kind === 'folder';
  const required: [label: string, isShown: boolean, value: string][] = [
    [t`Name`, true, fields.name],
    [t`Folder`, inFolder, fields.path],
    [t`Address of the server`, !inFolder, fields.s3_endpoint_url],
    [t`Bucket`, !inFolder, fields.s3_bucket],
    [t`Access key`, !inFolder, fields.s3_access_key_id],
    [t`Owner`, fields.owner_rule === 'fixed', fields.owner],
    [movedToLabel(fields), fields.after === 'move', fields.move_to],
  ];
  return required.flatMap(([label, isShown, value]) => (isShown && value.trim() === '' ? [label] : []));
}

function movedToLabel({ kind }: WatchFields): string {
  return kind === 'folder' ? t`Folder for imported files` : t`Prefix for imported files`;
}

/** Adds or changes a watch source. */
export function SourceDialog({ source, roots, onDone, onClose }: Props) {
  const draft = useEdits<WatchFields>(`watch-source:${source?.uuid ?? 'new'}`, source ? fieldsOf(source) : newSource);
  const [key, setKey] = useState<string | null | undefined>(undefined);
  const fields = draft.value;
  const body = { ...fields, ...(key === undefined ? {} : { s3_secret_key: key }) };
  const save = useMutation({
    mutationFn: () =>
      source
        ? call('PUT /api/admin/watch-sources/{uuid}', { params: { uuid: source.uuid }, body })
        : call('POST /api/admin/watch-sources', { body }),
    onSuccess: async () => {
      draft.drop();
      await onDone();
      onClose();
    },
  });
  const test = useMutation({
    mutationFn: () =>
      call('POST /api/admin/watch-sources/test', { body: { ...(source ? { uuid: source.uuid } : {}), source: body } }),
  });
  // A result is about the fields that were tested.
  const change = (next: Partial<WatchFields>): void => {
    test.reset();
    draft.change(next);
  };
  const changeKey = (next: string | null | undefined): void => {
    test.reset();
    setKey(next);
  };
  const errorOf = (field: string): string | null => fieldOf(save.error, field);
  const part = { fields, change, errorOf };
  const missing = missingFields(fields);
  return (
    <FormDialog
      title={source ? t`Change the watch source` : t`Add a watch source`}
      action={t`Save`}
      ready={missing.length === 0}
      unready={t`Still missing: ${missing.join(', ')}`}
      sending={save}
      draft={draft}
      secretTyped={typeof key === 'string'}
      failure={t`The source wasn’t saved`}
      fields={ownErrors}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={100}
        value={fields.name}
        error={errorOf('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Radio.Group
        label={t`What is watched`}
        value={fields.kind}
        onChange={(kind) => change({ kind: kind === 's3' ? 's3' : 'folder' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="folder" label={t`A folder on the server`} />
          <Radio value="s3" label={t`A bucket (S3)`} />
        </Stack>
      </Radio.Group>
      {fields.kind === 'folder' ? (
        <FolderFields {...part} roots={roots} />
      ) : (
        <BucketFields {...part} isKeySet={source?.s3_secret_key_is_set ?? false} secret={key} onSecret={changeKey} />
      )}
      <OwnerFields {...part} />
      <FilterFields {...part} />
      <TimingFields {...part} />
      <AfterFields {...part} />
      <Switch
        label={t`Switched on`}
        checked={fields.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t`Test source`}
        </Button>
      </Group>
      {test.error && <ErrorNote error={test.error} title={t`The test wasn’t possible`} />}
      {test.data && (
        <Alert
          color={test.data.ok ? 'petrol' : 'red'}
          variant="light"
          icon={<Icon name={test.data.ok ? 'check' : 'alert'} />}
          title={test.data.ok ? t`The source can be read` : t`The source can’t be used`}
          data-ok={test.data.ok}
        >
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {testText(test.data)}
          </Text>
        </Alert>
      )}
    </FormDialog>
  );
}

function fieldsOf(source: WatchSource): WatchFields {
  const names = Object.keys(newSource) as (keyof WatchFields)[];
  return Object.fromEntries(names.map((name) => [name, source[name]])) as WatchFields;
}

function FolderFields({ fields, change, errorOf, roots }: PartProps & { roots: readonly string[] }) {
  const allowed = roots.join(', ');
  return (
    <>
      <TextInput
        label={t`Folder`}
        description={
          roots.length === 0
            ? t`No folder may be watched yet. Set WATCH_ROOTS where Overtone is started, to the folders that may be watched, such as /srv/recordings, and restart it.`
            : t`Below ${allowed}. Sub-folders are watched, too.`
        }
        styles={{ description: { overflowWrap: 'anywhere' } }}
        required
        maxLength={1_024}
        spellCheck={false}
        value={fields.path}
        error={errorOf('path')}
        onChange={(event) => change({ path: event.currentTarget.value })}
      />
      <Switch
        label={t`The folder is on a network file system`}
        description={t`Changes are found at the interval below only, because such file systems send no notifications.`}
        checked={fields.polling_only}
        onChange={(event) => change({ polling_only: event.currentTarget.checked })}
      />
    </>
  );
}

type BucketProps = PartProps & {
  readonly isKeySet: boolean;
  readonly secret: string | null | undefined;
  readonly onSecret: (key: string | null | undefined) => void;
};

function BucketFields({ fields, change, errorOf, isKeySet, secret, onSecret }: BucketProps) {
  const line = (name: 's3_endpoint_url' | 's3_region' | 's3_bucket' | 's3_prefix' | 's3_access_key_id') => ({
    value: fields[name],
    error: errorOf(name),
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value.trim() }),
  });
  return (
    <>
      <TextInput
        label={t`Address of the server`}
        description={t`Such as https://s3.example.org.`}
        required
        {...line('s3_endpoint_url')}
      />
      <TextInput label={t`Region`} description={t`Leave blank if the server has none.`} {...line('s3_region')} />
      <TextInput label={t`Bucket`} required {...line('s3_bucket')} />
      <TextInput
        label={t`Prefix`}
        description={t`Ends in a slash. Leave blank for the whole bucket.`}
        {...line('s3_prefix')}
      />
      <TextInput label={t`Access key`} required {...line('s3_access_key_id')} />
      <SecretField
        form={{
          secrets: secret === undefined ? {} : { s3_secret_key: secret },
          changeSecret: (_, value) => onSecret(value === '' ? undefined : value),
          errorOf,
        }}
        name="s3_secret_key"
        label={t`Secret key`}
        isSet={isKeySet}
        mayDelete={false}
      />
    </>
  );
}

function OwnerFields({ fields, change, errorOf }: PartProps) {
  return (
    <>
      <Radio.Group
        label={t`Who owns the recordings`}
        value={fields.owner_rule}
        onChange={(rule) =>
          change(rule === 'first_folder' ? { owner_rule: 'first_folder', owner: '' } : { owner_rule: 'fixed' })
        }
      >
        <Stack gap="xs" mt="xs">
          <Radio value="fixed" label={ownerRuleLabels.fixed} />
          <Radio value="first_folder" label={ownerRuleLabels.first_folder} />
        </Stack>
      </Radio.Group>
      {fields.owner_rule === 'fixed' ? (
        <TextInput
          label={t`Owner`}
          description={t`E-mail address or user name.`}
          required
          maxLength={320}
          spellCheck={false}
          value={fields.owner}
          error={errorOf('owner')}
          onChange={(event) => change({ owner: event.currentTarget.value })}
        />
      ) : (
        <Text size="sm">{t`The first folder has the e-mail address or user name of an account.`}</Text>
      )}
      <Radio.Group
        label={t`What sub-folders become`}
        value={fields.folders_as ?? 'tags'}
        onChange={(value) => change({ folders_as: value === 'collection' ? 'collection' : 'tags' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="tags" label={t`Tags of the recordings`} />
          <Radio value="collection" label={t`The first one a collection of the owner, the others tags`} />
        </Stack>
      </Radio.Group>
    </>
  );
}

function FilterFields({ fields, change, errorOf }: PartProps) {
  return (
    <>
      <TagsInput
        label={t`Take only`}
        description={t`Patterns such as *.wav or calls/**. Leave blank for all files.`}
        value={fields.include}
        maxTags={50}
        onChange={(include) => change({ include })}
      />
      <TagsInput
        label={t`Leave out`}
        description={t`Patterns. Names that begin with a dot are always left out.`}
        value={fields.exclude}
        maxTags={50}
        onChange={(exclude) => change({ exclude })}
      />
      <NumberField
        label={t`Smallest size`}
        min={0}
        max={largestKibibytes}
        suffix=" KB"
        allowDecimal={false}
        value={Math.round(fields.min_bytes / 1024)}
        onChange={(value) => change({ min_bytes: value * 1024 })}
      />
      <NumberField
        label={t`Largest size`}
        description={t`Leave blank for the limit of uploads.`}
        optional
        min={1}
        max={largestKibibytes / 1024}
        suffix=" MB"
        allowDecimal={false}
        value={fields.max_bytes === null ? null : Math.round(fields.max_bytes / mebibyte)}
        error={errorOf('max_bytes')}
        onChange={(value) => change({ max_bytes: value === null ? null : value * mebibyte })}
      />
      <NumberField
        label={t`Oldest file, in days`}
        description={t`Leave blank for no limit.`}
        optional
        min={1}
        max={36_500}
        allowDecimal={false}
        value={fields.max_age_days}
        onChange={(value) => change({ max_age_days: value })}
      />
    </>
  );
}

function TimingFields({ fields, change }: PartProps) {
  return (
    <>
      <NumberField
        label={t`Import after this many seconds without a change`}
        description={t`A file that still changes is not taken.`}
        min={1}
        max={86_400}
        allowDecimal={false}
        value={fields.stable_seconds}
        onChange={(value) => change({ stable_seconds: value })}
      />
      <NumberField
        label={t`Look for changes every this many seconds`}
        min={2}
        max={86_400}
        allowDecimal={false}
        value={fields.poll_seconds}
        onChange={(value) => change({ poll_seconds: value })}
      />
    </>
  );
}

function AfterFields({ fields, change, errorOf }: PartProps) {
  const rules = ['keep', 'move', 'delete'] as const;
  return (
    <>
      <Radio.Group
        label={t`After the import`}
        description={t`The file is moved or deleted only after the stored recording was read and compared.`}
        value={fields.after}
        onChange={(value) => change({ after: rules.find((rule) => rule === value) ?? 'keep' })}
      >
        <Stack gap="xs" mt="xs">
          {rules.map((rule) => (
            <Radio key={rule} value={rule} label={afterLabels[rule]} />
          ))}
        </Stack>
      </Radio.Group>
      {fields.after === 'move' && (
        <TextInput
          label={movedToLabel(fields)}
          required
          maxLength={1_024}
          spellCheck={false}
          value={fields.move_to}
          error={errorOf('move_to')}
          onChange={(event) => change({ move_to: event.currentTarget.value })}
        />
      )}
    </>
  );
}
