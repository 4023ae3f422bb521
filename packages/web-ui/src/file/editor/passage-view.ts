import { t } from '@lingui/core/macro';
import type { Node } from 'prosemirror-model';
import { DecorationSet, type DecorationSource, type EditorView, type NodeView } from 'prosemirror-view';
import { clock, moment } from '../../lib/format.ts';
import type { Observable } from '../../lib/observable.ts';
import { kindLabels } from '../../ui/masked-kinds.tsx';
import { drawIcon } from '../../ui/icons.tsx';
import css from './editor.module.css';
import type { SpeakerLook } from '../file-context.ts';
import { attrsOf, segmentOf, type MaskedAttrs } from './schema.ts';

/** What a passage needs from the page. */
export type PassageContext = {
  readonly speakers: () => ReadonlyMap<string, SpeakerLook>;
  readonly isEditable: () => boolean;
  readonly onSeek: (seconds: number) => void;
  readonly onCopyLink: (seconds: number) => void;
  readonly onSpeaker: (uuid: string) => void;
  readonly canReveal: Observable<boolean>;
  readonly reveal: (redactionUuid: string) => Promise<string | null>;
};

function element(tag: string, className: string, attrs: Readonly<Record<string, string>> = {}): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  for (const [name, value] of Object.entries(attrs)) made.setAttribute(name, value);
  return made;
}

function button(className: string, onClick: () => void, ...content: globalThis.Node[]): HTMLElement {
  const made = element('button', className, { type: 'button', tabindex: '-1' });
  made.append(...content);
  made.addEventListener('click', (event) => {
    event.stopPropagation();
    onClick();
  });
  return made;
}

export type PassageView = NodeView & { readonly refresh: () => void };

/** Passages that are drawn together. Away from the window they are an empty element without a box. */
export function createGroupView(inner: DecorationSource): NodeView {
  const isShown = hasMarks(inner);
  const dom = element('div', '');
  dom.hidden = !isShown;
  return {
    dom,
    ...(isShown && { contentDOM: dom }),
    update: (_next, _decorations, changed) => hasMarks(changed) === isShown,
    stopEvent: () => false,
    ignoreMutation: (mutation) => !isShown && mutation.type !== 'selection',
  };
}

/** Each passage that is shown has a mark. */
function hasMarks(decorations: DecorationSource): boolean {
  let isMarked = false;
  decorations.forEachSet((set) => (isMarked ||= set !== DecorationSet.empty));
  return isMarked;
}

