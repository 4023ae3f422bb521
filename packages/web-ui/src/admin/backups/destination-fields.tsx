import { t } from '@lingui/core/macro';
import { Radio, Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MirrorSettings } from './operations-queries.ts';
import { SecretField } from '../settings/secret-field.tsx';
import type { SettingsFormState } from '../settings/use-settings-form.ts';

type Destination = Pick<
  MirrorSettings,
  | 'destination_type'
  | 'destination'
  | 's3_endpoint_url'
  | 's3_region'
  | 's3_bucket'
  | 's3_access_key_id'
  | 's3_secret_key_is_set'
>;
type Props = {
  readonly form: Pick<SettingsFormState<Destination>, 'fields' | 'change' | 'errorOf' | 'secrets' | 'changeSecret'>;
  readonly folderHint: string;
  /** More fields of a bucket. */
  readonly children?: ReactNode;
};

/** A folder or a bucket, with the access to it. */
export function DestinationFields({ form, folderHint, children }: Props) {
  const { fields } = form;
  const isFolder = fields.destination_type === 'folder';
  return (
    <>
      <Radio.Group
        label={t`Destination`}
        value={fields.destination_type}
        onChange={(value) => form.change({ destination_type: value === 's3' ? 's3' : 'folder' })}
      >
        <Group mt="xs">
          <Radio value="folder" label={t`Folder`} />
          <Radio value="s3" label={t`S3 bucket`} />
        </Group>
      </Radio.Group>
      {isFolder ? (
        <TextField form={form} name="destination" label={t`Path of the folder`} description={folderHint} />
      ) : (
        <>
          <TextField
            form={form}
            name="s3_endpoint_url"
            label={t`Address of the S3 server`}
            description={t`Such as https://s3.example.org`}
          />
          <TextField form={form} name="s3_region" label={t`Region`} />
          <TextField form={form} name="s3_bucket" label={t`Bucket`} />
          {children}
          <TextField form={form} name="s3_access_key_id" label={t`Access key`} />
          <SecretField
            form={form}
            name="s3_secret_key"
            label={t`Secret key`}
            isSet={fields.s3_secret_key_is_set}
            mayDelete
          />
        </>
      )}
    </>
  );
}

type TextFieldProps = Pick<Props, 'form'> & {
  readonly name: 'destination' | 's3_endpoint_url' | 's3_region' | 's3_bucket' | 's3_access_key_id';
  readonly label: string;
  readonly description?: string;
};

function TextField({ form, name, label, description }: TextFieldProps) {
  return (
    <TextInput
      label={label}
      description={description}
      value={form.fields[name]}
      error={form.errorOf(name)}
      maxLength={1024}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
      onChange={(event) => form.change({ [name]: event.currentTarget.value })}
    />
  );
}
