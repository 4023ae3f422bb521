import { useMutation } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { fieldOf } from '../api/problem.ts';
import { useEdits } from './use-edits.ts';

type Options<T, R> = {
  /** Of the draft, stable across reloads. */
  readonly key: string;
  readonly saved: T;
  /** Sends all fields, or the changed ones, of a stored object. Texts have no spaces at their ends. */
  readonly send: (fields: T, changed: Partial<T>) => Promise<R>;
  /** Loads what shows the object again, before the dialog closes. */
  readonly refresh: (result: R) => unknown;
  readonly onSaved: (result: R) => void;
};
type TextField = HTMLInputElement | HTMLTextAreaElement;
type TextName<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string;

/** The state of a form in a `FormDialog`, and the properties of its fields. */
export function useForm<T extends object, R>({ key, saved, send, refresh, onSaved }: Options<T, R>) {
  const draft = useEdits(key, saved);
  const fields = trimmed(draft.value);
  const sending = useMutation({
    mutationFn: () => send(fields, draft.changedOf(fields)),
    onSuccess: async (result) => {
      await refresh(result);
      draft.drop();
      onSaved(result);
    },
  });
  const errorOf = (name: keyof T & string): string | null => fieldOf(sending.error, name);
  return {
    value: draft.value,
    /** The fields as they are sent. */
    fields,
    change: draft.change,
    errorOf,
    /** Properties of the dialog. */
    dialog: { sending, draft, fields: Object.keys(saved), onSubmit: () => sending.mutate() },
    /** Properties of a text field. */
    text: (name: TextName<T>) => ({
      value: draft.value[name] as string,
      error: errorOf(name),
      onChange: (event: ChangeEvent<TextField>): void =>
        draft.change({ [name]: event.currentTarget.value } as Partial<T>),
    }),
  };
}

function trimmed<T extends object>(fields: T): T {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? value.trim() : value,
    ]),
  ) as T;
}