/** One passage: its speaker at the start of a turn, its time, its text, and tools that appear when it is pointed at. */
export function createPassageView(initial: Node, context: PassageContext): PassageView {
  let node = initial;
  const segment = () => segmentOf(node);
  const dom = element('article', css['row'] ?? '', { 'data-testid': 'segment' });
  const speaker = element('div', css['speaker'] ?? '', { contenteditable: 'false' });
  const dot = element('span', 'ot-dot');
  const name = element('span', '');
  const speakerButton = button(css['speakerName'] ?? '', () => context.onSpeaker(attrsOf(node).uuid), dot, name);
  speakerButton.dataset['testid'] = 'segment-speaker';
  speaker.append(speakerButton);
  const time = button(css['time'] ?? '', () => context.onSeek(segment().start_time));
  time.setAttribute('contenteditable', 'false');
  // Each passage has the direction of its own script.
  const text = element('p', css['text'] ?? '', { dir: 'auto' });
  const note = element('span', css['withheld'] ?? '', { contenteditable: 'false', 'data-testid': 'withheld' });
  const tools = element('div', css['tools'] ?? '', { contenteditable: 'false' });
  dom.append(speaker, time, tools, text);

  const refresh = (): void => {
    const { speaker: speakerId, turn, base } = attrsOf(node);
    const look = speakerId === null ? undefined : context.speakers().get(speakerId);
    const shownName = look?.name ?? t`No speaker`;
    const { start_time: start, withheld } = segment();
    const shownTime = base === null ? '' : clock(start);
    dom.toggleAttribute('data-turn', turn);
    dom.setAttribute('aria-label', `${shownName}, ${shownTime}`);
    speaker.hidden = !turn;
    speakerButton.style.color = look?.color ?? 'var(--mantine-color-dimmed)';
    speakerButton.setAttribute('aria-label', t`Change speaker: ${shownName}`);
    speakerButton.toggleAttribute('disabled', !context.isEditable());
    // In the text the key Tab plays and pauses; where nothing can be typed it moves the focus.
    for (const control of dom.querySelectorAll('button')) control.tabIndex = context.isEditable() ? -1 : 0;
    if (name.textContent !== shownName) name.textContent = shownName;
    name.title = shownName;
    if (time.textContent !== shownTime) time.textContent = shownTime;
    time.setAttribute('aria-label', t`Play from ${shownTime}`);
    // An element that is not there cannot be taken for a hint.
    note.remove();
    note.textContent = t`This passage is hidden until it has been checked for personal data.`;
    if (withheld) text.after(note);
    if (base?.edited && !withheld) {
      // Drawn by the style sheet: an element in the text would be in the way of the caret.
      text.dataset['edited'] = t`edited`;
      time.title = editedText(base.edited_by_name, base.edited_at);
      text.setAttribute('aria-description', time.title);
    }
    text.hidden = withheld;
    text.contentEditable = withheld ? 'false' : 'inherit';
  };
  const showTools = (): void => {
    if (tools.childElementCount > 0) return;
    const shownTime = clock(segment().start_time);
    const link = button(css['tool'] ?? '', () => context.onCopyLink(segment().start_time), drawIcon('link', 16));
    link.setAttribute('aria-label', t`Copy link to ${shownTime}`);
    link.title = t`Copy link to this moment`;
    if (context.isEditable()) {
      const choose = button(css['tool'] ?? '', () => context.onSpeaker(attrsOf(node).uuid), drawIcon('user', 16));
      choose.setAttribute('aria-label', t`Speaker of passage at ${shownTime}`);
      choose.title = t`Speaker`;
      tools.append(choose);
    }
    tools.append(link);
    for (const control of tools.querySelectorAll('button')) control.tabIndex = context.isEditable() ? -1 : 0;
  };
  dom.addEventListener('pointerenter', showTools);
  refresh();
  return {
    dom,
    contentDOM: text,
    refresh,
    update: (next) => {
      if (attrsOf(next).uuid !== attrsOf(node).uuid) return false;
      const isSame = next.attrs === node.attrs;
      node = next;
      if (!isSame) refresh();
      return true;
    },
    stopEvent: (event) => event.target instanceof globalThis.Node && !text.contains(event.target),
    ignoreMutation: (mutation) => mutation.type !== 'selection' && !text.contains(mutation.target),
  };
}

function editedText(editor: string | null, at: string | null): string {
  const edited = editor === null ? t`Edited` : t`Edited by ${editor}`;
  return at === null ? edited : `${edited}, ${moment(at)}`;
}

/** The placeholder of a masked part, which can be revealed by those who may. It is in the text, but not editable. */
export function createMaskedView(node: Node, _view: EditorView, context: PassageContext): NodeView {
  const { uuid, kind, text } = node.attrs as MaskedAttrs;
  const title = t`Masked: ${kindLabels[kind]}`;
  const dom = element('span', css['redacted'] ?? '', { contenteditable: 'false', title, 'data-redacted': kind });
  // The revealed text lives in this element only: nothing else may show or keep it.
  let revealed: string | null = null;
  const draw = (): void => {
    const shown = revealed ?? text;
    dom.textContent = shown;
    if (!context.canReveal.get()) return;
    dom.setAttribute('role', 'button');
    dom.setAttribute('tabindex', '0');
    dom.setAttribute('aria-label', revealed === null ? t`Reveal ${shown}` : t`Hide ${shown}`);
    dom.setAttribute('aria-pressed', String(revealed !== null));
  };
  const toggle = async (): Promise<void> => {
    if (!context.canReveal.get()) return;
    revealed = revealed === null ? await context.reveal(uuid) : null;
    draw();
  };
  dom.addEventListener('click', (event) => {
    // A click on a word otherwise starts playback there.
    event.stopPropagation();
    void toggle();
  });
  dom.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    void toggle();
  });
  const unsubscribe = context.canReveal.subscribe(draw);
  draw();
  return { dom, stopEvent: () => true, ignoreMutation: () => true, destroy: unsubscribe };
}
