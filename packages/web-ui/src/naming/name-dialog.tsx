import { t } from '@lingui/core/macro';
import { Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useForm } from '../state/use-form.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';

type Common<R> = {
  readonly title: string;
  /** Of the draft, stable across reloads. */
  readonly draftKey: string;
  readonly maxLength: number;
  readonly failure: string;
  /** Loads what shows the name again, before the dialog closes. */
  readonly refresh: (result: R) => unknown;
  readonly onDone?: (result: R, name: string) => void;
  readonly onClose: () => void;
};
type NameProps<R> = Common<R> & {
  readonly name: string;
  readonly send: (name: string) => Promise<R>;
  readonly children?: ReactNode;
};
export type Described = { readonly name: string; readonly description: string };
type DescribedProps<R> = Common<R> & {
  readonly action: string;
  readonly saved: Described;
  readonly send: (fields: Described, changed: Partial<Described>) => Promise<R>;
};

/** Gives something a name, or another one. */
export function NameDialog<R>(props: NameProps<R>) {
  const { title, draftKey, maxLength, failure, refresh, onDone, onClose, name, send, children } = props;
  const form = useForm({
    key: draftKey,
    saved: { name },
    send: (fields) => send(fields.name),
    refresh,
    onSaved: (result) => {
      onClose();
      onDone?.(result, form.fields.name);
    },
  });
  return (
    <FormDialog
      title={title}
      action={t`Save`}
      unready={stillMissing(form.fields.name === '' && t`Name`)}
      failure={failure}
      {...form.dialog}
      onClose={onClose}
    >
      {children}
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={maxLength}
        {...form.text('name')}
        // The first key replaces the proposed or earlier name, but no text of a draft.
        onFocus={(event) => event.currentTarget.value === name && event.currentTarget.select()}
      />
    </FormDialog>
  );
}

/** Creates something with a name and a description, or changes them. */
export function DescribedDialog<R>(props: DescribedProps<R>) {
  const { title, draftKey, maxLength, failure, refresh, onDone, onClose, action, saved, send } = props;
  const form = useForm({
    key: draftKey,
    saved,
    send,
    refresh,
    onSaved: (result) => {
      onClose();
      onDone?.(result, form.fields.name);
    },
  });
  return (
    <FormDialog
      title={title}
      action={action}
      unready={stillMissing(form.fields.name === '' && t`Name`)}
      failure={failure}
      {...form.dialog}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus required maxLength={maxLength} {...form.text('name')} />
      <Textarea label={t`Description`} autosize minRows={2} maxLength={2000} {...form.text('description')} />
    </FormDialog>
  );
}
