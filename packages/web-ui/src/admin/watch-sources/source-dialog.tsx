import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Radio, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useForm, type Form } from '../../state/use-form.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
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

type Props = {
  readonly source: WatchSource | null;
  readonly roots: readonly string[];
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
};
type PartProps = { readonly form: Form<WatchFields> };

/** The required fields that are empty, by their labels. */
function missingFields(fields: WatchFields, hasKey: boolean): string[] {
  const inFolder = fields.kind === 'folder';
  const required: [label: string, isShown: boolean, value: string][] = [
    [t`Name`, true, fields.name],
    [t`Folder`, inFolder, fields.path],
    [t`Address of the server`, !inFolder, fields.s3_endpoint_url],
    [t`Bucket`, !inFolder, fields.s3_bucket],
    [t`Access key`, !inFolder, fields.s3_access_key_id],
    [t`Secret key`, !inFolder, hasKey ? 'set' : ''],
    [t`Owner`, fields.owner_rule === 'fixed', fields.owner],
    [movedToLabel(fields), fields.after === 'move', fields.move_to],
  ];
  return required.flatMap(([label, isShown, value]) => (isShown && value === '' ? [label] : []));
}

function movedToLabel({ kind }: WatchFields): string {
  return kind === 'folder' ? t`Folder for imported files` : t`Prefix for imported files`;
}

/** Adds or changes a watch source. */
export function SourceDialog({ source, roots, onDone, onClose }: Props) {
  const [key, setKey] = useState<string | null | undefined>(undefined);
  const withKey = (fields: WatchFields) => ({ ...fields, ...(key === undefined ? {} : { s3_secret_key: key }) });
  const form = useForm<WatchFields, WatchSource>({
    key: `watch-source:${source?.uuid ?? 'new'}`,
    saved: source ? fieldsOf(source) : newSource,
    send: (fields) =>
      source
        ? call('PUT /api/admin/watch-sources/{uuid}', { params: { uuid: source.uuid }, body: withKey(fields) })
        : call('POST /api/admin/watch-sources', { body: withKey(fields) }),
    // A result is about the fields that were tested.
    onChange: () => test.reset(),
    refresh: onDone,
    onSaved: onClose,
  });
  const test = useMutation({
    mutationFn: () =>
      call('POST /api/admin/watch-sources/test', {
        body: { ...(source ? { uuid: source.uuid } : {}), source: withKey(form.fields) },
      }),
  });
  const changeKey = (next: string | null | undefined): void => {
    test.reset();
    setKey(next);
  };
  const hasKey = key === undefined ? (source?.s3_secret_key_is_set ?? false) : key !== null;
  const missing = missingFields(form.fields, hasKey);
  return (
    <FormDialog
      title={source ? t`Change the watch source` : t`Add a watch source`}
      action={t`Save`}
      unready={stillMissing(...missing)}
      {...form.dialog}
      secretTyped={typeof key === 'string'}
      failure={t`The source wasn’t saved`}
      fields={[...form.dialog.fields, 's3_secret_key']}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus required maxLength={100} {...form.text('name')} />
      <Radio.Group label={t`What is watched`} {...form.field('kind')}>
        <Stack gap="xs" mt="xs">
          <Radio value="folder" label={t`A folder on the server`} />
          <Radio value="s3" label={t`A bucket (S3)`} />
        </Stack>
      </Radio.Group>
      {form.value.kind === 'folder' ? (
        <FolderFields form={form} roots={roots} />
      ) : (
        <BucketFields form={form} isKeySet={source?.s3_secret_key_is_set ?? false} secret={key} onSecret={changeKey} />
      )}
      <OwnerFields form={form} />
      <FilterFields form={form} />
      <TimingFields form={form} />
      <AfterFields form={form} />
      <Switch label={t`Switched on`} {...form.check('enabled')} />
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

function FolderFields({ form, roots }: PartProps & { roots: readonly string[] }) {
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
        {...form.text('path')}
      />
      <Switch
        label={t`The folder is on a network file system`}
        description={t`Changes are found at the interval below only, because such file systems send no notifications.`}
        {...form.check('polling_only')}
      />
    </>
  );
}

type BucketProps = PartProps & {
  readonly isKeySet: boolean;
  readonly secret: string | null | undefined;
  readonly onSecret: (key: string | null | undefined) => void;
};

function BucketFields({ form, isKeySet, secret, onSecret }: BucketProps) {
  const line = (name: 's3_endpoint_url' | 's3_region' | 's3_bucket' | 's3_prefix' | 's3_access_key_id') => ({
    ...form.text(name),
    spellCheck: false,
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
          errorOf: form.errorOf,
        }}
        name="s3_secret_key"
        label={t`Secret key`}
        isSet={isKeySet}
        mayDelete={false}
      />
    </>
  );
}

