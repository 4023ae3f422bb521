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
  readonly onChange?: () => void;
  /** Loads what shows the object again, before the dialog closes. */
  readonly refresh?: (result: R) => unknown;
  readonly onSaved: (result: R) => void;
};
type TextField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
/** A field reports any text; its choices are those that the type allows. */
type Entered<V> = V extends string ? string : V;
type NameOf<T, V> = { [K in keyof T]: T[K] extends V ? K : never }[keyof T] & string;
/** What the parts of a form need of it. */
export type Form<T extends object> = Omit<ReturnType<typeof useForm<T, never>>, 'dialog'>;

/** The state of a form in a `FormDialog`, and the properties of its fields. */
export function useForm<T extends object, R>({ key, saved, send, onChange, refresh, onSaved }: Options<T, R>) {
  const draft = useEdits(key, saved);
  const fields = trimmed(draft.value);
  const sending = useMutation({
    mutationFn: () => send(fields, draft.changedOf(fields)),
    onSuccess: async (result) => {
      await refresh?.(result);
      draft.drop();
      onSaved(result);
    },
  });
  const change = (next: Partial<T>): void => {
    onChange?.();
    draft.change(next);
  };
  const errorOf = (name: string): string | null => fieldOf(sending.error, name);
  return {
    value: draft.value,
    /** The fields as they are sent. */
    fields,
    change,
    errorOf,
    /** Properties of the dialog. */
    dialog: { sending, draft, fields: Object.keys(saved), onSubmit: () => sending.mutate() },
    /** Properties of a text field or a native select. */
    text: (name: NameOf<T, string>) => ({
      value: draft.value[name] as string,
      error: errorOf(name),
      onChange: (event: ChangeEvent<TextField>): void => change({ [name]: event.currentTarget.value } as Partial<T>),
    }),
    /** Properties of a checkbox or a switch. */
    check: (name: NameOf<T, boolean>) => ({
      checked: draft.value[name] as boolean,
      error: errorOf(name),
      onChange: (event: ChangeEvent<HTMLInputElement>): void =>
        change({ [name]: event.currentTarget.checked } as Partial<T>),
    }),
    /** Properties of a field that reports its value instead of an event. */
    field: <K extends keyof T & string>(name: K) => ({
      value: draft.value[name],
      error: errorOf(name),
      onChange: (value: Entered<T[K]>): void => change({ [name]: value } as unknown as Partial<T>),
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
