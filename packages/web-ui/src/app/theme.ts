import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

const petrol: MantineColorsTuple = [
  '#e9f5f3',
  '#cfe8e4',
  '#a4d6cf',
  '#74c2b8',
  '#4fb3a7',
  '#2a9a8d',
  '#12806f',
  '#0b6a5d',
  '#09574d',
  '#06423a',
];
const gray: MantineColorsTuple = [
  '#f8f7f4',
  '#f1efea',
  '#e6e3dc',
  '#d8d4cb',
  '#bdb8ad',
  '#938e84',
  '#6b675f',
  '#4b4843',
  '#33312d',
  '#211f1c',
];
const dark: MantineColorsTuple = [
  '#e6e5e1',
  '#c4c4bf',
  '#a0a19d',
  '#7c7e7c',
  '#4a4d4e',
  '#35383a',
  '#26292b',
  '#1b1d1f',
  '#141517',
  '#0d0e0f',
];

/** Chooses a text color with enough contrast for filled elements in both schemes. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  if (input.variant !== 'filled') return colors;
  if (input.color === undefined || input.color === 'petrol') return { ...colors, color: 'var(--ot-on-primary)' };
  return input.color === 'red' ? { ...colors, color: 'var(--ot-on-red)' } : colors;
};

const ownDirection = { dir: 'auto' } as const;

export const theme = createTheme({
  variantColorResolver,
  colors: { petrol, gray, dark },
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.32,
  defaultRadius: 'md',
  black: '#211f1c',
  fontFamily: "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Noto Sans Mono', monospace",
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Tooltip: { defaultProps: { openDelay: 350, withArrow: true, events: { hover: true, focus: true, touch: false } } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        removeScrollProps: { removeScrollBar: false },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    // The header of a dialog must not be a second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    // A menu must not contain the focusable placeholder.
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end', withInitialFocusPlaceholder: false } },
    // No asterisks: the submit button stays disabled until the required fields are filled in.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // A title, a name or a comment has the direction of its own script, and is cut at its own end.
    Text: { defaultProps: ownDirection },
    Title: { defaultProps: ownDirection },
    Anchor: { defaultProps: ownDirection },
    Badge: {
      defaultProps: ownDirection,
      styles: { label: { textTransform: 'none', letterSpacing: 0, fontWeight: 550 } },
    },
    TableTd: { defaultProps: ownDirection },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'lg' } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#faf9f6',
    '--mantine-color-text': '#211f1c',
    '--mantine-color-dimmed': '#67635b',
    '--mantine-color-default-border': '#e3e0d8',
    '--mantine-color-placeholder': '#7d786f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-red-text': '#b3261e',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#981f18',
    '--ot-on-primary': '#ffffff',
    '--ot-on-red': '#ffffff',
    ...tints('#ffffff', 11, { petrol: '#0b6a5d', red: '#b3261e', yellow: '#7a5600', gray: '#4b4843' }),
  },
  dark: {
    '--mantine-color-body': '#141517',
    '--mantine-color-text': '#e6e5e1',
    '--mantine-color-dimmed': '#a0a19d',
    '--mantine-color-default': '#1b1d1f',
    '--mantine-color-default-hover': '#222527',
    '--mantine-color-default-border': '#303335',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-red-text': '#ffa49b',
    '--mantine-color-red-filled': '#ffa49b',
    '--mantine-color-red-filled-hover': '#ffb8b1',
    '--ot-on-primary': '#07231f',
    '--ot-on-red': '#330f0b',
    ...tints('#1b1d1f', 15, { petrol: '#6cc9bd', red: '#ffa49b', yellow: '#e6bd55', gray: '#c4c4bf' }),
  },
});

/** Light tints for badges, notes and selected items: the color mixed into the surface of the scheme. */
function tints(surface: string, part: number, texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([color, text]) => [
      [`--mantine-color-${color}-light`, `color-mix(in srgb, ${text} ${part}%, ${surface})`],
      [`--mantine-color-${color}-light-hover`, `color-mix(in srgb, ${text} ${part + 6}%, ${surface})`],
      [`--mantine-color-${color}-light-color`, text],
    ]),
  );
}