function OwnerFields({ form }: PartProps) {
  return (
    <>
      <Radio.Group
        label={t`Who owns the recordings`}
        {...form.field('owner_rule')}
        onChange={(rule) =>
          form.change(rule === 'first_folder' ? { owner_rule: 'first_folder', owner: '' } : { owner_rule: 'fixed' })
        }
      >
        <Stack gap="xs" mt="xs">
          <Radio value="fixed" label={ownerRuleLabels.fixed} />
          <Radio value="first_folder" label={ownerRuleLabels.first_folder} />
        </Stack>
      </Radio.Group>
      {form.value.owner_rule === 'fixed' ? (
        <TextInput
          label={t`Owner`}
          description={t`E-mail address or user name.`}
          required
          maxLength={320}
          spellCheck={false}
          {...form.text('owner')}
        />
      ) : (
        <Text size="sm">{t`The first folder has the e-mail address or user name of an account.`}</Text>
      )}
      <Radio.Group
        label={t`What sub-folders become`}
        {...form.field('folders_as')}
        value={form.value.folders_as ?? 'tags'}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="tags" label={t`Tags of the recordings`} />
          <Radio value="collection" label={t`The first one a collection of the owner, the others tags`} />
        </Stack>
      </Radio.Group>
    </>
  );
}

function FilterFields({ form }: PartProps) {
  const { min_bytes: least, max_bytes: most } = form.value;
  return (
    <>
      <TagsInput
        label={t`Take only`}
        description={t`Patterns such as *.wav or calls/**. Leave blank for all files.`}
        maxTags={50}
        {...form.field('include')}
      />
      <TagsInput
        label={t`Leave out`}
        description={t`Patterns. Names that begin with a dot are always left out.`}
        maxTags={50}
        {...form.field('exclude')}
      />
      <NumberField
        label={t`Smallest size`}
        min={0}
        max={largestKibibytes}
        suffix=" KB"
        allowDecimal={false}
        value={Math.round(least / 1024)}
        error={form.errorOf('min_bytes')}
        onChange={(value) => form.change({ min_bytes: value * 1024 })}
      />
      <NumberField
        label={t`Largest size`}
        description={t`Leave blank for the limit of uploads.`}
        optional
        min={1}
        max={largestKibibytes / 1024}
        suffix=" MB"
        allowDecimal={false}
        value={most === null ? null : Math.round(most / mebibyte)}
        error={form.errorOf('max_bytes')}
        onChange={(value) => form.change({ max_bytes: value === null ? null : value * mebibyte })}
      />
      <NumberField
        label={t`Oldest file, in days`}
        description={t`Leave blank for no limit.`}
        optional
        min={1}
        max={36_500}
        allowDecimal={false}
        {...form.field('max_age_days')}
      />
    </>
  );
}

function TimingFields({ form }: PartProps) {
  return (
    <>
      <NumberField
        label={t`Import after this many seconds without a change`}
        description={t`A file that still changes is not taken.`}
        min={1}
        max={86_400}
        allowDecimal={false}
        {...form.field('stable_seconds')}
      />
      <NumberField
        label={t`Look for changes every this many seconds`}
        min={2}
        max={86_400}
        allowDecimal={false}
        {...form.field('poll_seconds')}
      />
    </>
  );
}

function AfterFields({ form }: PartProps) {
  const rules = ['keep', 'move', 'delete'] as const;
  return (
    <>
      <Radio.Group
        label={t`After the import`}
        description={t`The file is moved or deleted only after the stored recording was read and compared.`}
        {...form.field('after')}
      >
        <Stack gap="xs" mt="xs">
          {rules.map((rule) => (
            <Radio key={rule} value={rule} label={afterLabels[rule]} />
          ))}
        </Stack>
      </Radio.Group>
      {form.value.after === 'move' && (
        <TextInput
          label={movedToLabel(form.value)}
          required
          maxLength={1_024}
          spellCheck={false}
          {...form.text('move_to')}
        />
      )}
    </>
  );
}
