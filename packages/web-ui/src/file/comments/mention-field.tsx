import { t } from '@lingui/core/macro';
import { Popover, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { useFile } from '../file-context.ts';
import { commentReadersQuery, maxCommentText } from './comment-queries.ts';
import css from './comments.module.css';
import { mentionBefore, unknownMentionIn } from './notes.ts';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit: () => void;
  readonly autoFocus?: boolean;
  readonly error?: string | undefined;
};

const maxShown = 6;

/** The text of a comment. After an @ it offers the people who may read the recording. */
export function MentionField({ label, value, onChange, onSubmit, autoFocus = false, error }: Props) {
  const { file } = useFile();
  const readers = useQuery(commentReadersQuery(file.uuid));
  const people = readers.data ?? [];
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const [typed, setTyped] = useState<ReturnType<typeof mentionBefore>>(null);
  const [active, setActive] = useState(0);
  const wanted = typed?.name.toLowerCase() ?? '';
  const offered =
    typed === null
      ? []
      : people.filter(({ name }) => name.toLowerCase().includes(wanted) && name !== typed.name).slice(0, maxShown);
  const unknown = readers.data && offered.length === 0 ? unknownMentionIn(value, people) : null;
  const follow = (element: HTMLTextAreaElement): void => {
    setTyped(mentionBefore(element.value, element.selectionStart));
    setActive(0);
  };
  const choose = (name: string): void => {
    const element = field.current;
    if (!typed || !element) return;
    const before = `${value.slice(0, typed.from)}@${name} `;
    onChange(before + value.slice(typed.from + 1 + typed.name.length));
    setTyped(null);
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(before.length, before.length);
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onSubmit();
      return;
    }
    const person = offered[active];
    if (!person) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      setActive((active + (event.key === 'ArrowDown' ? 1 : offered.length - 1)) % offered.length);
    else if (event.key === 'Enter') choose(person.name);
    else if (event.key === 'Escape') setTyped(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // Fixed, because a dialog cuts off what is larger than itself, and inside it, so that screen readers find it there.
    <Popover
      withinPortal={false}
      floatingStrategy="fixed"
      opened={offered.length > 0}
      position="bottom"
      width="target"
      offset={4}
      withRoles={false}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Textarea
          ref={field}
          aria-label={label}
          placeholder={t`Write a comment; @ mentions a person`}
          value={value}
          error={error}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          description={
            unknown !== null &&
            t`Nobody called “${unknown}” can read this recording, so nobody is notified. Share the recording first.`
          }
          autosize
          minRows={2}
          maxRows={8}
          maxLength={maxCommentText}
          autoFocus={autoFocus}
          aria-autocomplete="list"
          aria-controls={offered.length > 0 ? listId : undefined}
          aria-activedescendant={offered.length > 0 ? `${listId}-${active}` : undefined}
          // Escape closes the list, and not the dialog.
          data-mantine-stop-propagation={offered.length > 0 || undefined}
          onChange={(event) => {
            onChange(event.currentTarget.value);
            follow(event.currentTarget);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setTyped(null)}
        />
      </Popover.Target>
      <Popover.Dropdown p={4}>
        <ul id={listId} role="listbox" aria-label={t`People who may read this recording`} className={css['people']}>
          {offered.map(({ uuid, name }, i) => (
            <li
              key={uuid}
              id={`${listId}-${i}`}
              role="option"
              aria-selected={i === active}
              dir="auto"
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(name)}
            >
              {name}
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
